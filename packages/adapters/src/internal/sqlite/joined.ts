import { SendonceError } from '@sendonce/core';
import { shown } from '@sendonce/core/internal';
import { connectionOf, type Connection, type SqliteDatabaseLike } from './database.ts';
import { codeOf, isDriverError, unavailable } from './failures.ts';
import { isInTransaction } from './in-transaction.ts';
import { isDatabase, type CheckedOptions } from './options.ts';
import { migrate, SCHEMA_VERSION, versionOf } from './schema.ts';
import { session, type Session } from './session.ts';

/**
 * Runs `work` in the transaction that the caller has begun on this connection: all of it or nothing, and the transaction goes on either
 * way. `own` is the ledger's connection, where it has one already.
 * @throws SendonceError OPTION_INVALID for a connection that cannot be joined; LEDGER_LOCKED and the other codes of a ledger.
 */
export function inJoined<T>(
  given: unknown,
  work: (joined: Session) => T,
  { checked, own }: { readonly checked: CheckedOptions; readonly own: Connection | null },
): T {
  if (!isDatabase(given)) throw invalid(`must be ${WANTED}, got ${shown(given)}`);
  try {
    const connection = usable(() => joinable(given, checked, own));
    return whole(given, () => {
      // Looked at anew each time: what an earlier transaction made (the tables, above all) may have been rolled back with it.
      if (versionOf(connection) !== SCHEMA_VERSION) migrate(connection, checked.file);
      const result = work(session(connection, checked));
      if (own !== null && own.database !== given) checkLocks(connection, own);
      return result;
    });
  } catch (error) {
    if (!isDriverError(error)) throw error;
    if (codeOf(error) !== 'SQLITE_BUSY') throw unavailable(error, checked.file);
    throw new SendonceError(
      'LEDGER_LOCKED',
      `'${checked.file}' is being written by another program, and a transaction that was begun to read cannot wait for it; roll it back and begin it again, with BEGIN IMMEDIATE (SQLite says: ${(error as Error).message})`,
      { cause: error },
    );
  }
}

const WANTED = 'the open connection (better-sqlite3, libsql or node:sqlite) whose transaction is to be joined';

/** @throws SendonceError OPTION_INVALID for a connection that cannot be joined; else what its driver says. */
function joinable(given: SqliteDatabaseLike, checked: CheckedOptions, own: Connection | null): Connection {
  const connection = connectionOf(given);
  checkTransaction(connection);
  checkFile(connection, checked, own);
  return connection;
}

/** What is no error of SQLite, before anything was done, is about what was given: closed, or something that only looks like one. */
function usable<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof SendonceError || isDriverError(error)) throw error;
    throw invalid(
      `must be ${WANTED}; this one cannot be used (it says: ${error instanceof Error ? error.message : shown(error)})`,
      error,
    );
  }
}

/** What fails half-way must not be committed with what the application goes on to write. */
function whole<T>(database: SqliteDatabaseLike, act: () => T): T {
  database.exec('SAVEPOINT sendonce');
  try {
    const result = act();
    database.exec('RELEASE sendonce');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK TO sendonce; RELEASE sendonce');
    } catch {
      // A full disk or an input/output error has rolled back everything already; the first error is the one to tell of.
    }
    throw error;
  }
}

function checkTransaction(connection: Connection): void {
  if (!isInTransaction(connection.database))
    throw invalid(
      'this connection has no transaction open; begin one before the publish, and await the publish before its end',
    );
  // What is read here decides whether something was accepted before; nobody may take that back afterwards.
  if (connection.get<{ read_uncommitted: number }>('PRAGMA read_uncommitted')?.read_uncommitted === 1)
    throw invalid('this connection reads what others have not committed; run PRAGMA read_uncommitted = 0 on it first');
  if (connection.get<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode === 'off')
    throw invalid('this connection cannot roll back; run PRAGMA journal_mode = WAL on it, before the transaction');
}

function checkFile(connection: Connection, checked: CheckedOptions, own: Connection | null): void {
  const file = fileOf(connection);
  const ledger = checked.realPath() ?? fileOf(own ?? connectionOf(checked.connect()));
  // A database in memory has no name, and is of one connection.
  const isSame = file === ledger && (file !== '' || connection.database === (own?.database ?? checked.connect()));
  if (!isSame)
    throw invalid(
      `this connection is to '${file || ':memory:'}', and the ledger is '${ledger || ':memory:'}': one transaction needs one file`,
    );
}

function fileOf(connection: Connection): string {
  const databases = connection.all<{ name: string; file: string | null }>('PRAGMA database_list');
  return databases.find(({ name }) => name === 'main')?.file ?? '';
}

/**
 * Locks of files belong to the process: two SQLite libraries in one process do not see each other's, write at the same time, and damage
 * the file. While the joined transaction holds the lock, the ledger's own connection must not get it.
 */
function checkLocks(connection: Connection, own: Connection): void {
  // Whatever was done so far may only have read.
  connection.run('UPDATE sendonce_schema SET version = version WHERE 0');
  try {
    own.database.exec('BEGIN IMMEDIATE');
  } catch {
    return;
  }
  own.database.exec('ROLLBACK');
  throw invalid(
    "this connection and the ledger's own were opened by two SQLite libraries, which in one process do not see each other's locks and would damage the file; open the ledger with the library of your application: sqliteLedger({ database: new Database(file) })",
  );
}

function invalid(what: string, cause?: unknown): SendonceError {
  return new SendonceError('OPTION_INVALID', `transaction: ${what}`, cause === undefined ? {} : { cause });
}
