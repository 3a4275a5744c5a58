import { Bell } from './signals.ts';

/** Places of which there are `size` at once. What waits to take some comes before what is new. */
export class Slots {
  readonly #size: number;
  readonly #bell = new Bell();
  #taken = 0;
  #waiting = 0;
  /** Resolves when the last of those who wait to take some has had its turn. */
  #turn: Promise<void> = Promise.resolve();
  /** The fewest that anybody waits for: nobody is woken for less. */
  #least = Infinity;

  constructor(size: number) {
    this.#size = size;
  }

  /** For what is new. */
  get free(): number {
    return this.#waiting > 0 ? 0 : this.#left;
  }

  get #left(): number {
    return this.#size - this.#taken;
  }

  /** Without asking: whoever takes has seen that they are free. */
  take(count: number): void {
    this.#taken += count;
  }

  give(count: number): void {
    this.#taken -= count;
    if (this.#left >= this.#least) this.wake();
  }

  /** Resolves when `least` or more may be free, or at `wake`: look again. */
  async changed(least: number): Promise<void> {
    this.#least = Math.min(this.#least, least);
    await this.#bell.wait();
  }

  /**
   * Takes up to `most` as soon as `least` are free, and says how many; none once the signal has aborted. `wake` makes it look at that. In
   * the order of the calls: who wants many would wait for ever behind others that want few.
   */
  async takeBack({ least, most }: { least: number; most: number }, signal: AbortSignal): Promise<number> {
    const before = this.#waiting > 0 ? this.#turn : null;
    let over = (): void => undefined;
    this.#turn = new Promise((resolve) => (over = resolve));
    this.#waiting += 1;
    if (before !== null) await before;
    while (this.#left < least && !signal.aborted) await this.changed(least);
    this.#waiting -= 1;
    const count = signal.aborted ? 0 : Math.min(most, this.#left);
    this.take(count);
    over();
    // Whoever is new was told that nothing is free.
    if (this.#waiting === 0) this.wake();
    return count;
  }

  wake(): void {
    this.#least = Infinity;
    this.#bell.ring();
  }
}
