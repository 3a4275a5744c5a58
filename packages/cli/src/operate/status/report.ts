import type { Counts } from '@sendonce/core';
import type { CountOf } from '../tally.ts';

/** Dead letters that nobody has sent again yet, though it may still be done. */
export interface OpenLetters {
  readonly dead: number;
  readonly failed: number;
  readonly parked: number;
  /** Of the failed ones: no provider refused them, because their content could not be made or their address is none. */
  readonly notMade: number;
  /** When the time of the first dead one is over, ISO 8601; null where it never is. */
  readonly firstExpiresAt: string | null;
  /** Dead as well, and their time is over: they are told with what expired. */
  readonly tooLate: number;
  /** Those that were sent again: nobody has to do anything about them. Null where not all were read. */
  readonly replayed: number | null;
  readonly reasons: readonly CountOf[];
  readonly ages: readonly CountOf[];
  /** False when there are more than were read: the numbers are then of the first ones. */
  readonly isComplete: boolean;
}

/** Deliveries that wait for another try (`retry-scheduled`) or for an answer (`unknown`). */
export interface WaitingDeliveries {
  readonly reasons: readonly CountOf[];
  /** When the first of them is due, ISO 8601; null where none waits. */
  readonly nextDueAt: string | null;
  /** False when there are more than were read: the numbers are then of the first ones. */
  readonly isComplete: boolean;
}

/** What was not sent, and whose time was over within the last week. */
export interface ExpiredDeliveries {
  readonly count: number;
  /** Of those: gave up before their time was over. */
  readonly dead: number;
  /** `otp by ses: connection refused` */
  readonly kinds: readonly CountOf[];
  /** False when there are more than were read: the numbers are then of the first ones. */
  readonly isComplete: boolean;
}

/** Deliveries that no worker can try, because what they need is not in the config. */
export interface LackingDeliveries {
  readonly reasons: readonly CountOf[];
  /** When the first of them expires, ISO 8601; null where none does. */
  readonly firstExpiresAt: string | null;
}

export interface FailedNotification {
  readonly id: string;
  readonly type: string;
  readonly reason: string | null;
}

/** Something that needs a person, and what to do about it. */
export interface Attention {
  readonly what: string;
  readonly next: string;
}

/** What `notify status --json` prints. */
export interface StatusReport extends Counts {
  readonly schema: 'sendonce.status/1';
  /** ISO 8601, of this machine. */
  readonly at: string;
  /** The file of the ledger, its whole path; null where it is none. */
  readonly ledger: string | null;
  readonly deadLetters: OpenLetters;
  readonly expired: ExpiredDeliveries;
  readonly waiting: WaitingDeliveries;
  /** Why notifications were put back, by reason; of the first that wait. */
  readonly putBack: readonly CountOf[];
  /** What waits because it is paused, by what is paused; of the first that wait. */
  readonly blocked: readonly CountOf[];
  /** What waits for something that the config lacks; of the first that wait. */
  readonly lacking: LackingDeliveries;
  /** By how much what waits was written after this moment, ms: the clock here was set back, or is wrong. */
  readonly clockBehindMs: number;
  /** The first of those that could not be routed. */
  readonly failedNotifications: readonly FailedNotification[];
  readonly attention: readonly Attention[];
}
