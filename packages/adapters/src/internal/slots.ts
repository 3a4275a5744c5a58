import { whenOver, type Deadline } from './deadline.ts';

/** So many at a time, first come, first served. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** False when none came free in time. Whoever got one gives it back. */
  take(deadline: Deadline): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const got = (): void => {
        stop();
        resolve(true);
      };
      const stop = whenOver(deadline.startMs(), deadline.signal, () => {
        this.#waiting.splice(this.#waiting.indexOf(got), 1);
        resolve(false);
      });
      this.#waiting.push(got);
    });
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
