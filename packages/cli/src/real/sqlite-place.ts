import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import type { Ledger } from '@sendonce/core';
import { flagError } from '../flags/flag-error.ts';
import type { Place } from './place.ts';

const SQLITE = 'sqlite:';

/** The file's path becomes absolute, because processes may be elsewhere. Null: names no file. */
export function sqliteAddress(text: string): string | null {
  const file = text.slice(SQLITE.length);
  return file === '' ? null : SQLITE + resolve(file);
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'there is such a file, and a real run takes none that somebody may use, or that another run is using',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'one of the folders in its path is a file',
  EACCES: 'this user may not write there',
};

/**
 * Makes the ledger's file, which nobody can do twice: of two runs that name the same one, one is refused. What was written into it stays.
 * @throws SendonceError `FLAG_INVALID`
 */
export function sqlitePlace(address: string): Place {
  const file = address.slice(SQLITE.length);
  try {
    closeSync(openSync(file, 'wx'));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw flagError('ledger', address, `the name of a new file: ${REASONS[code] ?? message}`);
  }
  return {
    address,
    restart: null,
    wipe: null,
    async remove() {
      if (statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file, { force: true });
    },
  };
}

/** An empty ledger in the folder of the run. */
export function sqliteIn(folder: string): string {
  return `${SQLITE}${folder}/ledger.db`;
}

export function openSqlite(address: string, now: () => number): Ledger {
  return sqliteLedger({ file: address.slice(SQLITE.length), now });
}
