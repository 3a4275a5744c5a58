import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { SendonceError } from '@sendonce/core';
import type { Connection } from './database.ts';
import { codeOf, isDriverError, unavailable } from './failures.ts';

export interface TransactionOptions {
  readonly file: string;
  /** How long another program may keep the file locked before a call gives up, ms. */
  readonly lockTimeoutMs: number;
}

/** First and longest wait between two tries to lock the file, ms. */
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;

/**
 * Runs `work` between BEGIN and COMMIT; when it throws, nothing is written.
 * @throws SendonceError LEDGER_LOCKED, LEDGER_FULL, LEDGER_READ_ONLY, LEDGER_CORRUPT or LEDGER_UNAVAILABLE; what `work` threw, as it is.
 */
export function transaction<T>(
  connection: Connection,
  kind: 'IMMEDIATE' | 'DEFERRED',
  work: () => T,
  options: TransactionOptions,
): Promise<T> {
  return patiently(() => once(connection, kind, work), options);
}

/**
 * Does it again while somebody else has the file locked, with pauses that leave this process free for everything else, instead of
 * SQLite's own, which would stop it.
 */
export async function patiently<T>(act: () => T, { file, lockTimeoutMs }: TransactionOptions): Promise<T> {
  // Whatever else is ready in this turn comes first: what it has to write then joins the next call, instead of paying for one of its own.
  await turn();
  const giveUpAt = performance.now() + lockTimeoutMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return act();
    } catch (error) {
      if (!isDriverError(error)) throw error;
      if (codeOf(error) !== 'SQLITE_BUSY') throw unavailable(error, file);
      if (performance.now() >= giveUpAt)
        throw new SendonceError(
          'LEDGER_LOCKED',
          `'${file}' has been locked by another program for ${lockTimeoutMs} ms; nothing was written, and the call may be repeated`,
          { cause: error },
        );
    }
    // Several processes that wait for the same lock must not come back at the same moment for ever.
    await delay(waitMs * (0.5 + Math.random() / 2));
  }
}

function once<T>({ database }: Connection, kind: string, work: () => T): T {
  database.exec(`BEGIN ${kind}`);
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: Connection['database']): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // A full disk or an input/output error has rolled it back already; the first error is the one to tell of.
  }
}
