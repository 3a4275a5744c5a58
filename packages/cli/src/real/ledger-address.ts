import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import type { Ledger } from '@sendonce/core';
import { flagError } from '../flags/flag-error.ts';

const SQLITE = 'sqlite:';

/** Reads `--ledger`; the file's path becomes absolute, because processes may be elsewhere. @throws SendonceError `FLAG_INVALID` */
export function parseLedger(text: string): string {
  const file = text.startsWith(SQLITE) ? text.slice(SQLITE.length) : '';
  if (file === '') throw flagError('ledger', text, 'sqlite: and the name of a file, such as sqlite:run.db');
  return SQLITE + resolve(file);
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'there is such a file, and a real run takes none that somebody may use, or that another run is using',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'one of the folders in its path is a file',
  EACCES: 'this user may not write there',
};

/**
 * Makes the ledger's file, which nobody can do twice: of two runs that name the same one, one is refused. Answers what takes it away
 * again where nothing was written into it.
 * @throws SendonceError `FLAG_INVALID`
 */
export function makeLedgerFile(address: string): () => void {
  const file = address.slice(SQLITE.length);
  try {
    closeSync(openSync(file, 'wx'));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw flagError('ledger', address, `the name of a new file: ${REASONS[code] ?? message}`);
  }
  return () => {
    if (statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file, { force: true });
  };
}

/** An empty ledger in the folder of the run. */
export function ledgerIn(folder: string): string {
  return `${SQLITE}${folder}/ledger.db`;
}

/** Opens what such an address names. */
export function openLedger(address: string, now: () => number): Ledger {
  return sqliteLedger({ file: address.slice(SQLITE.length), now });
}
