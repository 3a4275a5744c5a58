import type { Clock } from '../ports/clock.ts';
import { inTime } from '../stages/in-time.ts';

/**
 * How long nothing may come of a type that somebody waits for, ms. Shorter waits are what a template service or a database takes. Beside
 * types that are stuck already it is a part of that, or fifty of them would use up all of it one after another.
 */
const PATIENCE_MS = 5_000;

interface Wait {
  waiting: number;
  /** When something last came, or began to be waited for. */
  movedAt: number;
  isStuck: boolean;
}

/**
 * Tells what is slow from what is stuck, by type: slow work comes, batch after batch, and its slots keep it from running away; of
 * stuck work nothing comes.
 */
export class Patience {
  readonly #clock: Clock;
  readonly #waits = new Map<string, Wait>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What the work comes to; null once its type is stuck, until something of it has come. */
  async waitFor<T>(type: string, work: Promise<T>): Promise<T | null> {
    const wait = this.#waitOf(type);
    if (wait.waiting === 0) wait.movedAt = this.#clock.monotonic();
    wait.waiting += 1;
    try {
      while (!wait.isStuck) {
        const leftMs = wait.movedAt + PATIENCE_MS / (1 + this.#stuck()) - this.#clock.monotonic();
        if (leftMs <= 0) wait.isStuck = true;
        else {
          const come = await inTime(this.#clock, work, leftMs, () => null);
          if (come !== null) return come;
        }
      }
      return null;
    } finally {
      wait.waiting -= 1;
    }
  }

  moved(type: string): void {
    const wait = this.#waitOf(type);
    wait.movedAt = this.#clock.monotonic();
    wait.isStuck = false;
  }

  /** How many types are. */
  #stuck(): number {
    let count = 0;
    for (const { isStuck } of this.#waits.values()) if (isStuck) count += 1;
    return count;
  }

  #waitOf(type: string): Wait {
    const known = this.#waits.get(type);
    if (known !== undefined) return known;
    const wait: Wait = { waiting: 0, movedAt: 0, isStuck: false };
    this.#waits.set(type, wait);
    return wait;
  }
}
