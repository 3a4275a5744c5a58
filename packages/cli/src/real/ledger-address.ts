import type { LedgerTerms } from '@sendonce/chaos/processes';
import type { Ledger } from '@sendonce/core';
import { bareAddress, flagError } from '../flags/flag-error.ts';
import { isBare, isPostgres, isRedis, isSqlite, masked } from './address.ts';
import { firstCall } from './first-call.ts';
import type { Place, PlaceOptions } from './place.ts';
import { placeAt } from './servers/own-server.ts';
import { openSqlite, sqliteAddress, sqlitePlace } from './sqlite-place.ts';

/** Reads `--ledger`. @throws SendonceError `FLAG_INVALID` */
export function parseLedger(text: string): string {
  const address = isSqlite(text)
    ? sqliteAddress(text)
    : isPostgres(text) || isRedis(text) || isOwnLedger(text)
      ? text
      : null;
  if (address !== null) return address;
  throw isBare(text) ? bareAddress('ledger', text, FORMS) : flagError('ledger', masked(text), FORMS);
}

const FORMS =
  'sqlite: and the name of a file, such as sqlite:run.db; a server, such as postgres://user@127.0.0.1:5432/test or redis://127.0.0.1:6379; or postgres: or redis: alone, for one that the run starts itself';

function isOwnLedger(text: string): boolean {
  return text === 'postgres:' || text === 'redis:';
}

/** Makes an empty ledger there. @throws SendonceError `FLAG_INVALID`; LEDGER_REFUSED, LEDGER_UNAVAILABLE, DRIVER_MISSING */
export async function makeLedger(address: string, options: PlaceOptions): Promise<Place> {
  if (isSqlite(address)) return sqlitePlace(address);
  if (address === 'redis:') {
    const { ownRedis } = await import('./servers/redis.ts');
    return placeAt(await ownRedis('ledger'), makeLedger);
  }
  if (address === 'postgres:') {
    const { ownPostgres } = await import('./servers/postgres.ts');
    return placeAt(await ownPostgres('ledger'), makeLedger);
  }
  return firstCall(address, placeOf(address, options));
}

async function placeOf(address: string, options: PlaceOptions): Promise<Place> {
  if (isRedis(address)) return (await import('./redis-ledger-place.ts')).redisLedgerPlace(address, options);
  return (await import('./postgres-place.ts')).postgresPlace(address, options);
}

/** Opens what a place's address names. */
export async function openLedger(address: string, terms: LedgerTerms): Promise<Ledger> {
  if (isSqlite(address)) return openSqlite(address, terms.now);
  if (isRedis(address)) return (await import('./redis-ledger-place.ts')).openRedisLedger(address, terms);
  return (await import('./postgres-place.ts')).openPostgres(address);
}
