import type { ClaimVerdict } from '../ports/ledger.ts';
import type { Queue, ReceivedWake } from '../ports/queue.ts';
import { Crew } from './signals.ts';

/** After "somebody else holds it", how much longer than the remaining lease the wake sleeps, ms. */
const BEYOND_LEASE_MS = 500;

/** What to do with a wake (PROTOCOL rule 5). Acks and releases run beside the work: a lost one is a wake too many, no more. */
export class Wakes {
  readonly #queue: Queue | null;
  readonly #crew = new Crew(ignore);

  constructor(queue: Queue | null) {
    this.#queue = queue;
  }

  /** Judged at the claim's verdict. */
  byVerdict(verdict: Exclude<ClaimVerdict<unknown>, { kind: 'granted' }>, wakes: readonly ReceivedWake[]): void {
    switch (verdict.kind) {
      case 'held':
        this.later(wakes, verdict.remainingMs);
        return;
      case 'absent':
        this.later(wakes, BEYOND_LEASE_MS);
        return;
      case 'later':
      case 'settled':
      case 'unknown':
      case 'stray':
        this.ack(wakes);
    }
  }

  ack(wakes: readonly ReceivedWake[]): void {
    const queue = this.#queue;
    if (queue !== null && wakes.length > 0) this.#run(wakes, queue.capabilities.maxBatch, (batch) => queue.ack(batch));
  }

  /** Gives the wakes back, to come again after the lease that stands in the way. */
  later(wakes: readonly ReceivedWake[], remainingMs: number): void {
    const queue = this.#queue;
    if (queue === null || wakes.length === 0) return;
    const delayMs = Math.min(remainingMs + BEYOND_LEASE_MS, queue.capabilities.maxDelayMs);
    this.#run(wakes, queue.capabilities.maxBatch, (batch) => queue.release(batch, { delayMs }));
  }

  settled(): Promise<void> {
    return this.#crew.settled();
  }

  #run(wakes: readonly ReceivedWake[], size: number, call: (batch: readonly ReceivedWake[]) => Promise<unknown>): void {
    for (let at = 0; at < wakes.length; at += size)
      this.#crew.add(call(wakes.length <= size ? wakes : wakes.slice(at, at + size)));
  }
}

/** The visibility timeout brings an unacked wake back, and its record says that it is done. That the queue failed is said where it is called. */
const ignore = (): void => undefined;
