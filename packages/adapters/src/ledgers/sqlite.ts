import { SendonceError, type Ledger } from '@sendonce/core';
import { epochs, recordLedger, type RecordStore } from '@sendonce/core/records';
import { connectionOf, type Connection, type SqliteDatabaseLike } from '../internal/sqlite/database.ts';
import { unavailable } from '../internal/sqlite/failures.ts';
import { fileWatch } from '../internal/sqlite/file-watch.ts';
import { inJoined } from '../internal/sqlite/joined.ts';
import { checkLoneLog } from '../internal/sqlite/lone-log.ts';
import { checkedOptions, type CheckedOptions, type SqliteLedgerOptions } from '../internal/sqlite/options.ts';
import { reading, type Snapshot } from '../internal/sqlite/reading.ts';
import { isCurrent, migrate } from '../internal/sqlite/schema.ts';
import { readEpoch, session, writeEpoch, type Session } from '../internal/sqlite/session.ts';
import { tick } from '../internal/sqlite/store-clock.ts';
import { patiently, transaction } from '../internal/sqlite/transaction.ts';

export type { SqliteDatabaseLike, SqliteStatementLike, SqlValue } from '../internal/sqlite/database.ts';
export type { SqliteLedgerOptions } from '../internal/sqlite/options.ts';

/**
 * A ledger in one SQLite file, for as many processes of one host as like. Nothing is opened before the first call; `close` may be called
 * twice. Its tables begin with `sendonce_`, so an application's own may be in the same file, and `publish(..., { transaction })` takes
 * the application's connection to it, inside a transaction that the application begins and ends.
 * @throws SendonceError OPTION_INVALID here; from any call LEDGER_LOCKED, LEDGER_FULL, LEDGER_READ_ONLY, LEDGER_CORRUPT, LEDGER_NEWER,
 * LEDGER_UNAVAILABLE, DRIVER_MISSING: nothing of that call was written then, and it may be repeated.
 */
export function sqliteLedger(options: SqliteLedgerOptions): Ledger {
  const checked = checkedOptions(options);
  const { now } = checked;
  let opening: Promise<Opened> | null = null;
  let opened: Opened | null = null;
  let isClosed = false;

  async function open(): Promise<Opened> {
    // One for all first calls, however many come at once; after a failure the next call tries again.
    if (opened === null && !isClosed) opened = await (opening ??= openLedger(checked).finally(() => (opening = null)));
    if (isClosed || opened === null)
      throw new SendonceError('LEDGER_UNAVAILABLE', `the ledger of '${checked.file}' is closed`);
    opened.watch();
    return opened;
  }

  const store: RecordStore = {
    async transact(work, about = {}) {
      if (about.join !== undefined) {
        const own = opened?.connection ?? null;
        return inJoined(about.join, (joined) => joined.run(work, about), { checked, own });
      }
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
      const last = opened ?? (await opening?.catch(() => null)) ?? null;
      opened = null;
      if (checked.isOurs) last?.connection.database.close();
    },
  };
}

/**
 * Says that a file was restored from a copy, so that what it forgot may have been sent: nothing moves for `quarantineMs` (at least the
 * longest dispatch window plus the queue's visibility), then every delivery that is not settled counts as unknown. Call it after the
 * copy is in place and before a worker starts; a second call starts the quarantine again.
 */
export async function markRestored(options: SqliteLedgerOptions, quarantineMs: number): Promise<void> {
  const checked = checkedOptions(options);
  const { connection } = await openLedger(checked);
  await transaction(
    connection,
    'IMMEDIATE',
    () => {
      const now = tick(connection, checked.now());
      const before = readEpoch(connection, now);
      const epoch = epochs(before);
      epoch.begin(now, quarantineMs);
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

async function openLedger(checked: CheckedOptions): Promise<Opened> {
  const { file, isOurs, synchronous } = checked;
  let database: SqliteDatabaseLike | null = null;
  const path = checked.realPath();
  if (path !== null) checkLoneLog(path, file);
  try {
    database = checked.connect();
    // Waiting for a lock is ours to do: SQLite would stop the whole process for it.
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('PRAGMA read_uncommitted = 0');
    const connection = connectionOf(database);
    await patiently(() => connection.database.exec('PRAGMA journal_mode = WAL'), checked);
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    // Whoever may only read can still look at tables that are up to date.
    const isReady = await transaction(connection, 'DEFERRED', () => isCurrent(connection, file), checked);
    if (!isReady) await transaction(connection, 'IMMEDIATE', () => migrate(connection, file), checked);
    return { connection, own: session(connection, checked), watch: fileWatch(checked.path, file) };
  } catch (error) {
    if (isOurs) database?.close();
    throw error instanceof SendonceError ? error : unavailable(error, file);
  }
}
