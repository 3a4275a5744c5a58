import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCluster, type Server } from '../../../adapters/test/ledgers/postgres/server.ts';
import { redisServer, type RedisServer } from '../../../adapters/test/support/redis-server.ts';
import { notify } from '../notify.ts';

let redis: RedisServer;
let postgres: Server;
beforeAll(async () => {
  [redis, postgres] = await Promise.all([redisServer(), startCluster(['fsync=off'])]);
});
afterAll(async () => {
  postgres.stop();
  await redis.close();
});

test.concurrent('judges a queue in Redis under names of its own, and removes them', async () => {
  const client = new Redis(redis.port, '127.0.0.1');
  await client.set('theirs', '1');
  const { code, stdout } = await notify(['verify', '--queue', `redis://127.0.0.1:${redis.port}`, '--law', 'ack']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^queue: 3 kept$/m) as string });
  expect(await client.keys('*')).toEqual(['theirs']);
  client.disconnect();
});

test.concurrent(
  'judges a ledger in PostgreSQL in schemas of its own, and drops them; no password is printed',
  async () => {
    const address = postgres.url.replace('postgres@', 'postgres:s3cret@');
    const { code, stdout, stderr } = await notify(['verify', '--ledger', address, '--law', 'batch']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^ledger: \d+ kept$/m) as string });
    expect(stdout + stderr).not.toContain('s3cret');
    const client = new pg.Client(postgres.url);
    await client.connect();
    const { rows } = await client.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'sendonce%'");
    await client.end();
    expect(rows).toEqual([]);
  },
);

test.concurrent('says that a server is out of reach', async () => {
  const { code, stderr } = await notify(['verify', '--ledger', 'postgres://postgres@127.0.0.1:1/x', '--law', 'accept']);
  expect({ code, stderr }).toEqual({ code: 70, stderr: expect.stringContaining('LEDGER_UNAVAILABLE') as string });
});

test.concurrent('judges a ledger in a file of its own', async () => {
  const { code, stdout } = await notify(['verify', '--ledger', 'sqlite:', '--law', 'batch']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^ledger: \d+ kept$/m) as string });
});

test.concurrent('leads no ledger along random histories whose clock goes on by itself', async () => {
  const { code, stdout } = await notify([
    'verify',
    '--ledger',
    postgres.url,
    '--law',
    'random history',
    '--walks',
    '1',
  ]);
  expect({ code, stdout }).toEqual({
    code: 4,
    stdout: expect.stringMatching(/with seed 1\n {10}cannot be judged: needs 'elapse'/) as string,
  });
});
