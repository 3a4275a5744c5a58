import { hash32 } from '../random.ts';

/** From a text to the slots that may carry it. Holds hashes only; whether a slot really does is asked of its owner. */
export interface HashIndex {
  /** The first slot that carries the text, or -1. */
  readonly find: (text: string) => number;
  readonly add: (text: string, slot: number) => void;
}

const EMPTY = -1;

/** Open addressing with linear probing, at most half full. Entries are never removed: an outdated one fails `carries`. */
export function hashIndex(carries: (slot: number, text: string) => boolean): HashIndex {
  let capacity = 256;
  let hashes = new Uint32Array(capacity);
  let slots = new Int32Array(capacity).fill(EMPTY);
  let count = 0;

  function put(hash: number, slot: number): void {
    let at = hash & (capacity - 1);
    while (slots[at] !== EMPTY) at = (at + 1) & (capacity - 1);
    hashes[at] = hash;
    slots[at] = slot;
  }

  function grow(): void {
    const [oldHashes, oldSlots] = [hashes, slots];
    capacity *= 2;
    hashes = new Uint32Array(capacity);
    slots = new Int32Array(capacity).fill(EMPTY);
    for (let i = 0; i < oldSlots.length; i += 1)
      if (oldSlots[i] !== EMPTY) put(oldHashes[i] as number, oldSlots[i] as number);
  }

  return {
    find(text) {
      const hash = hash32(text);
      for (let at = hash & (capacity - 1); slots[at] !== EMPTY; at = (at + 1) & (capacity - 1))
        if (hashes[at] === hash && carries(slots[at] as number, text)) return slots[at] as number;
      return -1;
    },
    add(text, slot) {
      if ((count + 1) * 2 > capacity) grow();
      count += 1;
      put(hash32(text), slot);
    },
  };
}
