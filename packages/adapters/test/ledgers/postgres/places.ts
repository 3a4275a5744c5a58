import type { Ledger } from '@sendonce/core';
import pg from 'pg';
import { afterAll, afterEach } from 'vitest';
import {
  migrate,
  postgresLedger,
  type PostgresLedgerOptions,
  type PostgresLike,
} from '../../../src/ledgers/postgres.ts';
import type { Place } from '../processes/protocol.ts';
import { server } from './server.ts';

export type PostgresPlace = Extract<Place, { kind: 'postgres' }>;

export interface Places {
  url(): Promise<string>;
  /** A schema of its own, migrated. */
  make(): Promise<PostgresPlace>;
  /** A pool that is ended after the test. */
  pool(url: string, config?: pg.PoolConfig): pg.Pool;
  open(place: PostgresPlace, options?: Partial<PostgresLedgerOptions>): Ledger;
}

let made = 0;

export function places(): Places {
  const running = server();
  const pools: pg.Pool[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(pools.splice(0).map((each) => each.end()));
  };
  afterEach(end);
  afterAll(end);

  function pool(url: string, config: pg.PoolConfig = {}): pg.Pool {
    const opened = new pg.Pool({ connectionString: url, max: 4, ...config });
    opened.on('error', () => undefined);
    pools.push(opened);
    return opened;
  }

  return {
    url: async () => (await running).url,
    pool,
    async make() {
      const { url } = await running;
      const schema = `test_${process.pid}_${(made += 1)}`;
      await migrate({ client: pool(url), schema });
      return { kind: 'postgres', url, schema };
    },
    open: ({ url, schema }, options = {}) => postgresLedger({ client: pool(url), schema, ...options }),
  };
}

/** A client that does something just before it sends a statement that writes: once for each function given, in order. */
export function interrupted(client: PostgresLike, ...before: (() => unknown)[]): PostgresLike {
  return {
    async query(text, values) {
      if (text.includes('verdict')) await before.shift()?.();
      return client.query(text, values);
    },
  };
}
