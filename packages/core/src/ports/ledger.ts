import type { Channel, DeliveryClass } from '../model/classes.ts';
import type {
  ArrivalKind,
  DeliveryRecord,
  DeliveryState,
  MessageContent,
  Move,
  OperatorNote,
} from '../model/delivery.ts';
import type { NotificationRecord, NotificationState } from '../model/notification.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Target } from '../model/recipient.ts';

/*
 * The durable record. The ledger decides; everybody else asks. Every method takes a batch and answers one verdict per item, in
 * the order of the request; every call may be repeated with the same result. Durations are ms and the store adds its own clock.
 * Any method may throw when the store is out of reach: the caller then knows nothing and asks again.
 */

// ---- producing -------------------------------------------------------------------------------------------------------------

export interface NewNotification {
  readonly id: string;
  readonly tenant: string;
  readonly type: string;
  readonly key: string;
  readonly class: DeliveryClass;
  readonly fingerprint: string;
  readonly data: unknown;
  /** Epoch ms. */
  readonly sendAt: number | null;
  /** Counted from `sendAt`, else from acceptance; null: never. */
  readonly expiresInMs: number | null;
  readonly recipients: 'route' | 'explicit';
  /** All recipients at once: stored as one page and sealed by the same call. */
  readonly page: readonly Target[] | null;
}

export type AcceptVerdict =
  | { readonly kind: 'accepted'; readonly record: NotificationRecord }
  /** The same body under the same key: nothing was written. */
  | { readonly kind: 'repeated'; readonly record: NotificationRecord }
  /** Another body under the same key: nothing was written. */
  | { readonly kind: 'conflict'; readonly record: NotificationRecord };

export interface SealRequest {
  readonly notificationId: string;
  /** 0, 1, 2, ...: storing a page again replaces it and drops the pages after it, until the seal. */
  readonly page: number;
  readonly targets: readonly Target[];
  /** True on the last page: from now on nothing changes, and expansion may begin. */
  readonly last: boolean;
  /** The router's fence; null from a producer, whose pages carry no lease. */
  readonly fence: number | null;
}

export type SealVerdict =
  | { readonly kind: 'stored'; readonly record: NotificationRecord }
  /** Already sealed; nothing was written. `same`: this page is what was sealed. */
  | { readonly kind: 'sealed'; readonly record: NotificationRecord; readonly same: boolean }
  | { readonly kind: 'fenced' | 'cancelled' | 'absent' };

// ---- leases ----------------------------------------------------------------------------------------------------------------

export interface Lease {
  /** Unique per process start. */
  readonly owner: string;
  /** Names this claim call; repeating the call with it writes nothing (PROTOCOL rule 4), unless it is due work of which there was none at first. */
  readonly requestId: string;
  readonly leaseMs: number;
}

export type ClaimSelector =
  | {
      readonly ids: readonly string[];
      /** An absent id whose wake is older than this (see `agesMs`) is recorded as stray. */
      readonly strayAfterMs: number;
      /** Age of each wake, in the order of `ids`. */
      readonly agesMs: readonly number[];
    }
  /** Up to `due` records that have been due for at least `lateMs`, longest first. Answers grants, and `settled` for what the claim itself ended (poison). */
  | { readonly due: number; readonly lateMs: number };

export type ClaimVerdict<Grant> =
  | ({ readonly kind: 'granted'; readonly id: string; readonly fence: number } & Grant)
  | { readonly kind: 'held'; readonly id: string; readonly remainingMs: number }
  | { readonly kind: 'later'; readonly id: string; readonly dueInMs: number }
  | { readonly kind: 'settled'; readonly id: string; readonly state: DeliveryState | NotificationState }
  | { readonly kind: 'unknown'; readonly id: string }
  | { readonly kind: 'absent'; readonly id: string }
  | { readonly kind: 'stray'; readonly id: string };

/** `data`: the notification's, for making the content; null when the message is frozen already. */
export type DeliveryVerdict = ClaimVerdict<{ readonly record: DeliveryRecord; readonly data: unknown }>;
/** `page`: the targets of page `record.cursor`; null when the notification still has to be routed. */
export type NotificationVerdict = ClaimVerdict<{
  readonly record: NotificationRecord;
  readonly page: readonly Target[] | null;
}>;

export interface Held {
  readonly id: string;
  readonly fence: number;
}

export interface ReleaseRequest extends Held {
  /** When it may be claimed again. */
  readonly delayMs: number;
  /** Why it went back when its own content or route threw; counts against the cap, and at the cap ends in `failed` with this reason. */
  readonly failure: string | null;
  /** Why it waits where nothing of its own failed (no worker here knows its type), for a person to see. @defaultValue a delivery's stays, a notification has none */
  readonly reason?: string | null;
}

/** `settled`: the release itself ended it (cap reached, or it may only be tried later and has expired). */
export type HoldVerdict =
  | { readonly kind: 'ok' }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'settled'; readonly state: DeliveryState | NotificationState };

// ---- fan-out ---------------------------------------------------------------------------------------------------------------

export interface NewDelivery {
  readonly id: string;
  readonly target: Target;
  readonly provider: string;
  readonly maxAttempts: number;
  readonly topic: string | null;
  /** Born settled as `failed`, with this reason (an invalid address): kept where it can be seen. */
  readonly failed: string | null;
}

export interface AddRequest {
  readonly notificationId: string;
  readonly fence: number;
  /** Must equal the record's cursor; the call moves it to `page + 1` together with the inserts. */
  readonly page: number;
  readonly deliveries: readonly NewDelivery[];
  /** Freeze a route's result of a single page in the same step: `targets` becomes page 0 and the seal. */
  readonly sealTargets: number | null;
  /** Keep the lease and hand out the next page, for this long; 0 gives the lease back. */
  readonly leaseMs: number;
}

export type AddVerdict =
  /** `inserted`: ids that are new; the rest existed already. `next`: the page to expand now, null when the notification is expanded. */
  | {
      readonly kind: 'added';
      readonly inserted: readonly string[];
      readonly record: NotificationRecord;
      readonly next: readonly Target[] | null;
    }
  /** This page was added before; nothing was written. */
  | { readonly kind: 'repeated'; readonly record: NotificationRecord; readonly next: readonly Target[] | null }
  | { readonly kind: 'fenced' | 'cancelled' | 'absent' };

// ---- delivering ------------------------------------------------------------------------------------------------------------

export interface MarkRequest extends Held {
  readonly provider: string;
  readonly key: string;
  /** How long the provider remembers the key, minus the key margin; null: it takes none. */
  readonly keyWindowMs: number | null;
  /** Frozen by the first mark; later marks ignore it. */
  readonly message: MessageContent;
  /** The dispatch window. */
  readonly dispatchMs: number;
  /** Taken off the dispatch window for the send deadline. */
  readonly sendMarginMs: number;
}

export type MarkVerdict =
  | {
      readonly kind: 'go';
      readonly id: string;
      readonly attempt: number;
      /** Milliseconds left, at the store's reply, until no byte may leave. */
      readonly sendWithinMs: number;
      /** The frozen message: what must be sent. */
      readonly message: MessageContent;
    }
  | { readonly kind: 'fenced'; readonly id: string }
  | {
      readonly kind: 'settled' | 'cancelled' | 'suppressed' | 'expired';
      readonly id: string;
      readonly state: DeliveryState;
    }
  /** Paused: it waits again and will be due in `dueInMs`. */
  | { readonly kind: 'blocked'; readonly id: string; readonly dueInMs: number; readonly scope: string }
  /** An attempt is open and neither a live key nor a declaration covers a new one: `unknown` again, for the reconciler. */
  | { readonly kind: 'window-closed'; readonly id: string };

/** What follows an outcome while no other attempt is open; decided by the pure `settle`. */
export type Next =
  | { readonly kind: 'sent' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** Retry known-not-sent work. At the cap of charged attempts the store makes it `dead`. */
  | { readonly kind: 'retry'; readonly delayMs: number; readonly provider: string; readonly reason: string }
  /** First look by the reconciler in `reconcileInMs`. */
  | { readonly kind: 'unknown'; readonly reconcileInMs: number; readonly reason: string };

export interface SettleRequest extends Held {
  readonly attempt: number;
  /** The attempt's provider and key, so that a store that forgot the attempt can still keep what is known about it. */
  readonly provider: string;
  readonly key: string;
  readonly outcome: Outcome;
  readonly next: Next;
  /** Take the attempt off the cap (deferred, our own limits). */
  readonly refund: boolean;
}

/** `evidence`: the fence was old; the outcome was kept for its own attempt only. Both carry the state that stands now. */
export type SettleVerdict =
  | {
      readonly kind: 'settled' | 'evidence';
      readonly id: string;
      readonly state: DeliveryState;
      readonly duplicate: boolean;
    }
  | { readonly kind: 'absent'; readonly id: string };

// ---- the unknown -----------------------------------------------------------------------------------------------------------

export interface SweepRequest {
  readonly max: number;
  /** How long an `unknown` record handed out here is kept from other reconcilers; a courtesy, the fence decides. */
  readonly reconcileLeaseMs: number;
}

export interface SweepResult {
  /** The store's clock, for the reconciler's arithmetic. */
  readonly nowMs: number;
  /** When the store last lost its memory (epoch ms), or null. */
  readonly epochChangedAt: number | null;
  /** Deliveries that this sweep moved, with the state they are in now. */
  readonly moved: readonly DeliveryRecord[];
  /** Notifications that became `done`, or `failed` by the cap. */
  readonly ended: readonly NotificationRecord[];
  /** `unknown` records that are due for reconciling. */
  readonly unknown: readonly DeliveryRecord[];
}

export type ReconcileDecision =
  /** A lookup or key replay proved acceptance. */
  | { readonly kind: 'found'; readonly attempt: number; readonly providerMessageId: string }
  /** A counted "not found": closes every open attempt at this provider as `not-sent`; then `next` applies, if none is open. */
  | { readonly kind: 'absent'; readonly provider: string; readonly next: Next }
  /** A presumed attempt (`ANY_PROVIDER`) can only have been at this provider, the only one there is; looked at again at once. */
  | { readonly kind: 'narrow'; readonly provider: string }
  /** Try the same provider with the same key; the attempt stays open. */
  | { readonly kind: 'replay'; readonly provider: string; readonly delayMs: number }
  /** Declare a possible duplicate, then try. */
  | {
      readonly kind: 'declare';
      readonly declaration: 'resend' | 'failover';
      readonly provider: string;
      readonly delayMs: number;
    }
  | { readonly kind: 'assume-sent'; readonly reason: string }
  | { readonly kind: 'park'; readonly reason: string }
  | { readonly kind: 'wait'; readonly delayMs: number };

export interface ReconcileRequest extends Held {
  readonly decision: ReconcileDecision;
}

export type ReconcileVerdict =
  | { readonly kind: 'moved'; readonly id: string; readonly state: DeliveryState }
  | { readonly kind: 'fenced'; readonly id: string; readonly state: DeliveryState | null };

// ---- evidence and operators ------------------------------------------------------------------------------------------------

export interface Evidence {
  /** Ours, if the event carried it. */
  readonly deliveryId: string | null;
  /** The provider's name and its id for the message. */
  readonly provider: string;
  readonly providerMessageId: string | null;
  readonly kind: 'accepted' | 'rejected' | ArrivalKind | 'other';
  readonly at: number;
  readonly detail: string | null;
}

export type EvidenceVerdict =
  | { readonly kind: 'moved' | 'noted'; readonly id: string; readonly state: DeliveryState }
  /** No such delivery or message yet: kept, and matched when it appears. */
  | { readonly kind: 'kept' };

export interface CancelRequest extends OperatorNote {
  /** A notification (with all its deliveries, made or not) or one delivery. */
  readonly id: string;
}

export type CancelVerdict =
  /** `tooLate`: deliveries that already left, or may have (an attempt is open): no further attempt, evidence decides. */
  | { readonly kind: 'cancelled'; readonly tooLate: readonly string[] }
  | { readonly kind: 'too-late'; readonly state: DeliveryState | NotificationState }
  | { readonly kind: 'absent' };

export interface SuppressRequest extends OperatorNote {
  readonly tenant: string;
  readonly recipientId: string;
  /** One topic, or '*' for all that can be opted out of. */
  readonly topic: string;
  readonly channel: Channel | '*';
  /** False lifts an earlier one. */
  readonly suppressed: boolean;
}

/** `tooLate`: deliveries with an open attempt: the message may be out. */
export interface SuppressVerdict {
  readonly tooLate: readonly string[];
}

export interface BlockRequest extends OperatorNote {
  /** `provider:NAME`, `channel:NAME`, `type:NAME`, `class:NAME` or `all`. */
  readonly scope: string;
  readonly blocked: boolean;
  /** How long until a blocked delivery asks again. */
  readonly recheckMs: number;
}

export interface ReplayRequest extends OperatorNote {
  /** The delivery to replace. */
  readonly id: string;
  /** Send even though an earlier generation is known to be sent. */
  readonly forced: boolean;
  /** True when the automatic dead-letter retry asks; counted in `redrives`. */
  readonly automatic: boolean;
}

export type ReplayVerdict =
  | { readonly kind: 'replayed'; readonly id: string; readonly possibleDuplicate: boolean }
  /** It has a next generation already: this one. Nothing was written. */
  | { readonly kind: 'repeated'; readonly id: string }
  /** Not a dead letter (any more), cancelled, suppressed or expired meanwhile. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'absent' };

export interface ForgetRequest {
  /** A notification. */
  readonly id: string;
  /** It was accepted, and each of its deliveries settled and last changed, at least this long ago; 0 or more, ms. */
  readonly settledForMs: number;
}

/**
 * Why a notification may not be forgotten yet. `not-over`: it is not done, cancelled or failed. `unsettled`: a delivery is not settled.
 * `parked`: nobody knows whether a delivery went out, and nobody has sent it again. `recent`: it has not been over for long enough.
 * `unreadable`: what a delivery is cannot be read. `quarantine`: the store lost its memory a moment ago.
 */
export type Hold = 'not-over' | 'unsettled' | 'parked' | 'recent' | 'unreadable' | 'quarantine';

export type ForgetVerdict =
  /** Its deliveries are gone with their content and stories; what is left of it is a tombstone, `record`. */
  | { readonly kind: 'forgotten'; readonly record: NotificationRecord }
  /** `deliveryId`: the delivery that holds it; null when it is the notification itself, or a delivery that cannot be read. */
  | { readonly kind: 'open'; readonly hold: Hold; readonly deliveryId: string | null }
  | { readonly kind: 'absent' };

// ---- reading ---------------------------------------------------------------------------------------------------------------

export interface DeliveryFilter {
  readonly states?: readonly DeliveryState[];
  readonly notificationId?: string;
  readonly tenant?: string;
  readonly type?: string;
  readonly channel?: Channel;
  readonly provider?: string;
  readonly recipientId?: string;
  /** Settled at least this long ago. */
  readonly settledForMs?: number;
  /** Made by fewer than this many automatic redrives, and not replaced yet. */
  readonly redrivesBelow?: number;
}

export interface NotificationFilter {
  readonly states?: readonly NotificationState[];
  readonly sealed?: boolean;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Pass it on for the next page; null at the end. */
  readonly cursor: string | null;
}

export interface Counts {
  readonly deliveries: Readonly<Record<DeliveryState, number>>;
  readonly notifications: Readonly<Record<NotificationState, number>>;
  /** Notifications whose producer has not finished: listed, never half sent. */
  readonly unsealed: number;
  /** Tombstones of notifications that were forgotten; they are in no other number. */
  readonly forgotten: number;
  /** Wakes recorded without a record. */
  readonly strays: number;
  readonly assumed: number;
  readonly refusedMoves: number;
  /**
   * Deliveries and notifications that nothing will take up, because their stored record cannot be read (damaged, or written by a later
   * release) or lacks what its state needs: left alone, and waiting for a person.
   */
  readonly unreadable: number;
  /** Age of the longest-due claimable delivery, or notification that waits to be routed or expanded, ms; 0 when none is due. */
  readonly oldestDueMs: number;
}

/** How workers hear of due work sooner than they would by asking. Nothing rests on it: a wake may be lost, repeated, early, or about nothing. */
export interface LedgerWakes {
  /**
   * Calls back when work has become due that any process wrote, and once when it begins to hear, for what came before. Resolves when the
   * signal aborts. Ends otherwise, by an error or without, when it can hear nothing any more: it is called again after a while. May be
   * called by many workers at once.
   */
  listen(onWake: () => void, signal: AbortSignal): Promise<void>;
}

export interface LedgerCapabilities {
  /** Several OS processes may open the same data. */
  readonly shared: boolean;
  /** Data survive a restart of the process (of the store's server, where it has one). */
  readonly durable: boolean;
  /** `accept` can join the caller's own transaction. */
  readonly transactions: boolean;
  /** The whole path, where the data are a file of this host: what a person looks for who is in the wrong folder. Null elsewhere. */
  readonly file: string | null;
  /** What a worker without a queue listens to between its polls. @defaultValue null: due work is found by asking alone */
  readonly wakes?: LedgerWakes | null;
}

export interface Ledger {
  readonly capabilities: LedgerCapabilities;

  accept(
    batch: readonly NewNotification[],
    options?: { readonly transaction?: unknown },
  ): Promise<readonly AcceptVerdict[]>;
  seal(batch: readonly SealRequest[]): Promise<readonly SealVerdict[]>;

  /** Grants what waits for routing or expansion and is due, or whose lease has lapsed. Repeating it with the same requestId writes nothing. */
  claimNotifications(selector: ClaimSelector, lease: Lease): Promise<readonly NotificationVerdict[]>;
  /** Deliveries and the cursor, atomically per notification. Repeating it finds the cursor moved: `repeated`. */
  add(batch: readonly AddRequest[]): Promise<readonly AddVerdict[]>;

  /** Grants what is `queued` or `retry-scheduled` and due, or `processing` with a lapsed lease. Repeating it with the same requestId writes nothing. */
  claim(selector: ClaimSelector, lease: Lease): Promise<readonly DeliveryVerdict[]>;
  /** Moves the lease's end to now + leaseMs; never `dispatchUntil`. For deliveries and notifications. */
  renew(batch: readonly Held[], leaseMs: number): Promise<readonly HoldVerdict[]>;
  /** Gives unmarked work back. For deliveries and notifications. Repeating it is `fenced`. */
  release(batch: readonly ReleaseRequest[]): Promise<readonly HoldVerdict[]>;
  /** The write-ahead mark: the attempt is durable before the first byte. Repeating a `go` with the same fence answers the same attempt. */
  mark(batch: readonly MarkRequest[]): Promise<readonly MarkVerdict[]>;
  /** Writes an outcome, and what follows when the fence is current. Repeating it changes nothing. */
  settle(batch: readonly SettleRequest[]): Promise<readonly SettleVerdict[]>;

  /** `dispatching` past its window -> `unknown`; lapsed caps -> `dead`; hands out due `unknown` records. */
  sweep(request: SweepRequest): Promise<SweepResult>;
  /** Applies a reconciler's decision if the record is still `unknown` under this fence. */
  reconcile(batch: readonly ReconcileRequest[]): Promise<readonly ReconcileVerdict[]>;

  record(batch: readonly Evidence[]): Promise<readonly EvidenceVerdict[]>;
  cancel(batch: readonly CancelRequest[]): Promise<readonly CancelVerdict[]>;
  suppress(batch: readonly SuppressRequest[]): Promise<readonly SuppressVerdict[]>;
  block(batch: readonly BlockRequest[]): Promise<void>;
  replay(batch: readonly ReplayRequest[]): Promise<readonly ReplayVerdict[]>;
  /**
   * Gives up what is over: its deliveries, pages, messages and stories. Of the notification a tombstone is left, so that the same publish is
   * `repeated` and another body a `conflict`. One that is held loses nothing. Of many deliveries some may be gone before the call ends:
   * repeating it finishes, and on a tombstone it answers `forgotten` again. Opt-outs stay.
   */
  forget(batch: readonly ForgetRequest[]): Promise<readonly ForgetVerdict[]>;

  find(ids: readonly string[]): Promise<readonly (DeliveryRecord | null)[]>;
  /** Tombstones too: they have `forgottenAt`. */
  findNotifications(ids: readonly string[]): Promise<readonly (NotificationRecord | null)[]>;
  list(
    filter: DeliveryFilter,
    page?: { readonly limit?: number; readonly cursor?: string | null },
  ): Promise<Page<DeliveryRecord>>;
  /** No tombstones. */
  listNotifications(
    filter: NotificationFilter,
    page?: { readonly limit?: number; readonly cursor?: string | null },
  ): Promise<Page<NotificationRecord>>;
  count(): Promise<Counts>;
  /** The delivery's story, oldest first; [] when unknown or not kept any more. */
  history(id: string): Promise<readonly Move[]>;
  /** A second call does nothing. */
  close(): Promise<void>;
}
