import { statSync } from 'node:fs';
import { SendonceError } from '@sendonce/core';

/**
 * Refuses a file that is missing or empty while a log of SQLite (`-wal`) lies beside it: that is all that is left of another database,
 * and SQLite would throw it away when it makes the new one. `path`: with links followed.
 * @throws SendonceError LEDGER_CORRUPT; nothing was opened.
 */
export function checkLoneLog(path: string, file: string): void {
  if (sizeOf(path) > 0 || sizeOf(`${path}-wal`) === 0) return;
  throw new SendonceError(
    'LEDGER_CORRUPT',
    `'${file}' is missing or empty, but the log of a database of that name lies beside it ('${path}-wal', ${sizeOf(`${path}-wal`)} bytes) and would be lost; ` +
      'nothing was opened. Put the file that belongs to it back in its place; or, where nobody needs it, move the log away',
  );
}

/** 0 where there is none. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
