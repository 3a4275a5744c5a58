import { SendonceError } from '@sendonce/core';
import type { Rule } from '@sendonce/core/internal';
import { checkAdapter, invalid } from '../internal/options.ts';
import {
  DEFAULT_TABLE,
  indexesOn,
  LONGEST_REASON,
  storedEvent,
  type LeasedRow,
  type OutboxEvent,
  type OutboxStore,
} from '../internal/outbox/store.ts';
import { TABLE_RULE } from '../internal/table.ts';
import { queryOf, type PostgresLike } from '../internal/postgres/connection.ts';
import { isNotMigrated, sqlState } from '../internal/postgres/failures.ts';
import { CLIENT_RULE } from '../internal/postgres/options.ts';

export type * from '../internal/outbox/store.ts';

export interface PostgresOutboxOptions {
  /** A `pg.Pool`, or an object whose `query(text, values)` answers rows, for the relays. */
  readonly client: PostgresLike;
  /** @defaultValue 'sendonce_outbox' */
  readonly table?: string;
}

export interface PostgresOutbox extends OutboxStore {
  /**
   * Stores events within the caller's own transaction: with its commit they will be published, else not.
   * @throws SendonceError OPTION_INVALID, DATA_UNSERIALIZABLE; what the driver throws.
   */
  add(transaction: PostgresLike, ...events: readonly OutboxEvent[]): Promise<void>;
}

/** The SQL that makes the table, for psql or a migration tool. It may be run again. @throws SendonceError OPTION_INVALID */
export function outboxSchema({ table = DEFAULT_TABLE }: Pick<PostgresOutboxOptions, 'table'> = {}): string {
  checkAdapter('outboxSchema', { table }, { table: TABLE_RULE });
  return `CREATE TABLE IF NOT EXISTS ${table} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event text NOT NULL,
  added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  fence bigint NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,
  leases integer NOT NULL DEFAULT 0,
  reason text,
  set_aside_at timestamptz,
  done_at timestamptz
);
${indexesOn(table)}`;
}

/**
 * An outbox in a table of the application's own PostgreSQL. Its times are the server's.
 * @throws SendonceError OPTION_INVALID here; LEDGER_NOT_MIGRATED from any call while there is no such table; what the driver throws from any
 * call, which may be repeated.
 */
export function postgresOutbox(options: PostgresOutboxOptions): PostgresOutbox {
  checkAdapter('postgresOutbox', options, RULES);
  const { client, table = DEFAULT_TABLE } = options;
  const query = told(client, table);
  const ms = (parameter: string): string => `${parameter}::float8 * interval '1 millisecond'`;
  const epoch = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::bigint::text`;
  const held = (rows: readonly object[]): string[] => [JSON.stringify(rows)];

  return {
    async add(transaction, ...events) {
      const texts = events.map(storedEvent);
      await inside(transaction);
      await told(transaction, table)(`INSERT INTO ${table} (event) SELECT json_array_elements_text($1::json)`, [
        JSON.stringify(texts),
      ]);
    },
    async lease({ max, leaseMs }) {
      const rows = await query(
        `WITH picked AS MATERIALIZED (
           SELECT id FROM ${table} WHERE done_at IS NULL AND set_aside_at IS NULL AND due_at <= clock_timestamp()
           ORDER BY due_at LIMIT $1::int FOR UPDATE SKIP LOCKED)
         UPDATE ${table} AS o SET due_at = clock_timestamp() + ${ms('$2')}, fence = o.fence + 1, leases = o.leases + 1
         FROM picked WHERE o.id = picked.id
         RETURNING o.id::text AS id, o.fence::text AS fence, o.tries::text AS tries, o.leases::text AS leases, o.event`,
        [String(max), String(leaseMs)],
      );
      return rows.map(leasedOf).sort((a, b) => Number(a.id) - Number(b.id));
    },
    async release(rows) {
      await query(
        `UPDATE ${table} AS o SET due_at = clock_timestamp(), leases = o.leases - 1
         FROM json_to_recordset($1::json) AS given(id bigint, fence bigint)
         WHERE o.id = given.id AND o.fence = given.fence AND o.done_at IS NULL`,
        held(rows.map(({ id, fence }) => ({ id, fence }))),
      );
    },
    async done(rows) {
      const marked = await query(
        `UPDATE ${table} AS o SET done_at = clock_timestamp(), reason = NULL
         FROM json_to_recordset($1::json) AS given(id bigint, fence bigint)
         WHERE o.id = given.id AND o.fence = given.fence AND o.done_at IS NULL RETURNING o.id::text AS id`,
        held(rows.map(({ id, fence }) => ({ id, fence }))),
      );
      return marked.length;
    },
    async fail(rows) {
      await query(
        `UPDATE ${table} AS o SET reason = given.reason, tries = o.tries + given.counted, leases = 0,
           due_at = clock_timestamp() + ${ms('coalesce(given.delay, 0)')},
           set_aside_at = CASE WHEN given.delay IS NULL THEN clock_timestamp() END
         FROM json_to_recordset($1::json) AS given(id bigint, fence bigint, reason text, delay float8, counted int)
         WHERE o.id = given.id AND o.fence = given.fence AND o.done_at IS NULL`,
        held(
          rows.map(({ id, fence, reason, delayMs, isCounted }) => ({
            id,
            fence,
            reason: kept(reason),
            delay: delayMs,
            counted: isCounted ? 1 : 0,
          })),
        ),
      );
    },
    async clean({ olderThanMs, max }) {
      const removed = await query(
        `DELETE FROM ${table} WHERE id = ANY (ARRAY(
           SELECT id FROM ${table} WHERE done_at <= clock_timestamp() - ${ms('$1')} ORDER BY done_at LIMIT $2::int FOR UPDATE SKIP LOCKED))
         RETURNING id::text AS id`,
        [String(olderThanMs), String(max)],
      );
      return removed.length;
    },
    async listSetAside({ limit = 100 } = {}) {
      const rows = await query(
        `SELECT id::text AS id, event, reason, tries::text AS tries, ${epoch('set_aside_at')} AS at
         FROM ${table} WHERE set_aside_at IS NOT NULL ORDER BY set_aside_at, id LIMIT $1::int`,
        [String(limit)],
      );
      return rows.map(({ id, event, reason, tries, at }) => ({
        id: id ?? '',
        event: event ?? '',
        reason: reason ?? '',
        tries: Number(tries),
        setAsideAt: Number(at),
      }));
    },
    async retry(ids) {
      const rows = await query(
        `UPDATE ${table} SET set_aside_at = NULL, tries = 0, leases = 0, due_at = clock_timestamp()
         WHERE set_aside_at IS NOT NULL AND id IN (SELECT json_array_elements_text($1::json)::bigint) RETURNING id::text AS id`,
        held(ids.map((id) => id as unknown as object)),
      );
      return rows.length;
    },
    async count() {
      const [row] = await query(
        `SELECT count(*) FILTER (WHERE done_at IS NULL AND set_aside_at IS NULL)::text AS waiting,
           count(*) FILTER (WHERE set_aside_at IS NOT NULL)::text AS set_aside,
           count(*) FILTER (WHERE done_at IS NOT NULL)::text AS relayed,
           (extract(epoch FROM clock_timestamp() - min(added_at) FILTER (WHERE done_at IS NULL AND set_aside_at IS NULL)) * 1000)::bigint::text AS oldest
         FROM ${table}`,
      );
      return {
        waiting: Number(row?.['waiting']),
        setAside: Number(row?.['set_aside']),
        relayed: Number(row?.['relayed']),
        oldestWaitingMs: Math.max(0, Number(row?.['oldest'] ?? 0)),
      };
    },
  };
}

/** Statements on the table, which somebody may have forgotten to make. */
function told(client: PostgresLike, table: string): ReturnType<typeof queryOf> {
  const query = queryOf(client);
  return async (...statement) => {
    try {
      return await query(...statement);
    } catch (cause) {
      if (!isNotMigrated(cause)) throw cause;
      throw new SendonceError(
        'LEDGER_NOT_MIGRATED',
        `the outbox: there is no table '${table}' as this release needs it (PostgreSQL says: ${(cause as Error).message}); make it with what outboxSchema() gives, and let this user see it`,
        { cause },
      );
    }
  };
}

function leasedOf({ id, fence, tries, leases, event }: Readonly<Record<string, string | null>>): LeasedRow {
  return { id: id ?? '', fence: Number(fence), tries: Number(tries), leases: Number(leases), event: event ?? '' };
}

/** PostgreSQL stores no NUL. */
function kept(reason: string): string {
  return reason.replaceAll('\0', ' ').slice(0, LONGEST_REASON);
}

const RULES: Record<keyof PostgresOutboxOptions, Rule> = {
  client: { ...CLIENT_RULE, required: true },
  table: TABLE_RULE,
};

/** @throws SendonceError OPTION_INVALID where no transaction is open, in which the events would stand and fall with it. */
async function inside(transaction: PostgresLike): Promise<void> {
  const query = queryOf(transaction);
  await query('SAVEPOINT sendonce_outbox', []).catch((error: unknown) => {
    // no_active_sql_transaction
    if (sqlState(error) !== '25P01') throw error;
    invalid(
      'outbox.add: this connection has no transaction open (a pool gives each statement another connection); take one client, BEGIN on it, and await the add before its end',
    );
  });
  await query('RELEASE SAVEPOINT sendonce_outbox', []);
}
