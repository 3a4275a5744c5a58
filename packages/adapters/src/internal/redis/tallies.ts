import { isDeadLetter, type DeliveryRecord } from '@sendonce/core';
import { addUp, openChange } from '@sendonce/core/records';
import { leftOf, type DeliveryEntry } from '../ahead/run-deliveries.ts';
import type { Cell } from './lists.ts';

/** How a write changes a notification's numbers. */
export interface Tally {
  readonly open: number;
  /** Its dead letters. */
  readonly letters: number;
}

export function sumOf(a: Tally | undefined, b: Tally): Tally {
  return { open: (a?.open ?? 0) + b.open, letters: (a?.letters ?? 0) + b.letters };
}

export function talliesOf(entries: readonly DeliveryEntry[]): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const entry of entries) {
    const [before, after] = [entry.fact?.record ?? null, leftOf(entry)];
    const change = { open: openChange(before, after), letters: lettersIn(after) - lettersIn(before) };
    const { notificationId } = entry.record;
    if (change.open !== 0 || change.letters !== 0)
      tallies.set(notificationId, sumOf(tallies.get(notificationId), change));
  }
  return tallies;
}

/** A notification that has dead letters keeps what its producer gave, because a replay may need it. */
function lettersIn(record: DeliveryRecord | null): number {
  return record !== null && isDeadLetter(record.state) ? 1 : 0;
}

export function sumsOf(entries: readonly DeliveryEntry[], refusedMoves: number): (readonly Cell[])[] {
  const sums = new Map<string, number>();
  const add = (name: string, change: number): void => void sums.set(name, (sums.get(name) ?? 0) + change);
  for (const entry of entries)
    addUp(
      { delivery: (state, change) => add(`d:${state}`, change), assumed: (change) => add('assumed', change) },
      entry.fact?.record ?? null,
      leftOf(entry),
    );
  add('refused', refusedMoves);
  return [...sums].filter(([, change]) => change !== 0);
}
