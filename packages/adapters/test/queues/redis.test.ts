import { Cluster, Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Queue } from '@sendonce/core';
import { redisQueue, type RedisQueueOptions, type UnreadableMessage } from '../../src/queues/redis.ts';
import { subjectOf, testQueueLaws } from '../support/queue-laws.ts';
import { redisServer, type RedisServer } from '../support/redis-server.ts';

let server: RedisServer;
let clusterServer: RedisServer;
let client: Redis;
let cluster: Cluster;
beforeAll(async () => {
  [server, clusterServer] = await Promise.all([redisServer(), redisServer({ cluster: true })]);
  client = new Redis(server.port, '127.0.0.1');
  const node = new Redis(clusterServer.port, '127.0.0.1');
  await node.cluster('ADDSLOTSRANGE', 0, 16_383);
  await vi.waitFor(async () => expect(await node.cluster('INFO')).toContain('cluster_state:ok'), 10_000);
  node.disconnect();
  cluster = new Cluster([{ host: '127.0.0.1', port: clusterServer.port }]);
});
afterAll(async () => {
  client.disconnect();
  cluster.disconnect();
  await Promise.all([server.close(), clusterServer.close()]);
});

const closing: Queue[] = [];
afterEach(async () => {
  for (const queue of closing.splice(0)) await queue.close();
});

let names = 0;
function fresh(options: Partial<RedisQueueOptions> = {}): Queue {
  const queue = redisQueue({ client, name: `q${(names += 1)}`, ...options });
  closing.push(queue);
  return queue;
}

// Laws about time run beside other tests: half of a delay is longer than a busy machine stalls.
const UNIT_MS = 300;
const LAW_OPTIONS = { visibilityMs: 10 * UNIT_MS };

testQueueLaws('the Redis queue', () =>
  subjectOf(redisQueue({ client, name: `l${(names += 1)}`, ...LAW_OPTIONS }), UNIT_MS),
);
testQueueLaws('the Redis queue in a Cluster', () =>
  subjectOf(redisQueue({ client: cluster, name: `l${(names += 1)}`, ...LAW_OPTIONS }), UNIT_MS),
);

describe('the Redis queue', () => {
  test('hands out first what came first', async () => {
    const queue = fresh();
    await queue.enqueue([{ id: 'd_1' }]);
    await expect.poll(() => client.time()).not.toEqual(await client.time());
    await queue.enqueue([{ id: 'd_2.with.dots' }]);
    const wakes = await queue.receive({ max: 10, waitMs: 0 });
    expect(wakes.map(({ id }) => id)).toEqual(['d_1', 'd_2.with.dots']);
  });

  test('wakes whoever waits at the moment something comes', async () => {
    const queue = fresh();
    await queue.receive({ max: 1, waitMs: 50 });
    const waiting = queue.receive({ max: 1, waitMs: 20_000 });
    const began = performance.now();
    await queue.enqueue([{ id: 'd_1' }]);
    expect((await waiting).map(({ id }) => id)).toEqual(['d_1']);
    expect(performance.now() - began).toBeLessThan(700);
  });

  test('refuses, one by one, what is more than it may hold', async () => {
    const queue = fresh({ name: 'bounded', maxWakes: 2 });
    const results = await queue.enqueue([{ id: 'd_1' }, { id: 'd_2' }, { id: 'd_3' }]);
    const full = { ok: false, error: "the queue 'bounded' holds 2 wakes, its most" };
    expect(results).toEqual([{ ok: true }, { ok: true }, full]);
    expect(await queue.depth()).toBe(2);
  });

  test('keeps nothing in Redis of what was acked', async () => {
    const queue = fresh({ name: 'emptied' });
    await queue.enqueue([{ id: 'd_1' }, { id: 'd_2' }]);
    await queue.ack(await queue.receive({ max: 2, waitMs: 0 }));
    expect(await client.keys('{sendonce:emptied}*')).toEqual([]);
  });

  test('moves what is no wake to where it can be seen, tells of it, and hands out the rest', async () => {
    const told: UnreadableMessage[] = [];
    const onUnreadable = (message: UnreadableMessage): never => {
      told.push(message);
      throw new Error('a listener that fails');
    };
    const queue = fresh({ name: 'shared', onUnreadable });
    await client.zadd('{sendonce:shared}:wakes', '1', 'somebody else', '2', '');
    await queue.enqueue([{ id: 'd_1' }]);
    expect((await queue.receive({ max: 10, waitMs: 0 })).map(({ id }) => id)).toEqual(['d_1']);
    const where = "moved to the sorted set '{sendonce:shared}:unreadable'";
    expect(told).toEqual([
      { body: 'somebody else', where },
      { body: '', where },
    ]);
    expect(await client.zrange('{sendonce:shared}:unreadable', '0', '-1')).toEqual(['', 'somebody else']);
    expect(await queue.depth()).toBe(1);
  });

  test('says so when its key holds something else', async () => {
    await client.set('{sendonce:taken}:wakes', 'a text');
    await expect(fresh({ name: 'taken' }).receive({ max: 1, waitMs: 0 })).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
      message: expect.stringMatching(/^the Redis queue 'taken': Redis refused: WRONGTYPE/),
    });
  });

  test('leaves the client that it was given open', async () => {
    const queue = fresh();
    await queue.enqueue([{ id: 'd_1' }]);
    await queue.close();
    expect(await client.ping()).toBe('PONG');
    await expect(queue.depth()).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
  });

  test.each([
    ['a connection that is made when it is needed', { lazyConnect: true }],
    ['commands that are refused before it is connected', { enableOfflineQueue: false }],
    ['a prefix for all keys', { keyPrefix: 'shop:' }],
    ['no subscriptions after a reconnect', { autoResubscribe: false }],
  ])('works with a client of %s', async (_, settings) => {
    const own = new Redis(server.port, '127.0.0.1', settings);
    const queue = fresh({ client: own });
    await queue.enqueue([{ id: 'd_1' }]);
    expect(await queue.ack(await queue.receive({ max: 1, waitMs: 1_000 }))).toEqual([{ ok: true }]);
    own.disconnect();
  });

  const node =
    "redisQueue: client must be a client of the 'ioredis' package: new Redis(...) or new Redis.Cluster(...), got";
  test.each<[string, unknown, string]>([
    ['no options', undefined, 'redisQueue: the options must be an object, got undefined'],
    ['no client', {}, `${node} something of type undefined`],
    ['an address for a client', { client: 'redis://127.0.0.1' }, `${node} a text of 17 characters`],
    ['a client of another package', { client: { evalSha() {}, duplicate() {} } }, `${node} something of type object`],
    [
      'an option that is none',
      { visibility: 1 },
      'redisQueue: visibility is not an option; known: client, name, visibilityMs',
    ],
  ])('refuses %s', (_, options, message) => {
    expect(() => redisQueue(options as RedisQueueOptions)).toThrow(message);
  });

  test.each<[keyof RedisQueueOptions, unknown]>([
    ['name', ''],
    ['name', '{a}'],
    ['visibilityMs', 0],
    ['maxWakes', 0.5],
    ['timeoutMs', 0],
    ['onUnreadable', 'console.log'],
  ])('refuses %s %j', (option, value) => {
    expect(() => redisQueue({ client, [option]: value })).toThrow(`redisQueue: ${option} must be `);
  });

  test('refuses more wakes in one call than it declares', async () => {
    const wakes = Array.from({ length: 1_001 }, (_, i) => ({ id: `d_${i}` }));
    await expect(fresh().enqueue(wakes)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});
