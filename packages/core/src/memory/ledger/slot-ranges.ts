/** Slots in the order in which they came: as ranges, for those of one notification mostly follow each other. */
export interface SlotRanges extends Iterable<number> {
  push(slot: number): void;
}

export function slotRanges(): SlotRanges {
  /** First and last of each range. */
  const bounds: number[] = [];
  return {
    push(slot) {
      if (bounds.at(-1) === slot - 1) bounds[bounds.length - 1] = slot;
      else bounds.push(slot, slot);
    },
    *[Symbol.iterator]() {
      for (let i = 0; i < bounds.length; i += 2)
        for (let slot = bounds[i] as number; slot <= (bounds[i + 1] as number); slot += 1) yield slot;
    },
  };
}
