import type { Context } from '../stages/context.ts';
import { stepsOf, type HeldNotification, type Step } from '../stages/steps.ts';
import { settledSoon } from '../stages/thenable.ts';

/** A step that took longer than this is slow: nobody waits for it, ms. */
const SLOW_MS = 1_000;
/** Slow steps of one type, after which no other of that type is begun. Each may hold a page of targets and a read of its own. */
const MOST_SLOW = 8;

export interface RoutingParts {
  /** A step has come that nobody waited for. */
  readonly onReady: () => void;
  /** Its step could not be made: a call of the ledger failed. */
  readonly onFailed: (held: HeldNotification, thrown: unknown) => void;
}

/**
 * What the notifications in hand need next. A route may take its time over an answer, and longer still over a million targets: that is
 * not waited for, so that no type's `route` keeps this worker from everybody else's.
 */
export class Routing {
  readonly #context: Context;
  readonly #parts: RoutingParts;
  readonly #stopping = new AbortController();
  /** Since when each is on its way. */
  readonly #going = new Map<HeldNotification, number>();
  #ready: Step[] = [];

  constructor(context: Context, parts: RoutingParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Begins these, and resolves with the steps that are there: theirs, and those that have come since the last call. */
  async take(held: readonly HeldNotification[]): Promise<readonly Step[]> {
    const soon: Step[] = [];
    for (const [at, step] of stepsOf(this.#context, held, this.#stopping.signal).entries()) {
      if (step instanceof Promise) await settledSoon(this.#follow(held[at]!, step));
      else soon.push(step);
    }
    return [...soon, ...this.#ready.splice(0)];
  }

  async #follow(held: HeldNotification, step: Promise<Step>): Promise<void> {
    this.#going.set(held, this.#context.clock.monotonic());
    try {
      const come = await step;
      if (this.#going.delete(held)) this.#ready.push(come);
    } catch (thrown) {
      if (this.#going.delete(held)) this.#parts.onFailed(held, thrown);
    }
    this.#parts.onReady();
  }

  /** How many are on their way that will be there soon, as far as one can tell. */
  get moving(): number {
    return [...this.#going.values()].filter((since) => !this.#isSlow(since)).length;
  }

  /** Whether no more of this type are begun until some of its slow steps have come. */
  isFull(type: string): boolean {
    let slow = 0;
    for (const [{ record }, since] of this.#going) if (record.type === type && this.#isSlow(since)) slow += 1;
    return slow >= MOST_SLOW;
  }

  #isSlow(since: number): boolean {
    return this.#context.clock.monotonic() - since >= SLOW_MS;
  }

  /** Follows none of them any further, and says which these are. */
  stop(): readonly HeldNotification[] {
    this.#stopping.abort('stopping');
    const left = [...this.#going.keys(), ...this.#ready.map(({ held }) => held)];
    this.#going.clear();
    this.#ready = [];
    return left;
  }
}
