import type { RunResult } from './result.ts';

/** What came of people first, then which rule was broken; of rules, safety before liveness. */
const GRAVITY = ['liveness', 'safety', 'people'] as const;

export interface Worst {
  /** A class of the end count, or an invariant. */
  readonly name: string;
  readonly gravity: (typeof GRAVITY)[number];
}

/** The gravest wrong of a run, whoever did the work in it; null: none. */
export function worstOf({ tally, violations }: Pick<RunResult, 'tally' | 'violations'>): Worst | null {
  for (const name of ['duplicated', 'phantom', 'lost'] as const)
    if (tally[name] > 0) return { name, gravity: 'people' };
  const first = violations.find(({ kind }) => kind === 'safety') ?? violations[0];
  return first === undefined ? null : { name: first.invariant, gravity: first.kind };
}

/** Whether `a` is graver than `b`. */
export function isGraver(a: Worst | null, b: Worst | null): boolean {
  const gravity = (worst: Worst | null): number => (worst === null ? -1 : GRAVITY.indexOf(worst.gravity));
  return gravity(a) > gravity(b);
}
