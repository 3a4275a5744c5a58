import { SUSPECT_ROOM, suspicion } from '../../model/steps/claim.ts';
import type { Timed } from '../time-heap.ts';

/** How many suspects a claim passes over before it looks no further for healthy work. */
const MOST_LEFT = 200;

/** The room for suspects in one claim call: see `suspicion`. */
export interface SuspectRoom<Item> {
  /** Takes the record's share of the room; false when there is not enough left. */
  admits(record: { readonly lapses: number; readonly leaseUntil: number | null }): boolean;
  /** Keeps an entry that was not admitted, to be put back; false when enough were passed over. */
  leave(entry: Timed<Item>): boolean;
  readonly left: readonly Timed<Item>[];
}

export function suspectRoom<Item>(now: number): SuspectRoom<Item> {
  let room = SUSPECT_ROOM;
  const left: Timed<Item>[] = [];
  return {
    left,
    admits(record) {
      const share = suspicion(record, now);
      if (share > room) return false;
      room -= share;
      return true;
    },
    leave(entry) {
      left.push(entry);
      return left.length < MOST_LEFT;
    },
  };
}
