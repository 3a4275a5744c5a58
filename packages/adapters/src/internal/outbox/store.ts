import { SendonceError, type PublishOptions, type TargetInput } from '@sendonce/core';
import { checkPublishItem, isFields, shown, storedJson } from '@sendonce/core/internal';
import { plainName } from '../table.ts';

/** What is published later: what `publish` takes, as far as JSON can hold it. */
export interface OutboxEvent extends Omit<PublishOptions, 'transaction' | 'recipients'> {
  readonly type: string;
  readonly data: unknown;
  readonly recipients?: readonly TargetInput[];
}

/** A row that one relay has for a while. */
export interface LeasedRow {
  readonly id: string;
  /** Rises with each lease: what an earlier holder says of the row is not heard. */
  readonly fence: number;
  /** How often it failed. */
  readonly tries: number;
  /** Leases in a row, this one included, of which nobody said what became of them: 1 unless a relay ended. */
  readonly leases: number;
  /** As it was added; JSON. */
  readonly event: string;
}

/** What a relay says of a row that was not accepted. */
export interface FailedRow extends Pick<LeasedRow, 'id' | 'fence'> {
  readonly reason: string;
  /** When it is due again, ms; null: it is set aside. */
  readonly delayMs: number | null;
  /** Counts as a try: false where nothing was wrong with the row. */
  readonly isCounted: boolean;
}

/** A row that nobody takes up any more, for a person. */
export interface SetAsideRow {
  readonly id: string;
  readonly event: string;
  readonly reason: string;
  readonly tries: number;
  /** Epoch ms. */
  readonly setAsideAt: number;
}

export interface OutboxCounts {
  readonly waiting: number;
  readonly setAside: number;
  /** Relayed, and not removed yet. */
  readonly relayed: number;
  /** Since the oldest that waits was added, ms; 0 when none does. */
  readonly oldestWaitingMs: number;
}

/** A table of events to publish. Rows are found by their state, never by a number that only grows: one that is committed late is seen then. */
export interface OutboxStore {
  /** Up to `max` rows that are due, for `leaseMs`: nobody else gets them meanwhile. */
  lease(request: { readonly max: number; readonly leaseMs: number }): Promise<readonly LeasedRow[]>;
  /** Gives rows back that were not touched: due at once, and as if they had not been leased. */
  release(rows: readonly Pick<LeasedRow, 'id' | 'fence'>[]): Promise<void>;
  /** They were accepted. Answers how many of them were still held. */
  done(rows: readonly Pick<LeasedRow, 'id' | 'fence'>[]): Promise<number>;
  fail(rows: readonly FailedRow[]): Promise<void>;
  /** Removes rows that were relayed at least so long ago, `max` at most; answers how many. */
  clean(request: { readonly olderThanMs: number; readonly max: number }): Promise<number>;
  /** What is set aside, the oldest first. */
  listSetAside(request?: { readonly limit?: number }): Promise<readonly SetAsideRow[]>;
  /** Gives set-aside rows back to the relays, with all their tries; answers how many there were. */
  retry(ids: readonly string[]): Promise<number>;
  count(): Promise<OutboxCounts>;
}

/** The longest reason that is stored, characters. */
export const LONGEST_REASON = 1_000;

/**
 * An event as it is stored: what `publish` would refuse for good is refused here, before the caller's transaction commits.
 * @throws SendonceError OPTION_INVALID, DATA_UNSERIALIZABLE: the caller's transaction shall not commit without it
 */
export function storedEvent(event: OutboxEvent): string {
  const given: unknown = event;
  if (!isFields(given) || typeof given['type'] !== 'string' || given['type'] === '')
    throw new SendonceError('OPTION_INVALID', `outbox.add takes { type, key, data, ... }, got ${shown(given)}`);
  const { type, ...item } = event;
  if ('transaction' in item)
    throw new SendonceError(
      'OPTION_INVALID',
      'outbox.add takes the transaction as its first argument, and not in an event',
    );
  checkPublishItem(item);
  const { data, recipients, sendAt } = item;
  if (recipients !== undefined && !Array.isArray(recipients))
    throw new SendonceError(
      'OPTION_INVALID',
      `recipients of an event in an outbox must be an array, got ${shown(recipients)}`,
    );
  return JSON.stringify({
    type,
    ...item,
    data: storedJson(data, { field: 'data', type }),
    ...(recipients !== undefined && { recipients: storedJson(recipients, { field: 'recipients', type }) }),
    ...(sendAt instanceof Date && { sendAt: sendAt.getTime() }),
  });
}

/** Where the rows are unless an option says otherwise. */
export const DEFAULT_TABLE: string = 'sendonce_outbox';

/** Of what waits, of what is set aside, and of what is done: the same in every dialect. */
export function indexesOn(table: string): string {
  const name = plainName(table);
  return `CREATE INDEX IF NOT EXISTS ${name}_due ON ${table} (due_at) WHERE done_at IS NULL AND set_aside_at IS NULL;
CREATE INDEX IF NOT EXISTS ${name}_set_aside ON ${table} (set_aside_at) WHERE set_aside_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${name}_done ON ${table} (done_at) WHERE done_at IS NOT NULL;
`;
}
