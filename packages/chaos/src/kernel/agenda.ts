/** Something that happens at a virtual time. */
export interface Entry {
  /** Its place among everything due at the same instant: a hash of what it is, never the order of creation. */
  readonly rank: number;
  /** Set by `cancel`; a cancelled entry costs nothing more. */
  cancelled: boolean;
  /** The instant it waits in; the agenda's own. */
  instant: Instant | null;
  fire(): void;
}

/** All that is due at one virtual time. */
export interface Instant {
  readonly at: number;
  readonly entries: Entry[];
  /** Entries that are not cancelled. */
  live: number;
}

/** What is to come, by time. An instant whose entries were all cancelled is skipped without being visited. */
export class Agenda {
  readonly #instants = new Map<number, Instant>();
  /** Binary heap of the times in `#instants`. */
  readonly #times: number[] = [];

  add(at: number, entry: Entry): void {
    let instant = this.#instants.get(at);
    if (instant === undefined) {
      instant = { at, entries: [], live: 0 };
      this.#instants.set(at, instant);
      this.#push(at);
    }
    instant.entries.push(entry);
    instant.live++;
    entry.instant = instant;
  }

  cancel(entry: Entry): void {
    if (entry.cancelled) return;
    entry.cancelled = true;
    if (entry.instant !== null) entry.instant.live--;
    entry.instant = null;
  }

  /** The time of the next thing to happen, or Infinity. */
  nextAt(): number {
    for (;;) {
      const at = this.#times[0];
      if (at === undefined) return Infinity;
      if ((this.#instants.get(at)?.live ?? 0) > 0) return at;
      this.#drop();
    }
  }

  /** Takes the next instant out, its entries in order. What is added at the same time from now on is an instant of its own. */
  take(): Instant | null {
    const at = this.nextAt();
    const instant = this.#instants.get(at);
    if (instant === undefined) return null;
    this.#drop();
    sortByRank(instant.entries);
    return instant;
  }

  #push(at: number): void {
    const times = this.#times;
    let i = times.push(at) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if ((times[parent] as number) <= at) break;
      times[i] = times[parent] as number;
      i = parent;
    }
    times[i] = at;
  }

  #drop(): void {
    const times = this.#times;
    this.#instants.delete(times[0] as number);
    const last = times.pop() as number;
    const size = times.length;
    if (size === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= size) break;
      if (child + 1 < size && (times[child + 1] as number) < (times[child] as number)) child++;
      if ((times[child] as number) >= last) break;
      times[i] = times[child] as number;
      i = child;
    }
    times[i] = last;
  }
}

/** Most instants have a handful of entries, for which the engine's sort would make lists of its own (measured: a third of its time). */
const FEW = 16;

function sortByRank(entries: Entry[]): void {
  if (entries.length > FEW) {
    entries.sort((a, b) => a.rank - b.rank);
    return;
  }
  for (let i = 1; i < entries.length; i++) {
    const entry = entries[i] as Entry;
    let at = i;
    for (; at > 0 && (entries[at - 1] as Entry).rank > entry.rank; at--) entries[at] = entries[at - 1] as Entry;
    entries[at] = entry;
  }
}
