/** A journal of how to take back the last writes, for a store that has to lose its memory on purpose. */
export interface Undo {
  /** False: nothing is kept, and nothing can be lost. */
  readonly isOn: boolean;
  /** Call it after the write, with what takes it back. */
  note(restore: () => void): void;
  /** Takes back every write of the last `lastMs`, newest first; answers how many. */
  rollBack(lastMs: number): number;
}

interface Entry {
  readonly at: number;
  readonly restore: () => void;
}

export function undoJournal(keepMs: number, now: () => number): Undo {
  const isOn = keepMs > 0;
  let entries: Entry[] = [];
  let from = 0;

  function forget(before: number): void {
    while (from < entries.length && (entries[from] as Entry).at < before) from += 1;
    if (from < 4_096 || from * 2 < entries.length) return;
    entries = entries.slice(from);
    from = 0;
  }

  return {
    isOn,
    note(restore) {
      if (!isOn) return;
      const at = now();
      entries.push({ at, restore });
      forget(at - keepMs);
    },
    rollBack(lastMs) {
      const after = now() - lastMs;
      let taken = 0;
      for (
        let last = entries.at(-1);
        last !== undefined && entries.length > from && last.at > after;
        last = entries.at(-1)
      ) {
        entries.pop();
        last.restore();
        taken += 1;
      }
      return taken;
    },
  };
}
