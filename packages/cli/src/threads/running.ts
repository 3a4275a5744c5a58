/** The fields of the shared memory. */
const NOW = 0;
const AWAITED = 1;
const TICKS = 2;
const EXITED = 3;
const FIELDS = 4;

/** The numbers below those of the user's functions. */
export const NOTHING = 0;
export const LOADING = 1;

export function runningMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(FIELDS * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Which of the user's functions is running, by number, in memory that the process can read while the thread that runs it is stuck in
 * an endless loop and answers nobody.
 */
export class Running {
  readonly #fields: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#fields = new Int32Array(memory);
  }

  /** The function that runs now, or whose promise is awaited; NOTHING: none. */
  get what(): number {
    const now = Atomics.load(this.#fields, NOW);
    return now === NOTHING ? Atomics.load(this.#fields, AWAITED) : now;
  }

  /** Rises as long as the thread comes round to anything else. */
  get ticks(): number {
    return Atomics.load(this.#fields, TICKS);
  }

  /** Whether the user's code asked for the end of the process. */
  get hasExited(): boolean {
    return Atomics.load(this.#fields, EXITED) === 1;
  }

  tick(): void {
    Atomics.add(this.#fields, TICKS, 1);
  }

  exit(): void {
    Atomics.store(this.#fields, EXITED, 1);
  }

  /** Runs one function, `what` by number. */
  run<Result>(what: number, action: () => Result): Result {
    const outer = Atomics.exchange(this.#fields, NOW, what);
    try {
      const result = action();
      if (result instanceof Promise) this.#await(what, result);
      return result;
    } finally {
      Atomics.store(this.#fields, NOW, outer);
    }
  }

  /** Several may be awaited at once: the last one is told. */
  #await(what: number, promise: Promise<unknown>): void {
    Atomics.store(this.#fields, AWAITED, what);
    const settled = (): void => void Atomics.compareExchange(this.#fields, AWAITED, what, NOTHING);
    promise.then(settled, settled);
  }
}
