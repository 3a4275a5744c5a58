const LOOK_EVERY_MS = 10;

/** How long this process was kept from looking at anything: by a call that does not wait, or by a busy machine. */
export class Stalls {
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<{ longestMs: number }>();
  #lookedAt = performance.now();

  constructor() {
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Answers a function that tells the longest stall since now, ms. */
  since(): () => number {
    const each = { longestMs: 0 };
    this.#look();
    this.#open.add(each);
    return () => {
      this.#look();
      this.#open.delete(each);
      return each.longestMs;
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    const stalledMs = now - this.#lookedAt - LOOK_EVERY_MS;
    this.#lookedAt = now;
    for (const each of this.#open) each.longestMs = Math.max(each.longestMs, stalledMs);
  }
}
