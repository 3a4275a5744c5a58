import { SendonceError, type Destinations, type Migrations } from '@sendonce/core';
import type { Rule } from '@sendonce/core/internal';
import { destinationsOver, type DestinationStore } from '@sendonce/core/records';
import { told } from '../internal/destinations/failures.ts';
import { checkAdapter } from '../internal/options.ts';
import { plainName, TABLE_RULE } from '../internal/table.ts';
import { tableMigrationSql } from '../internal/table-migrations.ts';
import { queryOf, type PostgresLike } from '../internal/postgres/connection.ts';
import { isConflict, sqlState } from '../internal/postgres/failures.ts';
import { CLIENT_RULE } from '../internal/postgres/options.ts';
import { CLOCK_MS } from '../internal/postgres/schema.ts';

export type { PostgresLike } from '../internal/postgres/connection.ts';

export interface PostgresDestinationsOptions {
  /** A `pg.Pool` or `pg.Client`, or an object whose `query(text, values)` answers rows; in no transaction. `close` leaves it open. */
  readonly client: PostgresLike;
  /** Made by `migrate`, or by `destinationsSchema` in another tool, with its `..._version` beside it. @defaultValue 'sendonce_destinations' */
  readonly table?: string;
}

const DEFAULT_TABLE = 'sendonce_destinations';

/** The SQL that makes the table, for psql or a migration tool. It may be run again, also at once. @throws SendonceError OPTION_INVALID */
export function destinationsSchema({ table = DEFAULT_TABLE }: Pick<PostgresDestinationsOptions, 'table'> = {}): string {
  checkAdapter('destinationsSchema', { table }, { table: TABLE_RULE });
  const first = `CREATE TABLE IF NOT EXISTS ${table} (
  key text COLLATE "C" PRIMARY KEY,
  stamp text NOT NULL,
  mark text COLLATE "C",
  body text NOT NULL
);
CREATE INDEX IF NOT EXISTS ${plainName(table)}_marked ON ${table} (mark, key) WHERE mark IS NOT NULL;`;
  return tableMigrationSql({ table, steps: [first] });
}

/**
 * Destinations in a table of a PostgreSQL database (13 or later): the ledger's, or another. Times are the server's.
 * @throws SendonceError OPTION_INVALID here; DESTINATIONS_NOT_MIGRATED, DESTINATIONS_UNAVAILABLE from any call, which may be repeated.
 */
export function postgresDestinations(options: PostgresDestinationsOptions): Destinations & Migrations {
  checkAdapter('postgresDestinations', options, RULES);
  const { client, table = DEFAULT_TABLE } = options;
  const query = queryOf(client);
  const asking = <T>(work: () => Promise<T>): Promise<T> =>
    told(`destinations in PostgreSQL, table '${table}'`, async () => {
      try {
        return await work();
      } catch (error) {
        throw NOT_MIGRATED.has(sqlState(error) ?? '') ? notMigrated(table, error) : error;
      }
    });

  const store: DestinationStore = {
    read: (keys) =>
      asking(async () => {
        const rows = await query(
          `SELECT ${CLOCK_MS}::text AS now, d.key, d.stamp, d.body FROM (SELECT 1) AS one
           LEFT JOIN ${table} AS d ON d.key = ANY (ARRAY(SELECT json_array_elements_text($1::json)))`,
          [JSON.stringify(keys)],
        );
        const found = new Map(rows.map(({ key, stamp, body }) => [key, { stamp: stamp ?? '', text: body ?? '' }]));
        return { now: Number(rows[0]?.['now']), found: keys.map((key) => found.get(key) ?? null) };
      }),
    write: (changes) =>
      asking(async () => {
        const given = changes.map(({ key, was, document, mark }) => ({
          key,
          was,
          mark,
          stamp: document?.stamp ?? null,
          body: document?.text ?? null,
        }));
        try {
          // What is there is locked first, in one order, and looked at as it is then; what is not there is somebody's who inserts first.
          const [row] = await query(
            `WITH given AS (SELECT * FROM json_to_recordset($1::json) AS g(key text, was text, stamp text, mark text, body text)),
               locked AS MATERIALIZED (
                 SELECT d.key, d.stamp FROM ${table} AS d WHERE d.key = ANY (ARRAY(SELECT key FROM given)) ORDER BY d.key FOR UPDATE),
               judged AS MATERIALIZED (
                 SELECT bool_and(g.was IS NOT DISTINCT FROM l.stamp) AS fits FROM given AS g LEFT JOIN locked AS l USING (key)),
               made AS (
                 INSERT INTO ${table} (key, stamp, mark, body)
                 SELECT key, stamp, mark, body FROM given WHERE was IS NULL AND stamp IS NOT NULL AND (SELECT fits FROM judged)
                 ORDER BY key),
               changed AS (
                 UPDATE ${table} AS d SET stamp = g.stamp, mark = g.mark, body = g.body FROM given AS g
                 WHERE d.key = ANY (ARRAY(SELECT key FROM given)) AND d.key = g.key AND g.was IS NOT NULL AND g.stamp IS NOT NULL AND (SELECT fits FROM judged)),
               removed AS (
                 DELETE FROM ${table} AS d USING given AS g
                 WHERE d.key = ANY (ARRAY(SELECT key FROM given)) AND d.key = g.key AND g.was IS NOT NULL AND g.stamp IS NULL AND (SELECT fits FROM judged))
             SELECT fits::text AS fits FROM judged`,
            [JSON.stringify(given)],
          );
          return row?.['fits'] === 'true';
        } catch (error) {
          if (isConflict(error)) return false;
          throw error;
        }
      }),
    scan: ({ mark, after, max }) =>
      asking(async () => {
        const rows = await query(
          `SELECT key, body FROM ${table} WHERE mark = $1::text AND key > $2::text ORDER BY key LIMIT $3::int`,
          [mark, after, String(max)],
        );
        return rows.map(({ key, body }) => ({ key: key ?? '', text: body ?? '' }));
      }),
    close: () => Promise.resolve(),
  };

  return {
    ...destinationsOver(store),
    migrate: () => asking(async () => void (await query(destinationsSchema({ table })))),
    migrationSql: () => destinationsSchema({ table }),
  };
}

const NOT_MIGRATED: ReadonlySet<string> = new Set(['3F000', '42P01', '42703']);

function notMigrated(table: string, cause: unknown): SendonceError {
  return new SendonceError(
    'DESTINATIONS_NOT_MIGRATED',
    `there is no table '${table}' of destinations; run once: npx notify migrate (with --print it prints the SQL for another tool), or from code: await destinations.migrate()`,
    { cause },
  );
}

const RULES: Record<keyof PostgresDestinationsOptions, Rule> = {
  client: { ...CLIENT_RULE, required: true },
  table: TABLE_RULE,
};
