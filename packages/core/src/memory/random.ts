import type { Random } from '../ports/clock.ts';

/** Randomness that is the same again for the same seed. Ids are unique within one instance, and across instances as far as their seeds differ. */
export function seededRandom(seed: string | number): Random {
  const prefix = hash32(`id:${seed}`).toString(36);
  let state = hash32(`draw:${seed}`);
  let ids = 0;
  return {
    next() {
      // mulberry32: 32 bits of state are plenty for jitter, and every draw is one multiplication chain.
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
    id() {
      ids += 1;
      return `${prefix}-${ids.toString(36)}`;
    },
  };
}

/** FNV-1a over UTF-16 code units. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
