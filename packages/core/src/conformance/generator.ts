/** A small seeded generator, so that a random history can be had again from the number in its law. */
export interface Generator {
  /** 0 to `below - 1`. */
  integer(below: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T | undefined;
  shuffle<T>(items: readonly T[]): T[];
}

export function generator(seed: number): Generator {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 0;

  // mulberry32
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const integer = (below: number): number => Math.floor(next() * below);

  return {
    integer,
    chance: (probability) => next() < probability,
    pick: (items) => items[integer(items.length)],
    shuffle(items) {
      const shuffled = [...items];
      for (let i = shuffled.length - 1; i > 0; i -= 1) {
        const j = integer(i + 1);
        [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
      }
      return shuffled;
    },
  };
}
