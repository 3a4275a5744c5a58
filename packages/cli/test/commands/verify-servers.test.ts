import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCluster, type Server } from '../../../adapters/test/ledgers/postgres/server.ts';
import { rabbitmqServer, type RabbitmqServer } from '../../../adapters/test/support/rabbitmq-server.ts';
import { redisServer, type RedisServer } from '../../../adapters/test/support/redis-server.ts';
import { sqsServer, type SqsServer } from '../../../adapters/test/support/sqs-server.ts';
import { notify } from '../notify.ts';

let redis: RedisServer;
let postgres: Server;
let rabbitmq: RabbitmqServer;
let sqs: SqsServer;
beforeAll(async () => {
  [redis, postgres, rabbitmq, sqs] = await Promise.all([
    redisServer(),
    startCluster(['fsync=off']),
    rabbitmqServer(),
    sqsServer(),
  ]);
}, 120_000);
afterAll(async () => {
  postgres.stop();
  await Promise.all([redis.close(), rabbitmq.close(), sqs.close()]);
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

test.concurrent('judges a queue in SQS in queues of its own, and deletes them', async () => {
  const { code, stdout } = await notify(['verify', '--queue', `sqs+http://127.0.0.1:${sqs.port}`, '--law', 'ack']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^queue: 3 kept$/m) as string });
  expect((await sqs.client.send(new ListQueuesCommand({}))).QueueUrls ?? []).toEqual([]);
});

test.concurrent(
  'judges a queue in RabbitMQ in queues of its own, and deletes them; no password is printed',
  async () => {
    const { code, stdout, stderr } = await notify(['verify', '--queue', rabbitmq.url, '--law', 'ack']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^queue: 3 kept$/m) as string });
    expect(stdout + stderr).not.toContain('guest:guest');
    expect((await rabbitmq.ctl('-q', 'list_queues', '--no-table-headers', 'name')).trim()).toBe('');
  },
);

test.concurrent.each([
  ['--ledger', 'postgres://postgres@127.0.0.1:1/x', 'LEDGER_UNAVAILABLE'],
  ['--ledger', 'redis://127.0.0.1:1', 'LEDGER_UNAVAILABLE'],
  ['--queue', 'redis://127.0.0.1:1', 'QUEUE_UNAVAILABLE'],
  ['--queue', 'sqs+http://127.0.0.1:1', 'QUEUE_UNAVAILABLE'],
  ['--queue', 'amqp://127.0.0.1:1', 'QUEUE_UNAVAILABLE'],
])('says that the server of %s %s is out of reach', async (flag, address, error) => {
  const { code, stderr } = await notify(['verify', flag, address, '--law', 'twice']);
  const said = expect.stringContaining(`${error}: ${address} does not answer (`) as string;
  expect({ code, stderr }).toEqual({ code: 70, stderr: said });
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
