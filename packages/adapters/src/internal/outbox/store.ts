import { SendonceError, type PublishOptions, type TargetInput } from '@sendonce/core';
import { checkPublishItem, isFields, jsonCopy, shown, type Rule } from '@sendonce/core/internal';

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

const TABLE = /^[a-z_][a-z0-9_]{0,54}(?:\.[a-z_][a-z0-9_]{0,54})?$/;

/** Its name is written into statements, so it may only be one that needs no quoting anywhere. */
export const TABLE_RULE: Rule = {
  must: "the name of a table, also as 'schema.table': small letters, digits and _",
  fits: (value) => typeof value === 'string' && TABLE.test(value),
};

/** For the names of indexes, which stand in the table's own schema. */
export function plainName(table: string): string {
  return table.slice(table.indexOf('.') + 1);
}

/**
 * An event as it is stored: what `publish` would refuse for good is refused here, before the caller's transaction commits.
 * @throws SendonceError OPTION_INVALID, DATA_UNSERIALIZABLE: the caller's transaction shall not commit without it
 */
export function storedEvent(event: OutboxEvent): string {
  const given: unknown = event;
  if (!isFields(given) || typeof given['type'] !== 'string' || given['type'] === '')
    throw new SendonceError('OPTION_INVALID', `outbox.add takes { type, key, data, ... }, got ${shown(given)}`);
  const { type, data, recipients, sendAt, ...rest } = event;
  if ('transaction' in rest)
    throw new SendonceError(
      'OPTION_INVALID',
      'outbox.add takes the transaction as its first argument, and not in an event',
    );
  checkPublishItem({
    ...rest,
    data,
    ...(recipients !== undefined && { recipients }),
    ...(sendAt !== undefined && { sendAt }),
  });
  if (recipients !== undefined && !Array.isArray(recipients))
    throw new SendonceError(
      'OPTION_INVALID',
      `recipients of an event in an outbox must be an array, got ${shown(recipients)}`,
    );
  return JSON.stringify({
    type,
    ...rest,
    data: asJson(data, 'data', type),
    ...(recipients !== undefined && { recipients: asJson(recipients, 'recipients', type) }),
    ...(sendAt !== undefined && { sendAt: sendAt instanceof Date ? sendAt.getTime() : sendAt }),
  });
}

/** What JSON would drop or change without a word is told, as `publish` tells it. */
function asJson(given: unknown, name: string, type: string): unknown {
  try {
    return jsonCopy(given ?? null, name);
  } catch (cause) {
    throw new SendonceError(
      'DATA_UNSERIALIZABLE',
      `${name} of '${type}' cannot be stored as JSON: ${cause instanceof Error ? cause.message : String(cause)}; publish plain values`,
      { cause },
    );
  }
}
