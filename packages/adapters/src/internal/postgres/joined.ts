import { SendonceError } from '@sendonce/core';
import type { Records, Transaction } from '@sendonce/core/records';
import { queryOf, type Query } from './connection.ts';
import { sqlState, unavailable } from './failures.ts';
import { isClient, type CheckedOptions } from './options.ts';
import { postgresStore } from './store.ts';
import type { PostgresBell } from './wakes.ts';
import { transact, type Transacting } from '../ahead/transact.ts';

/** How long a transaction of REPEATABLE READ tries for a key that another one has just used, and that it will never see. */
const MOST_WAIT_MS = 1_000;

type Joining = Omit<Transacting, 'store'> &
  Pick<CheckedOptions, 'name' | 'schema' | 'contentRetentionMs' | 'retentionMs' | 'tombstoneRetentionMs'>;

/**
 * Runs `work` in the transaction that the caller has begun on this connection: all of it or nothing, and the transaction goes on either
 * way. `ownKey` is that of the ledger's database, where it is known already.
 * @throws SendonceError OPTION_INVALID for a connection that cannot be joined; the codes of a ledger.
 */
export async function inJoined<T>(
  given: unknown,
  work: (records: Records) => T,
  {
    about,
    options,
    ownKey,
    bell,
  }: {
    readonly about: Transaction;
    readonly options: Joining;
    readonly ownKey: string | null;
    readonly bell: PostgresBell | null;
  },
): Promise<T> {
  if (!isClient(given))
    throw invalid(
      `must be the connection whose transaction is to be joined (a pg client after BEGIN, or an object with query(text, values) on it), got ${typeof given}`,
    );
  const client = queryOf(given);
  await savepoint(() => client('SAVEPOINT sendonce'), options.name);
  const query: Query = async (text, values) => {
    try {
      return await client(text, values);
    } catch (error) {
      // What fails must not take the caller's transaction with it.
      if (sqlState(error) !== null) await client('ROLLBACK TO SAVEPOINT sendonce').catch(() => null);
      // What this transaction may not see, it will not see at a second try either.
      if (sqlState(error) === '40001') throw serialization(options.name, error);
      throw error;
    }
  };
  const lockTimeoutMs = Math.min(options.lockTimeoutMs, MOST_WAIT_MS);
  const store = postgresStore({ ...options, query });
  const { result, known } = await transact(work, about, { ...options, lockTimeoutMs, store });
  if (ownKey !== null && known.store?.key !== ownKey) {
    await client('ROLLBACK TO SAVEPOINT sendonce');
    throw invalid('this connection is to another database than the ledger: one transaction needs one database');
  }
  await bell?.ringIn(query).catch((error: unknown) => {
    throw unavailable(error, options.name);
  });
  await client('RELEASE SAVEPOINT sendonce');
  return result;
}

async function savepoint(make: () => Promise<unknown>, name: string): Promise<void> {
  try {
    await make();
  } catch (error) {
    // no_active_sql_transaction
    if (sqlState(error) === '25P01')
      throw invalid(
        'this connection has no transaction open (a pool gives each statement another connection); take one client, BEGIN on it, and await the publish before its end',
      );
    throw unavailable(error, name);
  }
}

function serialization(name: string, cause: unknown): SendonceError {
  return new SendonceError(
    'LEDGER_LOCKED',
    `ledger in schema '${name}': another transaction was ahead of this one; roll it back and begin it again`,
    { cause },
  );
}

function invalid(what: string): SendonceError {
  return new SendonceError('OPTION_INVALID', `transaction: ${what}`);
}
