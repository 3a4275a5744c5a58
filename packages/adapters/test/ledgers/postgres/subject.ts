import type { Ledger } from '@sendonce/core';
import { ledgerCapabilities, type LedgerSubject } from '@sendonce/core/conformance';
import pg from 'pg';
import { afterAll } from 'vitest';
import { memoryOf, type Memory } from '../../../src/internal/ahead/memory.ts';
import { ledgerOn } from '../../../src/internal/postgres/ledger.ts';
import { checkedOptions } from '../../../src/internal/postgres/options.ts';
import { migrate, type PostgresLedgerOptions } from '../../../src/ledgers/postgres.ts';
import { server } from './server.ts';

/** A schema with an empty ledger in it, and a clock that stands still until a test moves it. */
export interface ClockedSchema {
  readonly pool: pg.Pool;
  readonly schema: string;
  elapse(ms: number): Promise<void>;
  /** Empties it for the next that asks. */
  giveBack(): Promise<void>;
}

export const TABLES: readonly string[] =
  'notifications pages deliveries states contents messages claims kept suppressions blocks strays sums'.split(' ');

let made = 0;

/** Schemas are used again and again: to make one takes as long as ten calls. */
export function clockedSchemas(): () => Promise<ClockedSchema> {
  const running = server();
  const pools: pg.Pool[] = [];
  const free: ClockedSchema[] = [];
  afterAll(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
  });
  return async () => free.pop() ?? makeOne((await running).url);

  async function makeOne(url: string): Promise<ClockedSchema> {
    const schema = `clocked_${process.pid}_${(made += 1)}`;
    // The ledger asks for clock_timestamp() as everybody does; on these connections another one comes first.
    const pool = new pg.Pool({
      connectionString: url,
      max: 4,
      options: `-c search_path=${schema}_clock,pg_catalog -c synchronous_commit=local`,
    });
    pool.on('error', () => undefined);
    pools.push(pool);
    await pool.query(`CREATE SCHEMA ${schema}_clock;
      CREATE TABLE ${schema}_clock.passed (ms bigint NOT NULL);
      INSERT INTO ${schema}_clock.passed VALUES (0);
      CREATE FUNCTION ${schema}_clock.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql
        AS 'SELECT timestamptz ''2023-11-14'' + (SELECT ms FROM ${schema}_clock.passed) * interval ''1 millisecond''';`);
    await migrate({ client: pool, schema });
    const own: ClockedSchema = {
      pool,
      schema,
      elapse: async (ms) => void (await pool.query(`UPDATE ${schema}_clock.passed SET ms = ms + ${ms}`)),
      async giveBack() {
        await pool.query(`${TABLES.map((table) => `DELETE FROM ${schema}.${table};`).join(' ')}
          UPDATE ${schema}.store SET changed_at = NULL, quiet_until = 0, reckoned = true, identity = ${schema}.identity()`);
        free.push(own);
      },
    };
    return own;
  }
}

/** Of a store whose clock stands still: what is reckoned is exactly what that says, until a test moves it. */
export function stillMemory(): Memory {
  return memoryOf(() => 0);
}

export async function subjectOn(
  schemas: () => Promise<ClockedSchema>,
  open = (options: PostgresLedgerOptions): Ledger => ledgerOn(checkedOptions(options), stillMemory()),
): Promise<LedgerSubject> {
  const { pool, schema, elapse, giveBack } = await schemas();
  const warnings: string[] = [];
  const ledger = open({ client: pool, schema, onWarning: (each) => warnings.push(each) });
  return {
    ledger,
    loseMemory: null,
    capabilities: ledgerCapabilities({ ledger, loseMemory: null }),
    unitMs: 1_000,
    elapse,
    async close() {
      await ledger.close();
      await giveBack();
      if (warnings.length > 0) throw new Error(warnings.join('\n'));
    },
  };
}
