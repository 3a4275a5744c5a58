import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll } from 'vitest';
import { memoryInbox } from '../../src/inboxes/memory.ts';
import { postgresInbox } from '../../src/inboxes/postgres.ts';
import { redisInbox } from '../../src/inboxes/redis.ts';
import { sqliteInbox } from '../../src/inboxes/sqlite.ts';
import { server } from '../ledgers/postgres/server.ts';
import { redisServer } from '../support/redis-server.ts';
import { POLL_MS, type Place } from './suite.ts';

let names = 0;
const freshName = (): string => `inbox_${process.pid}_${(names += 1)}`;
const pollMs = POLL_MS;

export function memoryPlace(): Promise<Place> {
  let now = Date.UTC(2026, 2, 1);
  const elapse = async (ms: number): Promise<void> => void (now += ms);
  return Promise.resolve({ inbox: memoryInbox({ pollMs, now: () => now }), elapse });
}

export function sqlitePlace(): Promise<Place & { readonly file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-inbox-'));
  const file = join(folder, 'inbox.db');
  return Promise.resolve({
    file,
    inbox: sqliteInbox({ file, pollMs }),
    other: sqliteInbox({ file, pollMs }),
    close: async () => rmSync(folder, { recursive: true }),
  });
}

/** On the server of this test process; a pool for the file. */
export function postgresPlaces(): () => Promise<Place & { readonly pool: pg.Pool; readonly table: string }> {
  const running = server();
  let pool: pg.Pool | null = null;
  afterAll(() => pool?.end());
  return async () => {
    const client = (pool ??= new pg.Pool({ connectionString: (await running).url, max: 20 }));
    const table = freshName();
    const inbox = postgresInbox({ client, table, pollMs });
    await inbox.migrate();
    await inbox.migrate();
    return { inbox, other: postgresInbox({ client, table, pollMs }), pool: client, table };
  };
}

export function redisPlaces(): () => Promise<Place & { readonly client: Redis; readonly name: string }> {
  const running = redisServer();
  let client: Redis | null = null;
  afterAll(async () => {
    client?.disconnect();
    await (await running).close();
  });
  return async () => {
    const own = (client ??= new Redis((await running).port, '127.0.0.1'));
    const name = freshName();
    return {
      inbox: redisInbox({ client: own, name, pollMs }),
      other: redisInbox({ client: own, name, pollMs }),
      client: own,
      name,
    };
  };
}
