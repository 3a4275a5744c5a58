/** A bell that many may wait for: `ring` wakes all who wait now. */
export class Bell {
  #waiting: (() => void)[] = [];

  /** Resolves at the next ring. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  ring(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Work that runs beside the loops and is awaited before the worker is gone: no promise floats, and no failure goes unheard. */
export class Crew {
  readonly #running = new Set<Promise<unknown>>();
  readonly #onFailure: (thrown: unknown) => void;

  constructor(onFailure: (thrown: unknown) => void) {
    this.#onFailure = onFailure;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Takes `work` in. What it rejects with goes to `onFailure`, once, when it happens. */
  add(work: Promise<unknown>): void {
    this.#running.add(work);
    const done = (): void => void this.#running.delete(work);
    work.then(done, (thrown: unknown) => {
      done();
      this.#onFailure(thrown);
    });
  }

  /** Resolves when all of it has ended, however. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
