import type { Destinations } from '@sendonce/core';
import { numberRule, textRule, type Rule } from '@sendonce/core/internal';
import { destinationsOver, type DestinationStore } from '@sendonce/core/records';
import { told } from '../internal/destinations/failures.ts';
import { checkAdapter, invalid } from '../internal/options.ts';
import { plainName, TABLE_RULE } from '../internal/table.ts';
import type { Connection, SqliteDatabaseLike } from '../internal/sqlite/database.ts';
import { OPEN_DATABASE_RULE } from '../internal/sqlite/options.ts';
import { sqlitePlace } from '../internal/sqlite/place.ts';
import { transaction } from '../internal/sqlite/transaction.ts';

export type { SqliteDatabaseLike, SqliteStatementLike } from '../internal/sqlite/database.ts';

export interface SqliteDestinationsOptions {
  /** The file, the ledger's or another; `close` closes it. Either this or `database`. */
  readonly file?: string;
  /** An open database of better-sqlite3, libsql or node:sqlite: a connection on which nobody else keeps transactions open. `close` leaves it open. */
  readonly database?: SqliteDatabaseLike;
  /** Made by itself. @defaultValue 'sendonce_destinations' */
  readonly table?: string;
  /** How long another connection may keep the file locked before a call gives up. 0 to 600,000 ms. @defaultValue 10_000 */
  readonly lockTimeoutMs?: number;
}

/**
 * Destinations in a table of a SQLite file. Nothing is opened before the first call; `close` may be called twice. Times are this host's.
 * @throws SendonceError OPTION_INVALID here; DESTINATIONS_UNAVAILABLE, DRIVER_MISSING from any call, which may be repeated.
 */
export function sqliteDestinations(options: SqliteDestinationsOptions): Destinations {
  checkAdapter('sqliteDestinations', options, RULES);
  const { file, database: given, table = 'sendonce_destinations', lockTimeoutMs = 10_000 } = options;
  if ((file === undefined) === (given === undefined)) invalid('sqliteDestinations: give either a file or a database');
  const place = sqlitePlace({
    ...{ file, database: given, lockTimeoutMs },
    schema: schemaOf(table),
    name: file ?? `the database of ${table}`,
  });
  let isClosed = false;

  function inside<T>(kind: 'IMMEDIATE' | 'DEFERRED', work: (connection: Connection) => T): Promise<T> {
    return told(`destinations in SQLite, table '${table}'`, async () => {
      if (isClosed) throw new Error('closed');
      const connection = await place.connect();
      return transaction(connection, kind, () => work(connection), place);
    });
  }

  const store: DestinationStore = {
    read: (keys) =>
      inside('DEFERRED', (connection) => {
        const rows = connection.all<Row>(
          `SELECT key, stamp, body FROM ${table} WHERE key IN (SELECT value FROM json_each(?))`,
          JSON.stringify(keys),
        );
        const found = new Map(rows.map(({ key, stamp, body }) => [key, { stamp, text: body }]));
        return { now: Date.now(), found: keys.map((key) => found.get(key) ?? null) };
      }),
    write: (changes) =>
      inside('IMMEDIATE', (connection) => {
        const stampOf = (key: string): string | null =>
          connection.get<Row>(`SELECT stamp FROM ${table} WHERE key = ?`, key)?.stamp ?? null;
        if (changes.some(({ key, was }) => stampOf(key) !== was)) return false;
        for (const { key, document, mark } of changes) {
          if (document === null) connection.run(`DELETE FROM ${table} WHERE key = ?`, key);
          else
            connection.run(
              `INSERT INTO ${table} (key, stamp, mark, body) VALUES (?, ?, ?, ?)
               ON CONFLICT (key) DO UPDATE SET stamp = excluded.stamp, mark = excluded.mark, body = excluded.body`,
              key,
              document.stamp,
              mark,
              document.text,
            );
        }
        return true;
      }),
    scan: ({ mark, after, max }) =>
      inside('DEFERRED', (connection) =>
        connection
          .all<Row>(`SELECT key, body FROM ${table} WHERE mark = ? AND key > ? ORDER BY key LIMIT ?`, mark, after, max)
          .map(({ key, body }) => ({ key, text: body })),
      ),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await place.close();
    },
  };
  return destinationsOver(store);
}

interface Row {
  readonly key: string;
  readonly stamp: string;
  readonly body: string;
}

function schemaOf(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (key TEXT PRIMARY KEY, stamp TEXT NOT NULL, mark TEXT, body TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ${plainName(table)}_marked ON ${table} (mark, key) WHERE mark IS NOT NULL;`;
}

const RULES: Record<keyof SqliteDestinationsOptions, Rule> = {
  file: textRule(4_096),
  database: OPEN_DATABASE_RULE,
  table: TABLE_RULE,
  lockTimeoutMs: numberRule({ least: 0, most: 600_000 }, ' ms'),
};
