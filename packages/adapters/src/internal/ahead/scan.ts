import type { Known } from './known.ts';
import type { Question } from './questions.ts';

/** Ids by their time, the longest due first, that are not after `untilMs`; about `expected` of them will be taken. */
export type Scan = (kind: 'work' | 'watch' | 'routing', untilMs: number, expected: number) => Iterable<string>;

/** How much more a scan asks for each time that all it had was passed over. */
const GROWTH = 4;
const LEAST = 16;

/** What a scan for about `expected` asks first. */
export function firstScan(kind: Question['kind'], lateMs: number, expected: number): Question {
  return { kind, a: String(lateMs), b: `0+${Math.max(LEAST, expected)}` };
}

/**
 * A scan over what is known; what it finds missing is asked for. `skip` is how many of the longest due are left to other workers: those
 * who all begin at the first one get into each other's way.
 */
export function scanOf(known: Known, now: () => number, skip: (expected: number) => number): Scan {
  return function* scan(kind, untilMs, expected) {
    // Store time is not known before the first answer, but how late something has to be is.
    const lateMs = String(now() - untilMs);
    const ahead = skip(expected);
    // Nobody is that far ahead: begin with the first after all.
    const isBeyond = ahead > 0 && known.ids(kind, lateMs, `${ahead}+${Math.max(LEAST, expected)}`)?.length === 0;
    const offset = isBeyond ? 0 : ahead;
    let seen = 0;
    for (let limit = Math.max(LEAST, expected); ; limit *= GROWTH) {
      const ids = known.ids(kind, lateMs, `${offset}+${limit}`) ?? [];
      // Known from a shorter scan, which was passed over.
      for (const id of ids.slice(seen)) yield id;
      // Passed over for what is not known yet: the next run may well take it.
      if (ids.length < limit || !known.isComplete) return;
      seen = ids.length;
    }
  };
}
