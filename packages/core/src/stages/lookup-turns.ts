import type { Clock } from '../ports/clock.ts';

/** How long a provider may take to answer a lookup, and how long a lookup waits for its turn, ms: everybody waits for the sweeper. */
export const LOOKUP_LIMIT_MS = 10_000;

/**
 * Lookups in flight per worker. A sweep may hand out hundreds of records after an outage; a provider that has just come back must not
 * meet them all at one instant, and few allow more than some dozens of requests a second.
 */
const AT_ONCE = 50;

/** Lets the lookups of one sweep go a bounded number at a time, first come first served, as long as there is time for another. */
export class LookupTurns {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #until: number;
  /** One listener for all lookups: a signal that many listen to at once makes Node warn of a leak. */
  readonly #lookups = new Set<AbortController>();
  #waiting: (() => void)[] = [];
  #going = 0;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#until = clock.monotonic() + LOOKUP_LIMIT_MS;
    signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** What the work comes to when its turn comes; null when it does not come in time, or the worker stops first. */
  async take<T>(work: (lookups: Set<AbortController>) => Promise<T>): Promise<T | null> {
    if (this.#going >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#going += 1;
    try {
      if (this.#signal.aborted || this.#clock.monotonic() >= this.#until) return null;
      return await work(this.#lookups);
    } finally {
      // A turn is handed on, so that nobody who comes now gets before those who wait.
      const next = this.#waiting.shift();
      if (next === undefined) this.#going -= 1;
      else next();
    }
  }

  readonly #stop = (): void => {
    for (const lookup of this.#lookups) lookup.abort();
  };

  close(): void {
    this.#signal.removeEventListener('abort', this.#stop);
  }
}
