/** What a run is called by. */
export const VERDICTS = ['pass', 'violation', 'inconclusive', 'nondeterminism', 'interrupted'] as const;
export type RunVerdict = (typeof VERDICTS)[number];

export interface VerdictFacts {
  /** One schedule gave two histories: nothing else is for certain. */
  readonly hasTwoHistories: boolean;
  readonly isBroken: boolean;
  /** Somebody did not wait for all that was asked for. */
  readonly interrupted: boolean;
  /** What was asked for and did not happen. */
  readonly doubts: readonly string[];
}

/** What weighs most. A pass is said only of what was run to its end. */
export function runVerdict({ hasTwoHistories, isBroken, interrupted, doubts }: VerdictFacts): RunVerdict {
  if (hasTwoHistories) return 'nondeterminism';
  if (isBroken) return 'violation';
  if (interrupted) return 'interrupted';
  return doubts.length > 0 ? 'inconclusive' : 'pass';
}
