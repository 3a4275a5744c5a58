import { ledgerCapabilities, type LedgerSubject } from '@sendonce/core/conformance';
import pg from 'pg';
import { migrate, postgresLedger, type PostgresLedgerOptions } from '../../../src/ledgers/postgres.ts';
import { server } from './server.ts';

let made = 0;

/** A schema with a ledger in it, and a clock that a test moves. Time passes beside: the laws allow for it. */
export async function schemaWithClock(
  url: string,
): Promise<{
  readonly pool: pg.Pool;
  readonly schema: string;
  elapse(ms: number): Promise<void>;
  drop(): Promise<void>;
}> {
  const schema = `law_${process.pid}_${(made += 1)}`;
  // The ledger asks for clock_timestamp() as everybody does; on these connections another one comes first.
  const pool = new pg.Pool({ connectionString: url, max: 4, options: `-c search_path=${schema}_clock,pg_catalog` });
  await pool.query(`CREATE SCHEMA ${schema}_clock;
    CREATE TABLE ${schema}_clock.passed (ms bigint NOT NULL);
    INSERT INTO ${schema}_clock.passed VALUES (0);
    CREATE FUNCTION ${schema}_clock.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql
      AS 'SELECT timestamptz ''2023-11-14'' + (SELECT ms FROM ${schema}_clock.passed) * interval ''1 millisecond''';`);
  await migrate({ client: pool, schema });
  return {
    pool,
    schema,
    elapse: async (ms) => void (await pool.query(`UPDATE ${schema}_clock.passed SET ms = ms + ${ms}`)),
    async drop() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE; DROP SCHEMA ${schema}_clock CASCADE`);
      await pool.end();
    },
  };
}

export function subjects(): (options?: Partial<PostgresLedgerOptions>) => Promise<LedgerSubject> {
  const running = server();
  return async (options = {}) => {
    const { pool, schema, elapse, drop } = await schemaWithClock((await running).url);
    const ledger = postgresLedger({ client: pool, schema, ...options });
    return {
      ledger,
      loseMemory: null,
      capabilities: ledgerCapabilities({ ledger, loseMemory: null }),
      unitMs: 1_000,
      elapse,
      async close() {
        await ledger.close();
        await drop();
      },
    };
  };
}
