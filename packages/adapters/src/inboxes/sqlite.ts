import { resolve } from 'node:path';
import { numberRule, type Rule } from '@sendonce/core/internal';
import { inboxOn, POLL_RULE } from '../internal/inbox/inbox-on.ts';
import type { Inbox, InboxOptions } from '../internal/inbox/inbox.ts';
import { sqliteSchema, sqliteStore, type InboxPlace } from '../internal/inbox/sqlite-store.ts';
import { DEFAULT_TABLE } from '../internal/inbox/store.ts';
import { checkAdapter, invalid } from '../internal/options.ts';
import { TABLE_RULE } from '../internal/table.ts';
import type { SqliteDatabaseLike } from '../internal/sqlite/database.ts';
import { OPEN_DATABASE_RULE } from '../internal/sqlite/options.ts';
import { sqlitePlace } from '../internal/sqlite/place.ts';

export type * from '../internal/inbox/inbox.ts';

export interface SqliteInboxOptions extends InboxOptions {
  /**
   * The file, made when it is missing, opened with node:sqlite, else with the `libsql` package; it may be the ledger's. Either this or
   * `database`.
   */
  readonly file?: string;
  /** An open database of better-sqlite3, libsql or node:sqlite, for this inbox alone. `close` leaves it open. */
  readonly database?: SqliteDatabaseLike;
  /** Its tables' names begin so. @defaultValue 'sendonce_inbox' */
  readonly table?: string;
  /** How long another program may keep the file locked before a call gives up. 0 to 600,000 ms. @defaultValue 10_000 */
  readonly lockTimeoutMs?: number;
}

/** The SQL that makes the tables. It may be run again; an inbox does it by itself. @throws SendonceError OPTION_INVALID */
export function inboxSchema({ table = DEFAULT_TABLE }: Pick<SqliteInboxOptions, 'table'> = {}): string {
  checkAdapter('inboxSchema', { table }, { table: TABLE_RULE });
  return sqliteSchema(table);
}

/**
 * Inboxes in a SQLite file, for the processes of one host. Opened, and its tables made, by the first call. Times are this host's.
 * @throws SendonceError OPTION_INVALID here; DRIVER_MISSING from the first call
 */
export function sqliteInbox(options: SqliteInboxOptions): Inbox {
  checkAdapter('sqliteInbox', options, RULES);
  const { pollMs } = options;
  if ((options.file === undefined) === (options.database === undefined))
    invalid('sqliteInbox: give either file or database');
  return inboxOn(sqliteStore(placeOf(options)), { pollMs });
}

function placeOf({ file, database, table = DEFAULT_TABLE, lockTimeoutMs = 10_000 }: SqliteInboxOptions): InboxPlace {
  const place = sqlitePlace({
    ...{ database, lockTimeoutMs },
    file: file && resolve(file),
    schema: sqliteSchema(table),
    name: file ?? `the inbox ${table}`,
  });
  let isClosed = false;
  return {
    ...place,
    table,
    async connect() {
      if (isClosed) invalid(`inbox in '${place.file}': it is closed`);
      return place.connect();
    },
    close() {
      isClosed = true;
      return place.close();
    },
  };
}

const RULES: Record<keyof SqliteInboxOptions, Rule> = {
  file: { must: 'a path', fits: (value) => typeof value === 'string' && value !== '' },
  database: OPEN_DATABASE_RULE,
  table: TABLE_RULE,
  lockTimeoutMs: numberRule({ least: 0, most: 600_000 }, ' ms'),
  pollMs: POLL_RULE,
};
