import { SendonceError, type DeliveryVerdict, type Ledger, type Migrations } from '@sendonce/core';
import { recordLedger, type RecordStore } from '@sendonce/core/records';
import { unavailable } from '../internal/postgres/failures.ts';
import { MOST_AT_ONCE } from '../internal/postgres/grant-statement.ts';
import { grantDue } from '../internal/postgres/granting.ts';
import { housekeeping } from '../internal/postgres/housekeeping.ts';
import { inJoined } from '../internal/postgres/joined.ts';
import { openSchema } from '../internal/postgres/open.ts';
import {
  checkedOptions,
  checkedPlace,
  type PostgresLedgerOptions,
  type PostgresPlace,
} from '../internal/postgres/options.ts';
import { reading } from '../internal/postgres/reading.ts';
import { migrationText } from '../internal/postgres/schema.ts';
import { memoryOf } from '../internal/ahead/memory.ts';
import { transact, type Transacting } from '../internal/ahead/transact.ts';
import { postgresStore } from '../internal/postgres/store.ts';

export type { PostgresLike } from '../internal/postgres/connection.ts';
export type { PostgresLedgerOptions, PostgresPlace } from '../internal/postgres/options.ts';

/**
 * A ledger in a PostgreSQL database (13 or later), for as many processes on as many hosts as like. Nothing is asked before the first
 * call; `close` leaves the client open and may be called twice. `publish(..., { transaction })` takes the client on which the
 * application has begun a transaction in the same database.
 * @throws SendonceError OPTION_INVALID here; from any call LEDGER_NOT_MIGRATED, LEDGER_NEWER, LEDGER_REFUSED, LEDGER_LOCKED, LEDGER_FULL,
 * LEDGER_READ_ONLY, LEDGER_CORRUPT, LEDGER_UNAVAILABLE: the call may be repeated.
 */
export function postgresLedger(options: PostgresLedgerOptions): Ledger & Migrations {
  const given = checkedOptions(options);
  const memory = memoryOf(() => performance.now());
  const checked = { ...given, store: postgresStore(given, memory), crowd: { lanes: 1 }, makesDeliveries: false };
  const { query, schema, name } = checked;
  let opening: Promise<string> | null = null;
  let ownKey: string | null = null;
  let isClosed = false;
  let told = '';

  /** What was decided stands, whatever becomes of the housekeeping; but sizes grow where it never succeeds. */
  function tellOnce(error: unknown): void {
    const { message } = unavailable(error, name);
    if (message !== told) checked.warn(`housekeeping failed and is tried again: ${message}`);
    told = message;
  }

  async function open(): Promise<void> {
    if (isClosed) throw new SendonceError('LEDGER_UNAVAILABLE', `the ledger in schema '${name}' is closed`);
    // One for all first calls, however many come at once; after a failure the next call tries again.
    ownKey ??= await (opening ??= openSchema(checked).finally(() => (opening = null)));
  }

  const storeOf = (
    how: Pick<Transacting, 'recalls' | 'makesNotifications'> & { makesDeliveries?: boolean },
  ): RecordStore => ({
    async transact(work, about = {}) {
      if (about.join !== undefined) return inJoined(about.join, work, { about, options: checked, ownKey });
      await open();
      const { result, run } = await transact(work, about, { ...checked, ...how, memory });
      if (run.wantsHousekeeping) await keepHouse().catch(tellOnce);
      return result;
    },
  });
  const writing = recordLedger(storeOf({}));
  const inHand = recordLedger(storeOf({ recalls: true }));
  const keepHouse = housekeeping({ ...checked, record: (batch) => writing.record(batch) });

  /** Null: it has to be claimed by the steps alone. */
  async function claimAtOnce(
    ...[selector, lease]: Parameters<Ledger['claim']>
  ): Promise<readonly DeliveryVerdict[] | null> {
    if ('ids' in selector || selector.due < 1 || selector.due > MOST_AT_ONCE) return null;
    await open();
    const granted = await grantDue(selector, lease, { ...checked, memory }).catch((error: unknown) => {
      throw unavailable(error, name);
    });
    if (granted?.wantsHousekeeping === true) await keepHouse().catch(tellOnce);
    return granted?.verdicts ?? null;
  }

  return {
    capabilities: { shared: true, durable: true, transactions: true, file: null },
    ...writing,
    accept: recordLedger(storeOf({ recalls: true, makesNotifications: true })).accept,
    add: recordLedger(storeOf({ recalls: true, makesDeliveries: true })).add,
    claim: async (selector, lease) => (await claimAtOnce(selector, lease)) ?? writing.claim(selector, lease),
    mark: inHand.mark,
    settle: inHand.settle,
    renew: inHand.renew,
    release: inHand.release,
    // Once to have it stand, and once more to see what was marked by those who had not seen it.
    suppress: async (batch) => {
      await writing.suppress(batch);
      return writing.suppress(batch);
    },
    ...reading(async (text, values) => {
      await open();
      return query(text, values).catch((error: unknown) => {
        throw unavailable(error, name);
      });
    }, schema),
    migrate: () =>
      migrate({ client: options.client, ...(options.schema === undefined ? {} : { schema: options.schema }) }),
    migrationSql: () => migrationText(schema),
    close() {
      isClosed = true;
      return Promise.resolve();
    },
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
