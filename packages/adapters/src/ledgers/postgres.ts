import type { Ledger, Migrations } from '@sendonce/core';
import { memoryOf } from '../internal/ahead/memory.ts';
import { transact } from '../internal/ahead/transact.ts';
import { unavailable } from '../internal/postgres/failures.ts';
import { ledgerOn } from '../internal/postgres/ledger.ts';
import { openSchema } from '../internal/postgres/open.ts';
import {
  checkedOptions,
  checkedPlace,
  type PostgresLedgerOptions,
  type PostgresPlace,
} from '../internal/postgres/options.ts';
import { migrationText } from '../internal/postgres/schema.ts';
import { postgresStore } from '../internal/postgres/store.ts';

export type { PostgresLike } from '../internal/postgres/connection.ts';
export type { PostgresLedgerOptions, PostgresPlace } from '../internal/postgres/options.ts';
export type { PostgresListenerLike, PostgresWakes } from '../internal/postgres/wakes.ts';

/**
 * A ledger in a PostgreSQL database (13 or later), for as many processes on as many hosts as like. Nothing is asked before the first
 * call; `close` leaves the client open and may be called twice. `publish(..., { transaction })` takes the client on which the
 * application has begun a transaction in the same database.
 * @throws SendonceError OPTION_INVALID here; from any call LEDGER_NOT_MIGRATED, LEDGER_NEWER, LEDGER_REFUSED, LEDGER_LOCKED, LEDGER_FULL,
 * LEDGER_READ_ONLY, LEDGER_CORRUPT, LEDGER_UNAVAILABLE: the call may be repeated.
 */
export function postgresLedger(options: PostgresLedgerOptions): Ledger & Migrations {
  const checked = checkedOptions(options);
  return {
    ...ledgerOn(
      checked,
      memoryOf(() => performance.now()),
    ),
    migrate: () =>
      migrate({ client: options.client, ...(options.schema === undefined ? {} : { schema: options.schema }) }),
    migrationSql: () => migrationText(checked.schema),
  };
}

/**
 * Makes the ledger's tables, or brings them up to date. A second call changes nothing; of several at once one migrates while the others
 * wait. Call it before the first worker of a new release starts, as a user that may create a schema.
 * @throws SendonceError OPTION_INVALID, LEDGER_REFUSED, LEDGER_UNAVAILABLE
 */
export async function migrate(place: PostgresPlace): Promise<void> {
  const { query, name, schema } = checkedPlace('migrate', place);
  try {
    await query(migrationText(schema));
  } catch (error) {
    throw unavailable(error, name);
  }
}

/** What `migrate` runs, as one statement for psql or a migration tool. It may be run again. @throws SendonceError OPTION_INVALID */
export function migrationSql({ schema = 'sendonce' }: Pick<PostgresPlace, 'schema'> = {}): string {
  return migrationText(checkedPlace('migrationSql', { client: { query: () => Promise.resolve([]) }, schema }).schema);
}

/**
 * Says that the database was restored from a backup that PostgreSQL cannot tell from the original (a copy of its disk), so that what it
 * forgot may have been sent: nothing moves for `quarantineMs` (at least the longest dispatch window plus the queue's visibility), then
 * every delivery that is not settled counts as unknown. Call it before a worker starts; a second call starts the quarantine again. After
 * a failover, or a restore to a point in time, the ledger sees by itself that it is on another server or timeline.
 */
export async function markRestored(options: PostgresLedgerOptions, quarantineMs: number): Promise<void> {
  const checked = checkedOptions(options);
  await openSchema(checked);
  const acting = { ...checked, store: postgresStore(checked), crowd: { lanes: 1 }, makesDeliveries: false };
  await transact((records) => records.epochs.begin(records.now(), quarantineMs), {}, acting);
}
