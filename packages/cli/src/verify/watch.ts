/** Too long, and what had been asked of the adapter and was not answered. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/**
 * Counts the time that an adapter takes over one law: what the law lets pass by itself is not counted. Once it is over, every call of
 * the law fails, so that it ends.
 */
export class Watch {
  readonly late: Promise<never>;
  readonly #limitMs: number;
  readonly #pending = new Set<string>();
  #fail: (error: Error) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #leftMs: number;
  #since = 0;
  #pauses = 0;
  #error: Error | null = null;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
    this.late = new Promise((_, reject) => (this.#fail = reject));
    // Nobody may be waiting for it any more.
    this.late.catch(() => undefined);
    this.#start();
  }

  /** Every call of the port is noted while it is not answered. */
  port<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: readonly unknown[]) => {
          this.#check();
          const answer: unknown = Reflect.apply(value, target, args);
          this.#note(String(name), answer);
          return answer;
        };
      },
    });
  }

  get isOver(): boolean {
    return this.#error !== null;
  }

  async letPass(elapse: () => Promise<void>): Promise<void> {
    this.#check();
    this.#pauses += 1;
    if (this.#pauses === 1) this.#stop();
    try {
      await elapse();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0 && this.#error === null) this.#start();
    }
  }

  /** Ends the law under way, and the counting. */
  end(error: Error = new Error('the law is over')): void {
    this.#stop();
    if (this.#error !== null) return;
    this.#error = error;
    this.#fail(error);
  }

  #check(): void {
    if (this.#error !== null) throw this.#error;
  }

  #note(name: string, answer: unknown): void {
    const call = `${name}()`;
    this.#pending.add(call);
    const over = (): void => void this.#pending.delete(call);
    Promise.resolve(answer).then(over, over);
  }

  #start(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      const asked = this.#pending.size === 0 ? 'it' : [...this.#pending].join(' and ');
      this.end(new TooLate(`${asked} gave no answer: the law was given up after ${this.#limitMs} ms`));
    }, this.#leftMs);
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#since));
  }
}
