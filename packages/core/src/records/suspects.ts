import { SUSPECT_ROOM, suspicion } from '../model/steps/claim.ts';
import type { Due } from './store.ts';

/** How many suspects a claim passes over before it looks no further for healthy work. */
const MOST_LEFT = 200;

/** The room for suspects in one claim call: see `suspicion`. */
export interface SuspectRoom<Item> {
  /** Takes the record's share of the room; false when there is not enough left. */
  admits(record: { readonly lapses: number; readonly leaseUntil: number | null }): boolean;
  /** Gives back the share of the last record admitted: it was not granted after all. */
  giveBack(): void;
  /** Keeps an entry that was not admitted, to be put back; false when enough were passed over. */
  leave(entry: Due<Item>): boolean;
  readonly left: readonly Due<Item>[];
}

/** `isRepeat`: the call was made before and took its suspects then; it takes no others now (PROTOCOL rule 4). */
export function suspectRoom<Item>(now: number, isRepeat = false): SuspectRoom<Item> {
  let room = isRepeat ? 0 : SUSPECT_ROOM;
  let last = 0;
  const left: Due<Item>[] = [];
  return {
    left,
    admits(record) {
      last = suspicion(record, now);
      if (last > room) return false;
      room -= last;
      return true;
    },
    giveBack() {
      room += last;
    },
    leave(entry) {
      left.push(entry);
      return left.length < MOST_LEFT;
    },
  };
}

/** Whether this request was granted any of these before. */
export function isRepeat(
  records: readonly ({ readonly requestId: string | null; readonly leaseUntil: number | null } | undefined)[],
  requestId: string,
): boolean {
  return records.some((record) => record !== undefined && record.leaseUntil !== null && record.requestId === requestId);
}
