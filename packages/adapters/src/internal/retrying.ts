import { isSendonceError, type ErrorCode } from '@sendonce/core';

/** What publishing the same again would answer again: the message itself is what is wrong. Everything else may pass. */
const FOR_GOOD: readonly ErrorCode[] = [
  'TYPE_UNKNOWN',
  'OPTION_INVALID',
  'KEY_MISSING',
  'DATA_INVALID',
  'DATA_UNSERIALIZABLE',
  'NOTIFICATION_CONFLICT',
  'NOTIFICATION_SEALED',
  'RECIPIENTS_MISSING',
  'CHANNEL_UNKNOWN',
];

/** Whether an error of `publish` is for good. */
export function isForGood(error: unknown): boolean {
  return isSendonceError(error) && FOR_GOOD.includes(error.code);
}

/** How long a message waits that failed for a passing reason, ms: twice as long each time. */
export function retryDelayMs(
  receives: number,
  { firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number },
): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(30, Math.max(0, receives - 1)));
}

/** An error as a reason that is stored: `CODE: what happened`. */
export function reasonIn(error: unknown): string {
  if (isSendonceError(error)) return `${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
