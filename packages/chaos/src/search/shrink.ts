import { candidates } from './candidates.ts';
import type { Case, Verdict } from './case.ts';

export interface Shrunk {
  readonly smallest: Case;
  readonly verdict: Verdict;
  readonly runs: number;
}

export interface ShrinkOptions {
  readonly run: (candidate: Case) => Promise<Verdict>;
  /** True when time is up: the smallest so far is the answer. */
  readonly outOfTime: () => boolean;
}

/** The smallest case that fails in the same way, step by step. Deterministic in the case, up to the time allowed. */
export async function shrink(found: Case, verdict: Verdict, options: ShrinkOptions): Promise<Shrunk> {
  let smallest = found;
  let last = verdict;
  let runs = 0;
  for (let improved = true; improved && !options.outOfTime();) {
    improved = false;
    for (const candidate of candidates(smallest, last)) {
      if (options.outOfTime()) break;
      const next = await options.run(candidate);
      runs += 1;
      if (next.failure !== verdict.failure) continue;
      smallest = candidate;
      last = next;
      improved = true;
      break;
    }
  }
  return { smallest, verdict: last, runs };
}
