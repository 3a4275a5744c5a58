import type { DeliveryRecord } from '../model/delivery.ts';
import type { NotificationRecord } from '../model/notification.ts';
import type { Target } from '../model/recipient.ts';
import type { BlockRequest, Evidence, SuppressRequest } from '../ports/ledger.ts';
import type { Epochs } from './epochs.ts';

/*
 * What a store has to offer so that `recordLedger` can be its ledger: whole records that one transaction reads, changes and writes
 * back. The protocol's steps then run in this process, the same ones for every such store. Everything here is synchronous, because
 * it happens inside one transaction; a store out of reach throws.
 */

/** A record's place in the store; -1 is nowhere. */
export type Ref = number;

export interface RecordStore {
  /**
   * Runs one call of the port as one transaction: every write of it, durably, or (when it throws) none.
   * `about`: the ids it will look at first, for a store that reads in batches.
   */
  transact<T>(work: (records: Records) => T, about?: Transaction): Promise<T>;
}

export interface Transaction {
  readonly ids?: readonly string[];
  /** True when no message is looked at or handed out: a store may then read records with any other message in the place of a frozen one. */
  readonly withoutMessages?: boolean;
  /** The caller's own transaction, which this call joins. */
  readonly join?: unknown;
}

/** A record whose time has come. */
export interface Due<Item> {
  readonly at: number;
  readonly item: Item;
}

/** Records by the time at which something has to happen to them. */
export interface DueRecords<Item> {
  /** Those whose time is not after `untilMs`, longest due first, each as it is now; about `expected` of them will be taken. */
  due(untilMs: number, expected: number): Iterable<Due<Item>>;
  /** These were seen and stay as they were: a later call finds them again. */
  leave(entries: readonly Due<Item>[]): void;
}

export interface NotificationEntry {
  readonly record: NotificationRecord;
  /** How many of its deliveries are not settled. */
  readonly open: number;
}

export interface Notifications<Entry extends NotificationEntry = NotificationEntry> {
  get(id: string): Entry | undefined;
  insert(record: NotificationRecord): Entry;
  update(entry: Entry, record: NotificationRecord): void;
  /** Stores a page and drops those after it; answers how many pages and targets there are now. */
  storePage(
    entry: Entry,
    page: number,
    targets: readonly Target[],
  ): { readonly pages: number; readonly targets: number };
  /** The targets of a page, none once it was dropped; undefined for a page that is not there or cannot be read. */
  pageOf(entry: Entry, page: number): readonly Target[] | undefined;
  /** Whether a page that was stored, expanded or not, had these targets. */
  hasPage(entry: Entry, page: number, targets: readonly Target[]): boolean;
  /** Called when the page's deliveries exist. */
  dropPage(entry: Entry, page: number): void;
  /** Its deliveries, all generations. */
  deliveriesOf(entry: Entry): Iterable<Ref>;
  /** Up to `most` of them in an order that stays, after the place `after` (null: from the first), and the place of the last; null: there are no more. */
  someDeliveriesOf(
    entry: Entry,
    after: string | null,
    most: number,
  ): { readonly refs: readonly Ref[]; readonly next: string | null };
  /** Leaves this tombstone of one that is over and whose deliveries are removed: its pages and data are gone, nothing lists it. */
  bury(entry: Entry, tombstone: NotificationRecord): void;
  /** Those that are not over, for the reckoning after a loss of memory, which counts their deliveries again. */
  unfinished(): Iterable<Entry>;
  recount(entry: Entry, open: number): void;
  /** Those that may be claimed. */
  readonly work: DueRecords<Entry>;
  /** Those that ended since the last call, up to `max`, each told once. */
  takeEnded(max: number): NotificationRecord[];
}

export interface Deliveries {
  refOf(id: string): Ref;
  /** Undefined for nowhere, and for a record that cannot be read. */
  at(ref: Ref): DeliveryRecord | undefined;
  /** Answers the record that stands: kept evidence may have moved it on at once. */
  insert(record: DeliveryRecord, by: string): DeliveryRecord;
  update(ref: Ref, before: DeliveryRecord, after: DeliveryRecord, by: string): DeliveryRecord;
  /** Gone with its message, story and all that finds it. It is settled. */
  remove(ref: Ref): void;
  /** Claimable ones (see `workAt`). */
  readonly work: DueRecords<Ref>;
  /** What the sweeper has to look at (see `watchAt`). */
  readonly watch: DueRecords<Ref>;
  /** Those that are not settled, for the reckoning after a loss of memory. */
  unsettled(): Iterable<Ref>;
  /** Those of a recipient that may have an open attempt; others may be among them. */
  maybeOut(about: Pick<SuppressRequest, 'tenant' | 'recipientId'>): Iterable<Ref>;
  /** The delivery with an attempt that this provider accepted under this id. */
  withMessage(provider: string, providerMessageId: string): Ref;
}

/** What stands between a delivery and its mark beside its own record: opt-outs and blocks. */
export interface Gates {
  suppress(request: SuppressRequest): void;
  isSuppressed(record: DeliveryRecord): boolean;
  block(request: BlockRequest): void;
  blockOn(record: DeliveryRecord): { readonly scope: string; readonly recheckMs: number } | null;
}

/** What each claim of due work was granted, if anything, so that a repeated request finds the same and nothing else (PROTOCOL rule 4). */
export interface DueClaims {
  /** Ids; null: this request is new. */
  grantedTo(requestId: string): readonly string[] | null;
  remember(requestId: string, granted: readonly string[], untilMs: number): void;
}

/** Everything one transaction sees. */
export interface Records {
  /** The store's clock, epoch ms. */
  now(): number;
  readonly epochs: Epochs;
  readonly gates: Gates;
  readonly claims: DueClaims;
  readonly deliveries: Deliveries;
  readonly notifications: Notifications;
  /** Keeps evidence that nothing matches yet; the same thing twice is kept once. */
  keepEvidence(evidence: Evidence): void;
  /** A wake without a record, old enough to be listed. */
  addStray(id: string): void;
  /** A step tried a move that the table does not declare: counted, and nothing was written. */
  countRefusedMove(): void;
  /** Housekeeping that belongs to claims and sweeps: what settled long ago gives up its content. */
  compactDue(): void;
}
