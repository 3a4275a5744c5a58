import type { Clock } from '../ports/clock.ts';

/**
 * A sleep that may be cut short from within the process: new work, or the end. A call that comes while nobody sleeps is kept for the
 * next sleep, since whoever is about to lie down has not seen the work that it is about.
 */
export class Nap {
  readonly #clock: Clock;
  #alarm: AbortController | null = null;
  #called = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async sleep(ms: number): Promise<void> {
    if (!this.#called) {
      this.#alarm = new AbortController();
      await this.#clock.sleep(ms, this.#alarm.signal);
      this.#alarm = null;
    }
    this.#called = false;
  }

  wake(): void {
    this.#called = true;
    this.#alarm?.abort(WOKEN);
  }
}

/** A reason of our own: without one each abort makes an exception with a stack. */
const WOKEN = 'woken';
