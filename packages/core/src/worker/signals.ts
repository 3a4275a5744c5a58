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
  readonly #idle = new Bell();
  // Made once, not with each piece of work: every send is one.
  readonly #ended: () => void;
  readonly #failed: (thrown: unknown) => void;
  #size = 0;

  constructor(onFailure: (thrown: unknown) => void) {
    this.#ended = () => {
      this.#size -= 1;
      if (this.#size === 0) this.#idle.ring();
    };
    this.#failed = (thrown) => {
      this.#ended();
      onFailure(thrown);
    };
  }

  get size(): number {
    return this.#size;
  }

  /** Takes `work` in. What it rejects with goes to `onFailure`, once, when it happens. */
  add(work: Promise<unknown>): void {
    this.#size += 1;
    work.then(this.#ended, this.#failed);
  }

  /** Resolves when all of it has ended, however. */
  async settled(): Promise<void> {
    while (this.#size > 0) await this.#idle.wait();
  }
}
