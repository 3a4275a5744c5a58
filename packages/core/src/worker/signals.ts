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

/** Work that runs beside the loops and is awaited before the worker is gone: no promise floats. */
export class Crew {
  readonly #running = new Set<Promise<void>>();

  get size(): number {
    return this.#running.size;
  }

  /** Runs `work`; it must handle its own errors, a rejection surfaces in `settled`. */
  add(work: Promise<void>): void {
    this.#running.add(work);
    const done = (): void => void this.#running.delete(work);
    work.then(done, done);
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
