import type { Ledger } from '@sendonce/core';
import { flagError } from '../flags/flag-error.ts';
import { isPostgres, isSqlite } from './address.ts';
import type { LedgerPlace } from './ledger-place.ts';
import { openSqlite, sqliteAddress, sqlitePlace } from './sqlite-place.ts';

/** Reads `--ledger`. @throws SendonceError `FLAG_INVALID` */
export function parseLedger(text: string): string {
  const address = isSqlite(text) ? sqliteAddress(text) : isPostgres(text) ? text : null;
  if (address !== null) return address;
  throw flagError(
    'ledger',
    text,
    'sqlite: and the name of a file, such as sqlite:run.db, or a database, such as postgres://user@127.0.0.1:5432/test',
  );
}

/** Whether the ledger's time is its server's own, which goes as fast as it goes. */
export function hasOwnClock(address: string): boolean {
  return !isSqlite(address);
}

/** Makes an empty ledger there. @throws SendonceError `FLAG_INVALID`; LEDGER_REFUSED, LEDGER_UNAVAILABLE, DRIVER_MISSING */
export async function makePlace(address: string, options: { readonly keep: boolean }): Promise<LedgerPlace> {
  if (isSqlite(address)) return sqlitePlace(address);
  const { postgresPlace } = await import('./postgres-place.ts');
  return postgresPlace(address, options);
}

/** Opens what a place's address names. */
export async function openLedger(address: string, now: () => number): Promise<Ledger> {
  if (isSqlite(address)) return openSqlite(address, now);
  const { openPostgres } = await import('./postgres-place.ts');
  return openPostgres(address);
}
