import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SendonceError, type Ledger } from '@sendonce/core';
import { epochs, recordLedger, type RecordStore } from '@sendonce/core/records';
import { connectionOf, type Connection, type SqliteDatabaseLike } from '../internal/sqlite/database.ts';
import { unavailable } from '../internal/sqlite/failures.ts';
import { openDatabase } from '../internal/sqlite/open-database.ts';
import { reading, type Snapshot } from '../internal/sqlite/reading.ts';
import { migrate, SCHEMA_VERSION, versionOf } from '../internal/sqlite/schema.ts';
import { readEpoch, session, writeEpoch, type Session, type SessionOptions } from '../internal/sqlite/session.ts';
import { patiently, transaction } from '../internal/sqlite/transaction.ts';

export type { SqliteDatabaseLike, SqliteStatementLike, SqlValue } from '../internal/sqlite/database.ts';

const DAY_MS = 86_400_000;

export interface SqliteLedgerOptions {
  /**
   * The file, made when it is missing, opened with node:sqlite, else with the `libsql` package. A relative path is one of the folder that
   * is current now. Either this or `database`.
   */
  readonly file?: string;
  /** An open database of better-sqlite3, libsql or node:sqlite, for this ledger alone. `close` leaves it open. */
  readonly database?: SqliteDatabaseLike;
  /**
   * `full`: a committed write survives a loss of power. `normal`: it survives the death of this process, but the last ones before a loss
   * of power may be gone; a mark among them means a message that is sent again without being declared. @defaultValue 'full'
   */
  readonly synchronous?: 'full' | 'normal';
  /** How long another program may keep the file locked before a call gives up. 0 to 600,000 ms. @defaultValue 10_000 */
  readonly lockTimeoutMs?: number;
  /** How long after it settled a delivery keeps its message and its recipient's data. 0 to `retentionMs`, ms. @defaultValue 7 days */
  readonly contentRetentionMs?: number;
  /**
   * How long a notification that is over is remembered: as long as a producer, a queue or an operator may repeat it, a repeat would be
   * sent again after that. At least 1 day, ms. @defaultValue 90 days
   */
  readonly retentionMs?: number;
  /** Epoch ms; all processes on one file have to agree. @defaultValue the clock of this host */
  readonly now?: () => number;
}

/**
 * A ledger in one SQLite file, for as many processes of one host as like. Nothing is opened before the first call; `close` may be called
 * twice. Its tables begin with `sendonce_`, so an application's own may be in the same file, and `publish(..., { transaction })` takes
 * the application's connection to it, inside a transaction that the application begins and ends.
 * @throws SendonceError OPTION_INVALID here; from any call LEDGER_LOCKED, LEDGER_FULL, LEDGER_READ_ONLY, LEDGER_CORRUPT, LEDGER_NEWER,
 * LEDGER_UNAVAILABLE, DRIVER_MISSING: nothing of that call was written then, and it may be repeated.
 */
export function sqliteLedger(options: SqliteLedgerOptions): Ledger {
  const checked = check(options);
  const { now } = checked;
  let opened: Opened | null = null;
  let isClosed = false;

  async function open(): Promise<Opened> {
    if (isClosed) throw new SendonceError('LEDGER_UNAVAILABLE', `the ledger of '${checked.file}' is closed`);
    opened ??= await openLedger(checked);
    opened.watch();
    return opened;
  }

  const store: RecordStore = {
    async transact(work, about = {}) {
      if (about.join !== undefined) return joined(about.join, checked).run(work, about);
      const { connection, own } = await open();
      return transaction(connection, 'IMMEDIATE', () => own.run(work, about), checked);
    },
  };
  const snapshot: Snapshot = async (read) => {
    const { connection } = await open();
    return transaction(connection, 'DEFERRED', () => read(connection), checked);
  };

  return {
    capabilities: { shared: true, durable: true, transactions: true, file: checked.path },
    ...recordLedger(store),
    ...reading(snapshot, now),
    async close() {
      isClosed = true;
      if (checked.isOurs) opened?.connection.database.close();
      opened = null;
    },
  };
}

/**
 * Says that a file was restored from a copy, so that what it forgot may have been sent: nothing moves for `quarantineMs` (at least the
 * longest dispatch window plus the queue's visibility), then every delivery that is not settled counts as unknown. Call it after the
 * copy is in place and before a worker starts; a second call starts the quarantine again.
 */
export async function markRestored(options: SqliteLedgerOptions, quarantineMs: number): Promise<void> {
  const checked = check(options);
  const { connection } = await openLedger(checked);
  await transaction(
    connection,
    'IMMEDIATE',
    () => {
      const before = readEpoch(connection, checked.now());
      const epoch = epochs(before);
      epoch.begin(checked.now(), quarantineMs);
      writeEpoch(connection, before, epoch.saved);
    },
    checked,
  );
  if (checked.isOurs) connection.database.close();
}

interface Opened {
  readonly connection: Connection;
  readonly own: Session;
  /** @throws SendonceError LEDGER_UNAVAILABLE when the file is not the one that was opened any more. */
  watch(): void;
}

interface Checked extends SessionOptions {
  /** As messages name it. */
  readonly file: string;
  readonly path: string | null;
  /** With links followed, as SQLite names it. */
  realPath(): string | null;
  readonly isOurs: boolean;
  readonly lockTimeoutMs: number;
  readonly synchronous: 'full' | 'normal';
  connect(): SqliteDatabaseLike;
}

async function openLedger(checked: Checked): Promise<Opened> {
  const { file, isOurs, synchronous } = checked;
  let database: SqliteDatabaseLike | null = null;
  try {
    database = checked.connect();
    // Waiting for a lock is ours to do: SQLite would stop the whole process for it.
    database.exec('PRAGMA busy_timeout = 0');
    const connection = connectionOf(database);
    await patiently(() => connection.database.exec('PRAGMA journal_mode = WAL'), checked);
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    // Whoever may only read can still look at tables that are up to date.
    const isCurrent = await transaction(
      connection,
      'DEFERRED',
      () => versionOf(connection) === SCHEMA_VERSION,
      checked,
    );
    if (!isCurrent) await transaction(connection, 'IMMEDIATE', () => migrate(connection, file), checked);
    return { connection, own: session(connection, checked), watch: watchOver(checked) };
  } catch (error) {
    if (isOurs) database?.close();
    throw error instanceof SendonceError ? error : unavailable(error, file);
  }
}

/** A file that was removed or replaced under an open connection would go on being written, for nobody to read. */
function watchOver({ path, file }: Checked): () => void {
  if (path === null) return () => undefined;
  const { ino } = statSync(path);
  let nextAt = 0;
  return () => {
    const at = performance.now();
    if (at < nextAt) return;
    if (statSync(path, { throwIfNoEntry: false })?.ino !== ino)
      throw new SendonceError(
        'LEDGER_UNAVAILABLE',
        `'${file}' was removed or replaced while it was open; stop every process that uses it, see that the right file is there, then start them again`,
      );
    nextAt = at + WATCH_MS;
  };
}
const WATCH_MS = 1_000;

/**
 * The session of a connection that the caller has begun a transaction on. Looked at anew each time: what an earlier transaction made
 * (the tables, above all) may have been rolled back with it.
 */
function joined(given: unknown, checked: Checked): Session {
  if (!isDatabase(given))
    throw new SendonceError(
      'OPTION_INVALID',
      `transaction must be the open connection (better-sqlite3, libsql or node:sqlite) whose transaction is to be joined, got ${typeof given}`,
    );
  const connection = connectionOf(given);
  if (!isInTransaction(given))
    throw new SendonceError(
      'OPTION_INVALID',
      'transaction: this connection has no transaction open; begin one before the publish, and await the publish before its end',
    );
  const file = fileOf(connection);
  if (checked.path !== null && file !== checked.realPath())
    throw new SendonceError(
      'OPTION_INVALID',
      `transaction: this connection is to '${file}', and the ledger is '${checked.path}': one transaction needs one file`,
    );
  if (versionOf(connection) !== SCHEMA_VERSION) migrate(connection, checked.file);
  return session(connection, checked);
}

/** No driver tells in the same way, and SQLite has no function for it, but it begins no transaction inside another. */
function isInTransaction(database: SqliteDatabaseLike): boolean {
  try {
    database.exec('BEGIN');
  } catch {
    return true;
  }
  database.exec('ROLLBACK');
  return false;
}

function fileOf(connection: Connection): string {
  const databases = connection.all<{ name: string; file: string | null }>('PRAGMA database_list');
  return databases.find(({ name }) => name === 'main')?.file ?? '';
}

function isDatabase(given: unknown): given is SqliteDatabaseLike {
  return typeof given === 'object' && given !== null && 'exec' in given && 'prepare' in given;
}

const OPTIONS: ReadonlySet<string> = new Set([
  'file',
  'database',
  'synchronous',
  'lockTimeoutMs',
  'contentRetentionMs',
  'retentionMs',
  'now',
] satisfies readonly (keyof SqliteLedgerOptions)[]);

function check(options: SqliteLedgerOptions): Checked {
  const { file, database, synchronous = 'full', now = Date.now } = options;
  const { lockTimeoutMs = 10_000, contentRetentionMs = 7 * DAY_MS, retentionMs = 90 * DAY_MS } = options;
  const wrong = (what: string): never => {
    throw new SendonceError('OPTION_INVALID', `sqliteLedger: ${what}`);
  };
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined) wrong(`there is no option '${unknown}'; there are ${[...OPTIONS].join(', ')}`);
  if ((file === undefined) === (database === undefined)) wrong('give either file or database');
  if (file !== undefined && (typeof file !== 'string' || file === ''))
    wrong(`file must be a path, got ${JSON.stringify(file)}`);
  if (database !== undefined && !isDatabase(database)) wrong('database must be an open database with exec and prepare');
  if (synchronous !== 'full' && synchronous !== 'normal')
    wrong(`synchronous must be 'full' or 'normal', got ${JSON.stringify(synchronous)}`);
  if (!(lockTimeoutMs >= 0 && lockTimeoutMs <= 600_000))
    wrong(`lockTimeoutMs must be 0 to 600000 ms, got ${lockTimeoutMs}`);
  if (!(retentionMs >= DAY_MS && Number.isFinite(retentionMs)))
    wrong(`retentionMs must be at least ${DAY_MS} ms (1 day), got ${retentionMs}`);
  if (!(contentRetentionMs >= 0 && contentRetentionMs <= retentionMs))
    wrong(`contentRetentionMs must be 0 to retentionMs (${retentionMs}), got ${contentRetentionMs}`);
  return {
    file: file ?? 'the given database',
    // Of the folder in which it was made, whatever becomes the current one later.
    path: file === undefined ? null : resolve(file),
    realPath: () => (file === undefined ? null : existsSync(file) ? realpathSync(file) : resolve(file)),
    isOurs: database === undefined,
    connect: () => database ?? openDatabase(resolve(file as string)),
    synchronous,
    lockTimeoutMs,
    contentRetentionMs,
    retentionMs,
    now,
  };
}
