/** Slots in the order in which they came: as ranges, for those of one notification mostly follow each other. */
export interface SlotRanges extends Iterable<number> {
  push(slot: number): void;
  /** Those from this one on. */
  from(slot: number): Iterable<number>;
}

export function slotRanges(): SlotRanges {
  /** First and last of each range. */
  const bounds: number[] = [];
  function* from(first: number): Generator<number> {
    for (let i = 0; i < bounds.length; i += 2)
      for (let slot = Math.max(first, bounds[i] as number); slot <= (bounds[i + 1] as number); slot += 1) yield slot;
  }

  return {
    push(slot) {
      if (bounds.at(-1) === slot - 1) bounds[bounds.length - 1] = slot;
      else bounds.push(slot, slot);
    },
    from,
    [Symbol.iterator]: () => from(0),
  };
}
