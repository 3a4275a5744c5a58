import { systemClock } from '@sendonce/core/system';
import { Ring } from '../queue/ring.ts';
import { nameOf, type Box, type InboxStore, type Owner } from './store.ts';
import { tokenOf } from './tokens.ts';

/** As long as a timer can wait; the poll and the ring end it. */
const FOR_EVER_MS = 2 ** 31 - 1;

interface Feed {
  readonly ring: Ring;
  readonly stop: AbortController;
  users: number;
}

/** One look at the store for each inbox that is watched, however many watch it. */
export class Feeds {
  readonly #store: Pick<InboxStore, 'box'>;
  readonly #pollMs: number;
  readonly #feeds = new Map<string, Feed>();
  readonly #closed = new AbortController();

  constructor(store: Pick<InboxStore, 'box'>, pollMs: number) {
    this.#store = store;
    this.#pollMs = pollMs;
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Something was written here. */
  ring(owner: Owner): void {
    this.#feeds.get(nameOf(owner))?.ring.ring();
  }

  /** Until the caller gives it back. */
  open(owner: Owner): {
    readonly count: number;
    wait(seen: number, signal?: AbortSignal): Promise<void>;
    leave(): void;
  } {
    const name = nameOf(owner);
    const feed = this.#feeds.get(name) ?? this.#begin(name, owner);
    feed.users += 1;
    return {
      get count() {
        return feed.ring.count;
      },
      wait: (seen, signal) => feed.ring.wait(seen, FOR_EVER_MS, signal),
      leave: () => {
        feed.users -= 1;
        if (feed.users > 0) return;
        this.#feeds.delete(name);
        feed.stop.abort();
      },
    };
  }

  close(): void {
    this.#closed.abort();
    for (const { ring, stop } of this.#feeds.values()) {
      stop.abort();
      ring.ring();
    }
  }

  #begin(name: string, owner: Owner): Feed {
    const feed: Feed = { ring: new Ring(), stop: new AbortController(), users: 0 };
    this.#feeds.set(name, feed);
    void this.#poll(owner, feed);
    return feed;
  }

  /** Never rejects: a store that is out of reach is asked again, and whoever watches goes on when it is back. */
  async #poll(owner: Owner, { ring, stop: { signal } }: Feed): Promise<void> {
    let seen: string | null = null;
    while (!signal.aborted) {
      await systemClock.sleep(this.#pollMs, signal);
      if (signal.aborted) return;
      try {
        const now = momentOf(await this.#store.box(owner));
        if (now !== seen) ring.ring();
        seen = now;
      } catch {
        // Asked again.
      }
    }
  }
}

function momentOf(box: Box | null): string {
  return tokenOf(box, box?.seq ?? 0);
}
