import { randomBytes } from 'node:crypto';
import { redisLedger } from '@sendonce/adapters/ledgers/redis';
import type { LedgerTerms } from '@sendonce/chaos/processes';
import type { Ledger } from '@sendonce/core';
import { named, nameIn } from './address.ts';
import { keepPassword } from './password.ts';
import type { Place, PlaceOptions } from './place.ts';
import { redisClient, removal } from './redis-client.ts';

/**
 * A ledger of the run's own in that Redis: keys that begin with a name made for it, removed after it.
 * @throws SendonceError LEDGER_REFUSED, LEDGER_UNAVAILABLE, DRIVER_MISSING
 */
export async function redisLedgerPlace(text: string, options: PlaceOptions): Promise<Place> {
  const name = `sendonce-run-${randomBytes(4).toString('hex')}`;
  const address = named(keepPassword(text, 'SENDONCE_LEDGER_PASSWORD'), name);
  const client = await redisClient(address, 'SENDONCE_LEDGER_PASSWORD');
  try {
    await redisLedger({ client, name, onWarning: () => undefined }).count();
  } catch (error) {
    client.disconnect();
    throw error;
  }
  return {
    address,
    restart: null,
    // Of somebody's server; a ledger of which single keys vanish is another story than one that is gone.
    wipe: null,
    remove: removal(client, `{${name}}:`, options),
  };
}

export async function openRedisLedger(address: string, { quarantineMs }: LedgerTerms): Promise<Ledger> {
  const client = await redisClient(address, 'SENDONCE_LEDGER_PASSWORD');
  const ledger = redisLedger({ client, name: nameIn(address), quarantineMs, onWarning: () => undefined });
  return {
    ...ledger,
    async close() {
      await ledger.close();
      client.disconnect();
    },
  };
}
