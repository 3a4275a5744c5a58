import fc from 'fast-check';
import { candidates } from './candidates.ts';
import type { Case, Verdict } from './case.ts';

export interface PropertyOptions {
  /** The nth case, a pure function of n. */
  readonly caseAt: (n: number) => Case;
  readonly run: (of: Case) => Promise<Verdict>;
  /** How many cases at most. */
  readonly cases: number;
  /** True when no further case shall begin. */
  readonly over: () => boolean;
  /** How long a found failure may be made smaller, ms, on `nowMs`. */
  readonly shrinkMs: number;
  readonly nowMs: () => number;
}

export interface Falsified {
  readonly found: Case;
  readonly smallest: Case;
  readonly verdict: Verdict;
}

/**
 * "Whatever breaks, everybody gets one message", as a fast-check property over cases. Its arbitrary knows the domain: it generates a
 * plan per case and shrinks a failing one in the steps of `candidates`, keeping the kind of failure. Null: it held.
 */
export async function falsify(options: PropertyOptions): Promise<Falsified | null> {
  const verdicts = new Map<Case, Verdict>();
  let first: { readonly found: Case; readonly failure: string; readonly until: number } | null = null;
  const outOfTime = (): boolean => first !== null && options.nowMs() >= first.until;

  // What a run throws is a fault of ours or of the user's own code, not a falsified property: it goes up as it is.
  let thrown: { readonly error: unknown } | null = null;
  const attempt = async (of: Case): Promise<Verdict | null> => {
    try {
      return await options.run(of);
    } catch (error) {
      thrown ??= { error };
      return null;
    }
  };
  const holds = async (of: Case): Promise<boolean> => {
    // It has no verdict, so it is not made smaller, and the run ends there.
    if (first === null && options.over()) return false;
    const verdict = await attempt(of);
    if (verdict === null) return false;
    if (verdict.failure === null) return true;
    first ??= { found: of, failure: verdict.failure, until: options.nowMs() + options.shrinkMs };
    if (verdict.failure !== first.failure) return true;
    verdicts.set(of, verdict);
    return false;
  };
  const property = fc.asyncProperty(new Plans(options.caseAt, verdicts, outOfTime), holds);
  const details = await fc.check(property, { numRuns: options.cases, endOnFailure: false, verbose: 0 });
  if (thrown !== null) throw (thrown as { readonly error: unknown }).error;
  const smallest = details.counterexample?.[0];
  const verdict = smallest === undefined ? undefined : verdicts.get(smallest);
  const found = (first as { readonly found: Case } | null)?.found;
  if (smallest === undefined || verdict === undefined || found === undefined) return null;
  return { found, smallest, verdict };
}

class Plans extends fc.Arbitrary<Case> {
  readonly #caseAt: (n: number) => Case;
  readonly #verdicts: ReadonlyMap<Case, Verdict>;
  readonly #outOfTime: () => boolean;
  #next = 0;

  constructor(caseAt: (n: number) => Case, verdicts: ReadonlyMap<Case, Verdict>, outOfTime: () => boolean) {
    super();
    this.#caseAt = caseAt;
    this.#verdicts = verdicts;
    this.#outOfTime = outOfTime;
  }

  override generate(): fc.Value<Case> {
    return new fc.Value(this.#caseAt(this.#next++), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Case {
    return this.#verdicts.has(value as Case);
  }

  override shrink(value: Case): fc.Stream<fc.Value<Case>> {
    return new fc.Stream(this.#smaller(value));
  }

  *#smaller(value: Case): IterableIterator<fc.Value<Case>> {
    const verdict = this.#verdicts.get(value);
    if (verdict === undefined) return;
    for (const candidate of candidates(value, verdict)) {
      if (this.#outOfTime()) return;
      yield new fc.Value(candidate, undefined);
    }
  }
}
