import type { Migrations } from '@sendonce/core';
import type { Rule } from '@sendonce/core/internal';
import { inboxOn, POLL_RULE } from '../internal/inbox/inbox-on.ts';
import type { Inbox, InboxOptions } from '../internal/inbox/inbox.ts';
import { postgresSchema } from '../internal/inbox/postgres-schema.ts';
import { failed, postgresStore } from '../internal/inbox/postgres-store.ts';
import { DEFAULT_TABLE } from '../internal/inbox/store.ts';
import { checkAdapter } from '../internal/options.ts';
import { TABLE_RULE } from '../internal/table.ts';
import { queryOf, type PostgresLike } from '../internal/postgres/connection.ts';
import { CLIENT_RULE } from '../internal/postgres/options.ts';

export type * from '../internal/inbox/inbox.ts';

export interface PostgresInboxOptions extends InboxOptions {
  /** A `pg.Pool` or `pg.Client`, or an object whose `query(text, values)` answers rows. `close` leaves it open. */
  readonly client: PostgresLike;
  /** Its tables' and functions' names begin so; also as 'schema.table'. @defaultValue 'sendonce_inbox' */
  readonly table?: string;
}

/** The SQL that makes the tables and functions, for psql or a migration tool. It may be run again. @throws SendonceError OPTION_INVALID */
export function inboxSchema({ table = DEFAULT_TABLE }: Pick<PostgresInboxOptions, 'table'> = {}): string {
  checkAdapter('inboxSchema', { table }, { table: TABLE_RULE });
  return postgresSchema(table);
}

/**
 * Inboxes in a PostgreSQL database (13 or later), for as many processes on as many hosts as like. Its times are the server's.
 * `migrate()` makes the tables, or brings them up to date: once per release, before it is used; a second call changes nothing.
 * @throws SendonceError OPTION_INVALID here; LEDGER_NOT_MIGRATED from a call without the tables
 */
export function postgresInbox(options: PostgresInboxOptions): Inbox & Migrations {
  checkAdapter('postgresInbox', options, RULES);
  const { client, table = DEFAULT_TABLE, pollMs } = options;
  const query = queryOf(client);
  return {
    ...inboxOn(postgresStore(query, table), { pollMs }),
    async migrate() {
      try {
        await query(postgresSchema(table));
      } catch (error) {
        throw failed(error, table);
      }
    },
    migrationSql: () => postgresSchema(table),
  };
}

const RULES: Record<keyof PostgresInboxOptions, Rule> = {
  client: { ...CLIENT_RULE, required: true },
  table: TABLE_RULE,
  pollMs: POLL_RULE,
};
