import type { CallFault } from '../plan.ts';
import { isCallFault, type Case, type Verdict } from './case.ts';

export interface ExplainOptions {
  readonly run: (candidate: Case) => Promise<Verdict>;
  readonly outOfTime: () => boolean;
  /** `15 min`, `30 s`. */
  readonly duration: (ms: number) => string;
}

interface Variation {
  readonly sentence: string;
  readonly cases: readonly Case[];
}

/** What may vary without losing the failure, in sentences: each is checked by running the variations. */
export async function explain(minimal: Case, failure: string, options: ExplainOptions): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const { sentence, cases } of variations(minimal, options.duration)) {
    if (options.outOfTime()) break;
    if (cases.length > 0 && (await allFail(cases, failure, options))) sentences.push(sentence);
  }
  return sentences;
}

async function allFail(cases: readonly Case[], failure: string, { run, outOfTime }: ExplainOptions): Promise<boolean> {
  for (const each of cases) {
    if (outOfTime() || (await run(each)).failure !== failure) return false;
  }
  return true;
}

function* variations(minimal: Case, duration: ExplainOptions['duration']): Generator<Variation> {
  yield { sentence: 'any seed', cases: [1, 2, 3].map((n) => ({ ...minimal, seed: `${minimal.seed}/other-${n}` })) };
  yield {
    sentence: 'any number of workers up to 4',
    cases: [1, 2, 3, 4].map((workers) => withWorkers(minimal, workers)),
  };
  for (const [at, fault] of minimal.faults.entries()) {
    if (isCallFault(fault)) yield* ofFault(minimal, at, fault, duration);
  }
}

function* ofFault(
  minimal: Case,
  at: number,
  fault: CallFault,
  duration: ExplainOptions['duration'],
): Generator<Variation> {
  const name = minimal.faults.length === 1 ? 'the fault' : `fault ${at + 1}`;
  const change = (changed: Partial<CallFault>): Case => ({
    ...minimal,
    faults: minimal.faults.with(at, { ...fault, ...changed }),
  });
  if (fault.ms !== undefined) {
    const { ms } = fault;
    yield {
      sentence: `${name}: any length of at least ${duration(ms)}`,
      cases: [2, 4, 10].map((times) => change({ ms: ms * times })),
    };
  }
  if (/^w\d+$/.test(fault.entity)) {
    const workers = Array.from({ length: minimal.setup.workers }, (_, n) => `w${n + 1}`);
    yield { sentence: `${name}: any worker`, cases: workers.map((entity) => change({ entity })) };
  }
  if (/^r\d+$/.test(fault.entity) && Array.isArray(minimal.setup.recipients) && minimal.setup.recipients.length === 1) {
    const others = [3, 11, 17].map((n) => ({
      ...change({ entity: `r${n}` }),
      setup: { ...minimal.setup, recipients: [n] },
    }));
    yield { sentence: `${name}: any recipient`, cases: others };
  }
}

function withWorkers(minimal: Case, workers: number): Case {
  return { ...minimal, setup: { ...minimal.setup, workers } };
}
