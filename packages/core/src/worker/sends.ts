import { reasonOf } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import type { ReceivedWake } from '../ports/queue.ts';
import type { Context } from '../stages/context.ts';
import { send, SendCall, type Marked } from '../stages/deliver.ts';
import type { Health } from './health.ts';
import type { Ended, Settler } from './settler.ts';
import { Bell, Crew } from './signals.ts';

const NO_ANSWER: Outcome = { kind: 'unknown', reason: 'no answer before the send deadline' };

interface Open {
  readonly call: SendCall;
  readonly wakes: readonly ReceivedWake[];
}

export interface SendsParts {
  readonly settler: Settler;
  readonly health: Health;
  /** So many calls have been answered or given up: their slots are free. */
  readonly answered: (count: number) => void;
}

/**
 * The calls of providers that are under way. One watch for all of them: a call without an answer at its deadline is settled as unknown,
 * and what its provider says later is kept as evidence.
 */
export class Sends {
  readonly #context: Context;
  readonly #settler: Settler;
  readonly #freeSlots: (count: number) => void;
  readonly #crew: Crew;
  readonly #open = new Map<Marked, Open>();
  #watch: AbortController | null = null;
  /** Until when the watch sleeps. */
  #watchUntil = 0;
  readonly #idle = new Bell();

  constructor(context: Context, { settler, health, answered }: SendsParts) {
    this.#context = context;
    this.#settler = settler;
    this.#freeSlots = answered;
    this.#crew = new Crew((thrown) => health.noted('work', thrown));
  }

  start(items: readonly Marked[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): void {
    for (const item of items) {
      const call = new SendCall(item);
      this.#open.set(item, { call, wakes: wakes.get(item.prepared.granted.record.id) ?? [] });
      this.#crew.add(
        send(this.#context, item, call).then(
          (outcome) => this.#answered(item, outcome),
          // It never rejects; should it, the slot must come back, and whether anything left is not known.
          (thrown) => this.#answered(item, { kind: 'unknown', reason: `the send broke: ${reasonOf(thrown)}` }),
        ),
      );
    }
    if (this.#watch === null) this.#crew.add(this.#watchOver());
    // An expiry may end sooner than what the watch sleeps for.
    else if (items.some(({ monotonicDeadline }) => monotonicDeadline < this.#watchUntil)) this.#watch.abort('sooner');
  }

  #answered(item: Marked, outcome: Outcome): void {
    const open = this.#open.get(item);
    this.#open.delete(item);
    if (open !== undefined) this.#ended({ item, outcome, wakes: open.wakes, late: false });
    // It was given up: only what is known now is worth telling.
    else if (outcome.kind !== 'unknown') this.#settler.add({ item, outcome, wakes: [], late: true });
    if (this.#open.size > 0) return;
    this.#watch?.abort('done');
    this.#idle.ring();
  }

  #ended(ended: Ended): void {
    this.#settler.add(ended);
    this.#freeSlots(1);
  }

  async #watchOver(): Promise<void> {
    const { clock } = this.#context;
    try {
      while (this.#open.size > 0) {
        this.#watch = new AbortController();
        this.#watchUntil = earliest(this.#open.keys());
        await clock.sleep(Math.max(0, this.#watchUntil - clock.monotonic()), this.#watch.signal);
        this.#giveUpLate(clock.monotonic());
      }
    } finally {
      // However it ended: the next send starts another watch.
      this.#watch = null;
    }
  }

  #giveUpLate(now: number): void {
    for (const [item, { call, wakes }] of this.#open) {
      if (item.monotonicDeadline > now) continue;
      this.#open.delete(item);
      call.abort();
      this.#ended({ item, outcome: NO_ANSWER, wakes, late: false });
    }
    if (this.#open.size === 0) this.#idle.ring();
  }

  /** Resolves when every call has ended or was given up: one that was may hang for ever. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await this.#idle.wait();
  }
}

function earliest(items: Iterable<Marked>): number {
  let least = Infinity;
  for (const { monotonicDeadline } of items) least = Math.min(least, monotonicDeadline);
  return least;
}
