import { randomBytes } from 'node:crypto';
import { postgresLedger } from '@sendonce/adapters/ledgers/postgres';
import type { Ledger } from '@sendonce/core';
import type { Pool } from 'pg';
import { named, nameIn, serverOf, withoutPassword } from './address.ts';
import { driver } from './driver.ts';
import { once, type Place, type PlaceOptions } from './place.ts';

/** Connections of each process: a batch is one statement at a time, and a few of them overlap. */
const CONNECTIONS = 4;

/**
 * A schema of its own in that database, made for the run and dropped after it: whatever else is in the database is not looked at. A
 * password goes on to the processes in their environment, and not in what is printed.
 * @throws SendonceError LEDGER_REFUSED, LEDGER_UNAVAILABLE, DRIVER_MISSING
 */
export async function postgresPlace(text: string, { keep }: PlaceOptions): Promise<Place> {
  const { password } = new URL(text);
  if (password !== '') process.env['PGPASSWORD'] = decodeURIComponent(password);
  const schema = `sendonce_run_${randomBytes(4).toString('hex')}`;
  const address = named(withoutPassword(text), schema);
  const pool = await poolAt(address);
  try {
    await postgresLedger({ client: pool, schema }).migrate();
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    address,
    restart: null,
    wipe: null,
    remove: once(async () => {
      try {
        if (!keep) await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      } finally {
        await pool.end();
      }
    }),
  };
}

export async function openPostgres(address: string): Promise<Ledger> {
  const pool = await poolAt(address);
  const ledger = postgresLedger({ client: pool, schema: nameIn(address), onWarning: () => undefined });
  return {
    ...ledger,
    async close() {
      await ledger.close();
      if (!pool.ended) await pool.end();
    },
  };
}

async function poolAt(address: string): Promise<Pool> {
  const { default: pg } = await driver('a ledger on PostgreSQL', 'pg', () => import('pg'));
  const pool = new pg.Pool({ connectionString: serverOf(address).href, max: CONNECTIONS });
  // Whoever uses it next meets it, and tells.
  pool.on('error', () => undefined);
  return pool;
}
