import type { Clock } from '../ports/clock.ts';

/** A sleep that may be cut short from within the process: new work, or the end. */
export class Nap {
  readonly #clock: Clock;
  #alarm: AbortController | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async sleep(ms: number): Promise<void> {
    this.#alarm = new AbortController();
    await this.#clock.sleep(ms, this.#alarm.signal);
    this.#alarm = null;
  }

  wake(): void {
    this.#alarm?.abort(WOKEN);
  }
}

/** A reason of our own: without one each abort makes an exception with a stack. */
const WOKEN = 'woken';
