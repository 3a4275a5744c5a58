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

/** An empty ledger in the folder of the run. */
export function ledgerIn(folder: string): string {
  return `${SQLITE}${folder}/ledger.db`;
}

/** Opens what such an address names. */
export function openLedger(address: string, now: () => number): Ledger {
  return sqliteLedger({ file: address.slice(SQLITE.length), now });
}
