import type { Clock } from '../ports/clock.ts';
import type { Destinations } from '../ports/destinations.ts';
import { destinationsOver, type StoredDocument } from '../records/index.ts';

export interface MemoryDestinationsOptions {
  readonly clock: Clock;
}

interface Kept extends StoredDocument {
  readonly mark: string | null;
}

/** Destinations in this process: not durable. */
export function memoryDestinations({ clock }: MemoryDestinationsOptions): Destinations {
  const kept = new Map<string, Kept>();
  return destinationsOver({
    async read(keys) {
      return { now: clock.now(), found: keys.map((key) => kept.get(key) ?? null) };
    },
    async write(changes) {
      if (changes.some(({ key, was }) => (kept.get(key)?.stamp ?? null) !== was)) return false;
      for (const { key, document, mark } of changes)
        if (document === null) kept.delete(key);
        else kept.set(key, { ...document, mark });
      return true;
    },
    async scan({ mark, after, max }) {
      const found = [...kept].filter(([key, each]) => each.mark === mark && key > after);
      found.sort(([a], [b]) => (a < b ? -1 : 1));
      return found.slice(0, max).map(([key, { text }]) => ({ key, text }));
    },
    async close() {
      // Nothing to let go.
    },
  });
}
