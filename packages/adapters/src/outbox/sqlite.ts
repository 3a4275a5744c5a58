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
import { OPEN_DATABASE_RULE } from '../internal/sqlite/options.ts';
import { TABLE_RULE } from '../internal/table.ts';
import { connectionOf, type SqliteDatabaseLike } from '../internal/sqlite/database.ts';
import { isInTransaction } from '../internal/sqlite/in-transaction.ts';
import { patiently } from '../internal/sqlite/transaction.ts';

export type * from '../internal/outbox/store.ts';

export interface SqliteOutboxOptions {
  /**
   * An open database of better-sqlite3, libsql or node:sqlite, for the relay: a connection of its own to the application's file, not the one on
   * which the application keeps transactions open.
   */
  readonly database: SqliteDatabaseLike;
  /** @defaultValue 'sendonce_outbox' */
  readonly table?: string;
  /** How long another connection may keep the file locked before a call gives up, ms. @defaultValue 10_000 */
  readonly lockTimeoutMs?: number;
}

export interface SqliteOutbox extends OutboxStore {
  /**
   * Stores events on the caller's own connection, within its transaction: with its commit they will be published, else not. It does not wait.
   * @throws SendonceError OPTION_INVALID, DATA_UNSERIALIZABLE; what the driver throws.
   */
  add(transaction: SqliteDatabaseLike, ...events: readonly OutboxEvent[]): void;
}

/** The SQL that makes the table. It may be run again. @throws SendonceError OPTION_INVALID */
export function outboxSchema({ table = DEFAULT_TABLE }: Pick<SqliteOutboxOptions, 'table'> = {}): string {
  checkAdapter('outboxSchema', { table }, { table: TABLE_RULE });
  return `CREATE TABLE IF NOT EXISTS ${table} (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  fence INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  leases INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  set_aside_at INTEGER,
  done_at INTEGER
);
${indexesOn(table)}`;
}

/**
 * An outbox in a table of the application's own SQLite file. Its times are this host's.
 * @throws SendonceError OPTION_INVALID here; LEDGER_LOCKED and the like from any call, which may be repeated.
 */
export function sqliteOutbox(options: SqliteOutboxOptions): SqliteOutbox {
  checkAdapter('sqliteOutbox', options, RULES);
  const { database, table = DEFAULT_TABLE, lockTimeoutMs = 10_000 } = options;
  const connection = connectionOf(database);
  const wait = <T>(act: () => T): Promise<T> => patiently(act, { file: `the outbox ${table}`, lockTimeoutMs });
  const open = 'done_at IS NULL AND set_aside_at IS NULL';
  /** The row that is given as JSON, while it is still held. */
  const given = `FROM json_each(?) AS given WHERE ${table}.id = given.value ->> 'id' AND fence = given.value ->> 'fence' AND done_at IS NULL`;

  return {
    add(transaction, ...events) {
      if (!isInTransaction(transaction))
        invalid(
          'outbox.add: this connection has no transaction open; BEGIN one, so that the events stand and fall with it',
        );
      const now = Date.now();
      const own = connectionOf(transaction);
      for (const event of events.map(storedEvent))
        own.run(`INSERT INTO ${table} (event, added_at, due_at) VALUES (?, ?, ?)`, event, now, now);
    },
    lease: ({ max, leaseMs }) =>
      wait(() => {
        const now = Date.now();
        const rows = connection.all<LeasedRow & { id: number }>(
          `UPDATE ${table} SET due_at = ?, fence = fence + 1, leases = leases + 1
           WHERE id IN (SELECT id FROM ${table} WHERE ${open} AND due_at <= ? ORDER BY due_at LIMIT ?) RETURNING id, fence, tries, leases, event`,
          now + Math.ceil(leaseMs),
          now,
          max,
        );
        return rows.sort((a, b) => a.id - b.id).map(({ id, ...rest }) => ({ ...rest, id: String(id) }));
      }),
    release: (rows) =>
      wait(() => {
        const batch = JSON.stringify(rows.map(({ id, fence }) => ({ id: Number(id), fence })));
        connection.run(`UPDATE ${table} SET due_at = ?, leases = leases - 1 ${given}`, Date.now(), batch);
      }),
    done: (rows) =>
      wait(() => {
        const batch = JSON.stringify(rows.map(({ id, fence }) => ({ id: Number(id), fence })));
        return connection.all(`UPDATE ${table} SET done_at = ?, reason = NULL ${given} RETURNING id`, Date.now(), batch)
          .length;
      }),
    fail: (rows) =>
      wait(() => {
        const now = Date.now();
        const batch = rows.map(({ id, fence, reason, delayMs, isCounted }) => ({
          id: Number(id),
          fence,
          reason: reason.slice(0, LONGEST_REASON),
          due: now + Math.ceil(delayMs ?? 0),
          aside: delayMs === null ? now : null,
          counted: isCounted ? 1 : 0,
        }));
        connection.run(
          `UPDATE ${table} SET reason = given.value ->> 'reason', tries = tries + (given.value ->> 'counted'), leases = 0, due_at = given.value ->> 'due',
             set_aside_at = given.value ->> 'aside' ${given}`,
          JSON.stringify(batch),
        );
      }),
    clean: ({ olderThanMs, max }) =>
      wait(
        () =>
          connection.all(
            `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE done_at <= ? ORDER BY done_at LIMIT ?) RETURNING id`,
            Date.now() - olderThanMs,
            max,
          ).length,
      ),
    listSetAside: ({ limit = 100 } = {}) =>
      wait(() => {
        const rows = connection.all<{ id: number; event: string; reason: string | null; tries: number; at: number }>(
          `SELECT id, event, reason, tries, set_aside_at AS at FROM ${table} WHERE set_aside_at IS NOT NULL ORDER BY set_aside_at, id LIMIT ?`,
          limit,
        );
        return rows.map(({ id, event, reason, tries, at }) => ({
          id: String(id),
          event,
          reason: reason ?? '',
          tries,
          setAsideAt: at,
        }));
      }),
    retry: (ids) =>
      wait(
        () =>
          connection.all(
            `UPDATE ${table} SET set_aside_at = NULL, tries = 0, leases = 0, due_at = ?
             WHERE set_aside_at IS NOT NULL AND id IN (SELECT value FROM json_each(?)) RETURNING id`,
            Date.now(),
            JSON.stringify(ids.map(Number)),
          ).length,
      ),
    count: () =>
      wait(() => {
        const row = connection.get<{ waiting: number; aside: number; relayed: number; oldest: number | null }>(
          `SELECT count(*) FILTER (WHERE ${open}) AS waiting, count(set_aside_at) AS aside, count(done_at) AS relayed,
             min(added_at) FILTER (WHERE ${open}) AS oldest FROM ${table}`,
        );
        const { waiting = 0, aside = 0, relayed = 0, oldest = null } = row ?? {};
        return {
          waiting,
          setAside: aside,
          relayed,
          oldestWaitingMs: oldest === null ? 0 : Math.max(0, Date.now() - oldest),
        };
      }),
  };
}

const RULES: Record<keyof SqliteOutboxOptions, Rule> = {
  database: { ...OPEN_DATABASE_RULE, required: true },
  table: TABLE_RULE,
  lockTimeoutMs: { must: 'a number of ms', fits: (value) => typeof value === 'number' && value >= 0 },
};
