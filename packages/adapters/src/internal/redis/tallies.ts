import { isDeadLetter, type DeliveryRecord } from '@sendonce/core';
import { addUp, openChange, type Sums } from '@sendonce/core/records';
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
    const before = entry.fact?.record ?? null;
    const after = leftOf(entry);
    const open = openChange(before, after);
    const letters = lettersIn(after) - lettersIn(before);
    if (open === 0 && letters === 0) continue;
    const { notificationId } = entry.record;
    tallies.set(notificationId, sumOf(tallies.get(notificationId), { open, letters }));
  }
  return tallies;
}

/** A notification that has dead letters keeps what its producer gave, because a replay may need it. */
function lettersIn(record: DeliveryRecord | null): number {
  return record !== null && isDeadLetter(record.state) ? 1 : 0;
}

export function sumsOf(entries: readonly DeliveryEntry[], refusedMoves: number): (readonly Cell[])[] {
  const states = new Map<string, number>();
  let assumed = 0;
  const sums: Sums = {
    delivery: (state, change) => void states.set(state, (states.get(state) ?? 0) + change),
    assumed: (change) => void (assumed += change),
  };
  for (const entry of entries) addUp(sums, entry.fact?.record ?? null, leftOf(entry));
  const named = Array.from(states, ([state, change]): [string, number] => [`d:${state}`, change]);
  const all: [string, number][] = [...named, ['assumed', assumed], ['refused', refusedMoves]];
  return all.filter(([, change]) => change !== 0);
}
