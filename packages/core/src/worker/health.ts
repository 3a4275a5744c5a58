import { reasonOf } from '../model/errors.ts';
import type { Context } from '../stages/context.ts';

/**
 * What may fail: a port that is called again and again (`ledger`, `queue`), the queue where a call is a hint (`wakes`), or the `work`
 * itself, which is a bug, ours or of what the config gave us.
 */
export type Part = 'ledger' | 'queue' | 'wakes' | 'work';

/** Longest wait between tries while the ledger or queue is out of reach, ms. */
const LONGEST_WAIT_MS = 5_000;
/** Nothing tries these again by itself, so a failure is over when it has not come again for this long, ms. */
const FADES_MS: Partial<Record<Part, number>> = { wakes: 10_000, work: 60_000 };
/** Reasons told in one spell of trouble: an outage has one or two, and telemetry is not a log. */
const REASONS_TOLD = 10;

export interface Retrying {
  /** How often in a row this has failed where it is tried: what works elsewhere meanwhile says nothing about it. */
  readonly times: number;
  /** Ends the wait; without one it lasts also while the worker stops. */
  readonly signal?: AbortSignal;
}

/**
 * Neither open nor closed silently: says `degraded` once per reason, waits longer from failure to failure, says `recovered` when
 * nothing fails any more, and remembers when something was last settled.
 */
export class Health {
  readonly #context: Pick<Context, 'clock' | 'random' | 'emit'>;
  readonly #worker: string;
  /** When it last failed, of each part that does. */
  readonly #failing = new Map<Part, number>();
  readonly #told = new Set<string>();
  lastProgressAt: number;
  saidNoProgress = false;
  #isDead = false;

  constructor(context: Pick<Context, 'clock' | 'random' | 'emit'>, worker: string) {
    this.#context = context;
    this.#worker = worker;
    this.lastProgressAt = context.clock.monotonic();
  }

  get degraded(): boolean {
    return this.#failing.size > 0 || this.#isDead;
  }

  worked(part: Part): void {
    if (!this.#failing.delete(part)) return;
    // Nobody could make progress while the ledger was away: from now on it counts again.
    if (part === 'ledger') this.progressed();
    this.#recovered();
  }

  progressed(): void {
    this.lastProgressAt = this.#context.clock.monotonic();
    this.saidNoProgress = false;
  }

  /** Makes a failure heard. */
  noted(part: Part, thrown: unknown): void {
    const { clock, emit } = this.#context;
    this.#failing.set(part, clock.monotonic());
    const reason = reasonOf(thrown);
    if (this.#told.has(reason) || this.#told.size >= REASONS_TOLD) return;
    this.#told.add(reason);
    emit({ kind: 'worker.degraded', at: clock.now(), worker: this.#worker, reason });
  }

  /** Makes it heard, and waits before the next try. */
  async failed(part: Part, thrown: unknown, { times, signal }: Retrying): Promise<void> {
    this.noted(part, thrown);
    const { clock, random } = this.#context;
    const waitMs = Math.min(100 * 2 ** Math.min(times, 10), LONGEST_WAIT_MS);
    await clock.sleep(Math.ceil(waitMs * (0.5 + random.next() / 2)), signal);
  }

  /** A part of the worker has ended for good. */
  died(thrown: unknown): void {
    this.#isDead = true;
    this.noted('work', thrown);
  }

  /** Called now and then: what failed once and is not tried by itself does not keep a worker unhealthy for good. */
  fade(): void {
    const now = this.#context.clock.monotonic();
    for (const [part, at] of [...this.#failing]) if (now - at >= (FADES_MS[part] ?? Infinity)) this.worked(part);
  }

  #recovered(): void {
    if (this.#failing.size > 0) return;
    this.#told.clear();
    this.#context.emit({ kind: 'worker.recovered', at: this.#context.clock.now(), worker: this.#worker });
  }
}
