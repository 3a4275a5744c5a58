import { Bell } from './signals.ts';

/** The send slots of a worker. What waits to have slots back comes before what is new. */
export class Slots {
  readonly #size: number;
  readonly #bell = new Bell();
  #taken = 0;
  #waiting = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** For what is new. */
  get free(): number {
    return this.#waiting > 0 ? 0 : this.#size - this.#taken;
  }

  /** Without asking: whoever takes has seen that they are free. */
  take(count: number): void {
    this.#taken += count;
  }

  give(count: number): void {
    if (count === 0) return;
    this.#taken -= count;
    this.#bell.ring();
  }

  /** Resolves when something has changed. */
  changed(): Promise<void> {
    return this.#bell.wait();
  }

  /** Takes up to `most` as soon as any are free, and says how many; none once the signal has aborted. `wake` makes it look at that. */
  async takeBack(most: number, signal: AbortSignal): Promise<number> {
    this.#waiting += 1;
    while (this.#taken >= this.#size && !signal.aborted) await this.#bell.wait();
    this.#waiting -= 1;
    const count = signal.aborted ? 0 : Math.min(most, this.#size - this.#taken);
    this.take(count);
    // Whoever is new was told that nothing is free.
    if (this.#waiting === 0) this.#bell.ring();
    return count;
  }

  wake(): void {
    this.#bell.ring();
  }
}
