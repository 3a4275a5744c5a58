import { randomUUID } from 'node:crypto';

/** How long others stand back at most, should this process die: longer than a call over a hundred thousand deliveries takes. */
const RESERVED_MS = 15_000;

/**
 * A call over many deliveries (the cancel of a running campaign) would lose every race against the workers that write one of them. Once
 * it has lost for a while it asks them to stand back. That is a courtesy: what is right rests on versions.
 */
export interface Reservation {
  /** Null: none was asked for. */
  readonly name: string | null;
  /** Takes it, or keeps it; another call's is waited for. */
  take(): Promise<void>;
  giveBack(): Promise<void>;
}

export interface Reservable {
  reserve(name: string, forMs: number): Promise<void>;
  giveBack(name: string): Promise<void>;
}

export function reservation(store: Reservable): Reservation {
  let name: string | null = null;
  return {
    get name() {
      return name;
    },
    async take() {
      name ??= randomUUID();
      await store.reserve(name, RESERVED_MS);
    },
    async giveBack() {
      if (name !== null) await store.giveBack(name);
    },
  };
}
