import type { ReceivedWake } from '@sendonce/core';
import { Ring } from '../queue/ring.ts';

/** The wakes of one invocation: each is handed out once, and is either done or comes again. */
export class Invocation {
  readonly #ring = new Ring();
  readonly #open: Map<string, ReceivedWake>;
  #waiting: readonly ReceivedWake[];
  readonly #again = new Set<string>();

  constructor(wakes: readonly ReceivedWake[]) {
    this.#waiting = wakes;
    this.#open = new Map(wakes.map((wake) => [wake.receipt, wake]));
  }

  take(max: number): readonly ReceivedWake[] {
    const taken = this.#waiting.slice(0, max);
    this.#waiting = this.#waiting.slice(max);
    return taken;
  }

  done({ receipt }: ReceivedWake): void {
    this.#close(receipt);
  }

  again({ receipt }: ReceivedWake): void {
    this.#again.add(receipt);
    this.#close(receipt);
  }

  /** Until everything is judged, or the time is up. */
  async judged(ms: number): Promise<void> {
    const untilMs = performance.now() + ms;
    while (this.#open.size > 0 && performance.now() < untilMs)
      await this.#ring.wait(this.#ring.count, untilMs - performance.now());
  }

  /** The receipts of what has to come again: released, or not judged. */
  get unfinished(): ReadonlySet<string> {
    return new Set([...this.#again, ...this.#open.keys()]);
  }

  #close(receipt: string): void {
    if (this.#open.delete(receipt)) this.#ring.ring();
  }
}
