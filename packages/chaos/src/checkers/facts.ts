import type { DeliveryRecord, DeliveryState, NotificationState } from '@sendonce/core';

/** The last state of one delivery record, read from the ledger when the run is over. */
export interface FinalDelivery {
  readonly id: string;
  /** Index of the requested recipient; -1: nobody asked for this delivery. Generations of one recipient share its index. */
  readonly recipient: number;
  readonly generation: number;
  readonly state: DeliveryState;
  readonly assumed: boolean;
  readonly reason: string | null;
  /** Attempts in the record, those that are only presumed left out. */
  readonly attempts: number;
  readonly charged: number;
  readonly createdAt: number;
  /** No attempt begins from here on; null: never. */
  readonly expiresAt: number | null;
}

/** One message in a mailbox: what a recipient really got. Written by the provider's side, never by core. */
export interface MailboxEntry {
  /** Index of the recipient whose address it arrived at; -1: nobody asked for a message to this address. */
  readonly recipient: number;
  readonly provider: string;
  /** The delivery that the sender named. */
  readonly deliveryId: string;
  /** Hash of the content that arrived. */
  readonly body: string;
  readonly at: number;
}

/**
 * Why a requested recipient has no delivery record: its notification was cancelled or failed before, its producer never sealed it, its
 * expansion is not finished, or the store forgot the notification itself when it lost its memory (nothing that rests on that store
 * can bring it back; outside the sums unless its message arrived). `missing`: none of these, the ledger says that it is expanded.
 */
export type NotMade = 'cancelled' | 'failed' | 'unsealed' | 'unfinished' | 'forgotten' | 'missing';

/** What is still held, waiting or broken at the end; times are the history's. */
export interface LivenessFacts {
  /** `healed`: faults stopped and everything must settle. `core`: one healthy core, the rest broken for ever (L3). */
  readonly phase: 'healed' | 'core';
  /** The heal point; in phase `core`, when the rest broke. */
  readonly healedAt: number;
  readonly endedAt: number;
  /** Everything settles within this after `healedAt`. */
  readonly boundMs: number;
  /** Only where the run was ended after so many events because it went on and on. */
  readonly outOfEvents?: number;
  /** Sealed notifications that are not over and not expanded. */
  readonly unfinished: readonly { readonly notificationId: string; readonly state: NotificationState }[];
  /** Leases that the ledger still shows: deliveries in `processing`, notifications with an owner. */
  readonly leases: readonly { readonly id: string; readonly leaseUntil: number; readonly leaseMs: number }[];
  /** What the queue still stores; null: a run without one. `orphans`: stored wakes that name no record. */
  readonly queue: { readonly depth: number; readonly orphans: readonly string[] } | null;
  /** Stretches in which at least one whole path worked: a live worker that reaches ledger and provider, nothing paused by an operator. */
  readonly healthy: readonly { readonly from: number; readonly until: number }[];
  /** Recipients whose payload was made to kill or break the process that handles it. */
  readonly poison: readonly number[];
}

/** What the world knows when a run is over: the ledger's last word, and the mailbox. */
export interface EndFacts {
  /** Every requested recipient index, once, those of unsealed notifications included. */
  readonly requested: readonly number[];
  /** Rows of input, and how many of them were merged (same identity) or invalid; null where there is no list of rows. */
  readonly input: { readonly rows: number; readonly merged: number; readonly invalid: number } | null;
  /** Every delivery in the ledger, all generations. Iterated once. */
  readonly deliveries: Iterable<FinalDelivery>;
  /** Every message that a provider accepted as new. Iterated once. */
  readonly mailbox: Iterable<MailboxEntry>;
  /** Asked only for a requested recipient without any delivery. */
  notMade(recipient: number): NotMade;
  /** Routing or expansion gave up. */
  readonly failedNotifications: readonly { readonly notificationId: string; readonly reason: string | null }[];
  /** The producer never finished: listed, outside the sums. */
  readonly unsealed: readonly { readonly notificationId: string; readonly targets: number }[];
  /** Ids (deliveries and notifications) that an operator is shown as dead letters, asked of the ledger's own list. */
  readonly deadLetters: ReadonlySet<string>;
  readonly liveness: LivenessFacts;
}

/** Takes from a ledger record what the judge needs. */
export function finalDelivery(record: DeliveryRecord, recipient: number): FinalDelivery {
  const { id, generation, state, assumed, reason, charged, createdAt, expiresAt } = record;
  let attempts = 0;
  for (const attempt of record.attempts) if (!attempt.presumed) attempts += 1;
  return { id, recipient, generation, state, assumed, reason, attempts, charged, createdAt, expiresAt };
}
