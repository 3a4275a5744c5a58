import { randomBytes } from 'node:crypto';
import { postgresLedger } from '@sendonce/adapters/ledgers/postgres';
import { SendonceError, type Ledger } from '@sendonce/core';
import type { Pool } from 'pg';
import { withoutPassword } from './address.ts';
import type { LedgerPlace } from './ledger-place.ts';

/** Connections of each process: a batch is one statement at a time, and a few of them overlap. */
const CONNECTIONS = 4;

/**
 * A schema of its own in that database, made for the run and dropped after it: whatever else is in the database is not looked at. A
 * password goes on to the processes in their environment, and not in what is printed.
 * @throws SendonceError LEDGER_REFUSED, LEDGER_UNAVAILABLE, DRIVER_MISSING
 */
export async function postgresPlace(text: string, { keep }: { readonly keep: boolean }): Promise<LedgerPlace> {
  const { password } = new URL(text);
  if (password !== '') process.env['PGPASSWORD'] = decodeURIComponent(password);
  const schema = `sendonce_run_${randomBytes(4).toString('hex')}`;
  const url = new URL(withoutPassword(text));
  url.hash = schema;
  const address = url.href;
  const pool = await poolAt(address);
  try {
    await postgresLedger({ client: pool, schema }).migrate();
  } catch (error) {
    await pool.end();
    throw error;
  }
  let isRemoved = false;
  return {
    address,
    async remove() {
      if (isRemoved) return;
      isRemoved = true;
      try {
        if (!keep) await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      } finally {
        await pool.end();
      }
    },
  };
}

export async function openPostgres(address: string): Promise<Ledger> {
  const pool = await poolAt(address);
  const ledger = postgresLedger({ client: pool, schema: new URL(address).hash.slice(1), onWarning: () => undefined });
  return {
    ...ledger,
    async close() {
      await ledger.close();
      if (!pool.ended) await pool.end();
    },
  };
}

async function poolAt(address: string): Promise<Pool> {
  const url = new URL(address);
  url.hash = '';
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new SendonceError('DRIVER_MISSING', "a ledger on PostgreSQL needs the 'pg' package; run: npm install pg", {
      cause,
    });
  });
  const pool = new pg.Pool({ connectionString: url.href, max: CONNECTIONS });
  // Whoever uses it next meets it, and tells.
  pool.on('error', () => undefined);
  return pool;
}
