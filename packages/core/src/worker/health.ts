import { reasonOf } from '../model/errors.ts';
import type { Context } from '../stages/context.ts';

/** Longest wait between tries while the ledger or queue is out of reach, ms. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Store down: neither open nor closed silently. Says `degraded` once, waits longer from failure to failure, says `recovered`, and
 * remembers when something was last settled.
 */
export class Health {
  readonly #context: Context;
  readonly #worker: string;
  #failures = 0;
  lastProgressAt: number;
  saidNoProgress = false;

  constructor(context: Context, worker: string) {
    this.#context = context;
    this.#worker = worker;
    this.lastProgressAt = context.clock.monotonic();
  }

  get degraded(): boolean {
    return this.#failures > 0;
  }

  worked(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#context.emit({ kind: 'worker.recovered', at: this.#context.clock.now(), worker: this.#worker });
  }

  progressed(): void {
    this.lastProgressAt = this.#context.clock.monotonic();
    this.saidNoProgress = false;
  }

  /** Waits before the next try; without a signal also while the worker stops. */
  async failed(thrown: unknown, signal?: AbortSignal): Promise<void> {
    this.#failures += 1;
    const { clock, random, emit } = this.#context;
    if (this.#failures === 1)
      emit({ kind: 'worker.degraded', at: clock.now(), worker: this.#worker, reason: reasonOf(thrown) });
    const waitMs = Math.min(100 * 2 ** Math.min(this.#failures, 10), LONGEST_WAIT_MS);
    await clock.sleep(Math.ceil(waitMs * (0.5 + random.next() / 2)), signal);
  }
}
