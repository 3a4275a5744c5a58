import { SendonceError, type ItemResult } from '@sendonce/core';

/** A message that somebody else has put into a queue. */
export interface RawMessage {
  /** The queue's own name for it: the same each time it is handed out. */
  readonly id: string;
  /** Names this receipt. */
  readonly receipt: string;
  /** What it holds, as text. */
  readonly body: string;
  /** What the queue keeps beside the body: attributes, headers. */
  readonly attributes: Readonly<Record<string, string>>;
  /** How often it has been handed out, this time included; >= 1. */
  readonly receives: number;
}

/** A message that nobody can do anything with, and why. */
export interface Rejection {
  readonly message: RawMessage;
  readonly reason: string;
}

/**
 * A queue of somebody else's messages. At least once, late, twice and in any order. Answers one result per item, in the order of the
 * request; any method may throw when the queue is out of reach, and may be called again.
 */
export interface RawMessages {
  /** Where it is, in words: `SQS queue 'orders'`. */
  readonly name: string;
  /** Where `reject` puts messages, in words. */
  readonly deadLetters: string;
  /** The most messages that one call may carry. */
  readonly maxBatch: number;
  /** Up to `max` messages, waiting at most `waitMs` for the first; [] when none came or the signal aborted. */
  receive(options: {
    readonly max: number;
    readonly waitMs: number;
    readonly signal?: AbortSignal;
  }): Promise<readonly RawMessage[]>;
  /** Removes messages for good. A stale receipt does nothing. */
  ack(batch: readonly RawMessage[]): Promise<readonly ItemResult[]>;
  /** Lets them come again after `delayMs`, as near to it as the service can. */
  release(batch: readonly RawMessage[], options: { readonly delayMs: number }): Promise<readonly ItemResult[]>;
  /** Stores them with their reasons where a person can see them, then removes them: a crash between the two stores one twice and loses none. */
  reject(batch: readonly Rejection[]): Promise<readonly ItemResult[]>;
  /** What was received and not acked comes again to somebody. A second call does nothing. */
  close(): Promise<void>;
}

/** The longest reason that is stored beside a message, characters. */
const LONGEST_REASON = 500;

export function storedReason(reason: string): string {
  return reason.slice(0, LONGEST_REASON);
}

/** @throws SendonceError OPTION_INVALID */
export function checkMessages(batch: readonly unknown[], most: number): void {
  if (batch.length > most)
    throw new SendonceError('OPTION_INVALID', `a batch may carry ${most} messages, got ${batch.length}`);
}

/** `problem` says what happened; the rest is the same for every queue of others. */
export function outOfReach(name: string, problem: string, cause?: unknown): SendonceError {
  const options = cause === undefined ? {} : { cause };
  return new SendonceError('QUEUE_UNAVAILABLE', `the ${name}: ${problem}; what was not acked comes again`, options);
}
