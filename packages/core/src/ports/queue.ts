/** A hint that a record is due. Carries an id and nothing personal. */
export interface Wake {
  /** A notification or delivery id (its prefix says which). */
  readonly id: string;
}

export interface ReceivedWake extends Wake {
  /** Names this receipt for ack, release and extend; a later receipt of the same message has another. */
  readonly receipt: string;
  /** How often this message has been handed out, this time included; >= 1. */
  readonly receives: number;
  /** Milliseconds since it was first enqueued. */
  readonly ageMs: number;
}

export interface QueueCapabilities {
  /** The longest delay that `enqueue` and `release` keep, in ms; longer ones are cut to it. 0: none. */
  readonly maxDelayMs: number;
  /** The most items one call may carry. */
  readonly maxBatch: number;
  /** How long a received wake stays hidden unless extended, in ms. */
  readonly visibilityMs: number;
  /** True when wakes survive a restart of the queue. */
  readonly durable: boolean;
}

/** One result per item, in the order of the request: a partial failure is never a whole one. */
export type ItemResult = { readonly ok: true } | { readonly ok: false; readonly error: string };

/**
 * Where wakes wait. At least once, late, twice, in any order, or not at all: nothing rests on it.
 * Every method may throw when the queue is out of reach.
 */
export interface Queue {
  readonly capabilities: QueueCapabilities;
  /** Stores wakes. Repeating it makes more wakes, which is harmless. */
  enqueue(wakes: readonly Wake[], options?: { readonly delayMs?: number }): Promise<readonly ItemResult[]>;
  /** Up to `max` wakes, waiting at most `waitMs` for the first; [] when none came or the signal aborted. */
  receive(options: {
    readonly max: number;
    readonly waitMs: number;
    readonly signal?: AbortSignal;
  }): Promise<readonly ReceivedWake[]>;
  /** Removes messages for good. Twice, or after the visibility ran out, is allowed; it then may do nothing. */
  ack(batch: readonly ReceivedWake[]): Promise<readonly ItemResult[]>;
  /** Makes messages visible again after `delayMs`. Twice is allowed; a stale receipt does nothing. */
  release(batch: readonly ReceivedWake[], options: { readonly delayMs: number }): Promise<readonly ItemResult[]>;
  /** Keeps messages hidden for `leaseMs` from now. A stale receipt does nothing. */
  extend(batch: readonly ReceivedWake[], options: { readonly leaseMs: number }): Promise<readonly ItemResult[]>;
  /** Messages stored, hidden ones included; an estimate is allowed. */
  depth(): Promise<number>;
  /** A second call does nothing. */
  close(): Promise<void>;
}
