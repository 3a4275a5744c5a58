import fc from 'fast-check';
import { nthLast, type Known } from './known.ts';

/** How long a lease is, units of time. */
export const LEASE_UNITS = 10;
/** More than any history holds: which of the due is handed out first is no part of the comparison. */
export const ALL = 1_000;

/** A small number: of what is known, the newest and a few before it. */
export const few: fc.Arbitrary<number> = fc.nat({ max: 3 });

/** A call that takes a batch, of one to three drawn one by one. */
export function batchOf<T>(items: readonly (T | undefined)[]): readonly T[] | null {
  const given = items.filter((item): item is T => item !== undefined);
  return given.length === 0 ? null : given;
}

export const choices: fc.Arbitrary<readonly number[]> = fc.array(few, { minLength: 1, maxLength: 3 });

export function leaseOf(
  known: Known,
  owner: number,
  unitMs: number,
): { owner: string; requestId: string; leaseMs: number } {
  return { owner: `w${owner}`, requestId: `request-${known.claims}`, leaseMs: LEASE_UNITS * unitMs };
}

interface Hold {
  readonly id: string;
  readonly fence: number;
}

/** What somebody holds or held, notifications or deliveries; null: nothing yet. */
export function heldOf(known: Known, which: readonly number[], isRouting: boolean): readonly Hold[] | null {
  const held: readonly Hold[] = isRouting ? known.routings : known.grants;
  return batchOf(which.map((n) => nthLast(held, n)));
}
