import { ackFirst } from './ack-first.ts';
import { cursorOnRead } from './cursor-on-read.ts';
import { failoverOnTimeout } from './failover-on-timeout.ts';
import { jobLevel } from './job-level.ts';
import { keyPerAttempt } from './key-per-attempt.ts';
import { logCheck } from './log-check.ts';
import { markExpires } from './mark-expires.ts';
import { naiveLock } from './naive-lock.ts';
import { noWindowGuard } from './no-window-guard.ts';
import { sendBeforeMark } from './send-before-mark.ts';
import type { KnownBadSender } from './sender.ts';
import { unknownIsFailed } from './unknown-is-failed.ts';
import { unknownIsSent } from './unknown-is-sent.ts';

/** Every known-bad sender that ships. `--self-test` must catch each in its stated class. */
export const KNOWN_BAD_SENDERS: readonly KnownBadSender[] = [
  naiveLock,
  logCheck,
  jobLevel,
  cursorOnRead,
  ackFirst,
  sendBeforeMark,
  markExpires,
  unknownIsFailed,
  unknownIsSent,
  keyPerAttempt,
  failoverOnTimeout,
  noWindowGuard,
];

export function knownBadSender(name: string): KnownBadSender | undefined {
  return KNOWN_BAD_SENDERS.find((sender) => sender.name === name);
}
