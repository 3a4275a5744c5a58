import { SendonceError, type ItemResult } from '@sendonce/core';
import { FUNCTION_RULE, numberRule, type Rule } from '@sendonce/core/internal';

export const OK: ItemResult = { ok: true };
export const STALE: ItemResult = { ok: false, error: 'the receipt is stale' };

/** A message in the queue that is no wake, as `onUnreadable` is told of it. */
export interface UnreadableMessage {
  /** What the message holds, at most 1,000 characters of it. */
  readonly body: string;
  /** Where it is now, in words. */
  readonly where: string;
}

export type OnUnreadable = (message: UnreadableMessage) => void;

export const ON_UNREADABLE_RULE: Rule = FUNCTION_RULE;
export const TIMEOUT_RULE: Rule = numberRule({ least: 1, most: 600_000 }, ' ms');

const BODY_TOLD = 1_000;

/** Tells of messages that are not ours. What the listener throws must not keep the others from being received. */
export function tell(listener: OnUnreadable | undefined, bodies: readonly string[], where: string): void {
  if (listener === undefined) return;
  for (const body of bodies) {
    try {
      listener({ body: body.slice(0, BODY_TOLD), where });
    } catch {
      // It is the application's; there is nobody here to tell.
    }
  }
}

/** @throws SendonceError OPTION_INVALID */
export function checkBatch(items: readonly unknown[], most: number): void {
  if (items.length > most)
    throw new SendonceError('OPTION_INVALID', `a batch may carry ${most} wakes, got ${items.length}`);
}

/** `problem` says what happened; the rest is the same for every queue. */
export function unavailable(queue: string, problem: string, cause?: unknown): SendonceError {
  const options = cause === undefined ? {} : { cause };
  return new SendonceError('QUEUE_UNAVAILABLE', `the ${queue}: ${problem}; the ledger brings the work back`, options);
}
