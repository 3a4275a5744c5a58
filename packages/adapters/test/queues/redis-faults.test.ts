import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ItemResult, Queue, ReceivedWake } from '@sendonce/core';
import { ACK, DEPTH, ENQUEUE, HIDE, RECEIVE, type Script } from '../../src/internal/redis-queue/scripts.ts';
import { redisQueue, type RedisQueueOptions } from '../../src/queues/redis.ts';
import { EACH_ONCE, runWithPurges } from '../support/queue-run.ts';
import { redisServer, type RedisServer } from '../support/redis-server.ts';
import { tcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let server: RedisServer;
let proxy: TcpProxy;
let direct: Redis;
let client: Redis;
beforeAll(async () => {
  server = await redisServer();
});
afterAll(() => server.close());

const closing: Queue[] = [];
// Names begin anew: what one test broke must not be in another's way.
let names = 0;
async function through(options: Partial<RedisQueueOptions> = {}): Promise<Queue> {
  proxy = await tcpProxy(server.port);
  direct = new Redis(server.port, '127.0.0.1');
  // Known scripts: else the first reply says no more than that they are not.
  for (const { text } of [ACK, DEPTH, ENQUEUE, HIDE, RECEIVE]) await direct.script('LOAD', text);
  client = new Redis(proxy.port, '127.0.0.1', { lazyConnect: true });
  const queue = redisQueue({ client, name: `f${(names += 1)}`, visibilityMs: 300, timeoutMs: 2_000, ...options });
  closing.push(queue);
  return queue;
}
afterEach(async () => {
  for (const queue of closing.splice(0)) await queue.close();
  client.disconnect();
  direct.disconnect();
  await proxy.close();
});

const of =
  ({ sha }: Script) =>
  (request: Buffer) =>
    request.includes(sha);
const ids = (wakes: readonly ReceivedWake[]) => wakes.map(({ id }) => id);
const allOk = (results: readonly ItemResult[]) => results.every(({ ok }) => ok);
const WAIT = { max: 10, waitMs: 1_000 };

describe('a reply that is lost with its connection', () => {
  test('to enqueue makes no second wake', async () => {
    const queue = await through();
    await queue.depth();
    const lost = proxy.loseReply(of(ENQUEUE));
    expect(allOk(await queue.enqueue([{ id: 'd_1' }, { id: 'd_2' }]))).toBe(true);
    await lost;
    expect(proxy.connections).toBe(2);
    expect(await queue.depth()).toBe(2);
  });

  test('to receive delays its wakes by their visibility, and loses none', async () => {
    const queue = await through();
    await queue.enqueue([{ id: 'd_1' }]);
    const lost = proxy.loseReply(of(RECEIVE));
    const [again] = await queue.receive(WAIT);
    await lost;
    expect(again).toMatchObject({ id: 'd_1', receives: 2 });
  });

  test('to ack leaves the wake acked', async () => {
    const queue = await through();
    await queue.enqueue([{ id: 'd_1' }]);
    const wakes = await queue.receive(WAIT);
    const lost = proxy.loseReply(of(ACK));
    expect(await queue.ack(wakes)).toEqual([{ ok: true }]);
    await lost;
    expect(await queue.depth()).toBe(0);
  });

  test.each([
    ['release', (queue: Queue, wakes: readonly ReceivedWake[]) => queue.release(wakes, { delayMs: 10_000 })],
    ['extend', (queue: Queue, wakes: readonly ReceivedWake[]) => queue.extend(wakes, { leaseMs: 10_000 })],
  ])('to %s hides the wake as if it had come', async (_, hide) => {
    const queue = await through();
    await queue.enqueue([{ id: 'd_1' }]);
    const wakes = await queue.receive(WAIT);
    const lost = proxy.loseReply(of(HIDE));
    expect(await hide(queue, wakes)).toEqual([{ ok: true }]);
    await lost;
    expect(await queue.receive({ max: 1, waitMs: 400 })).toEqual([]);
    expect(await queue.depth()).toBe(1);
  });

  test('to a release without delay lets nobody touch what somebody else holds by now', async () => {
    const queue = await through({ visibilityMs: 10_000 });
    const other = redisQueue({ client: direct, name: `f${names}`, visibilityMs: 10_000 });
    closing.push(other);
    await queue.enqueue([{ id: 'd_1' }]);
    const wakes = await queue.receive(WAIT);
    const lost = proxy.loseReply(of(HIDE));
    const releasing = queue.release(wakes, { delayMs: 0 });
    await lost;
    const held = await other.receive(WAIT);
    expect(await releasing).toEqual([{ ok: false, error: 'the receipt is stale' }]);
    expect(await other.receive({ max: 1, waitMs: 0 })).toEqual([]);
    expect(await other.ack(held)).toEqual([{ ok: true }]);
  });

  test('to depth is asked for again', async () => {
    const queue = await through();
    await queue.enqueue([{ id: 'd_1' }]);
    const lost = proxy.loseReply(of(DEPTH));
    expect(await queue.depth()).toBe(1);
    await lost;
  });
});

describe('a connection that is half open', () => {
  const calls: readonly [string, (queue: Queue, wakes: readonly ReceivedWake[]) => Promise<unknown>][] = [
    ['enqueue', (queue) => queue.enqueue([{ id: 'd_2' }])],
    ['receive', (queue) => queue.receive(WAIT)],
    ['ack', (queue, wakes) => queue.ack(wakes)],
    ['release', (queue, wakes) => queue.release(wakes, { delayMs: 1 })],
    ['extend', (queue, wakes) => queue.extend(wakes, { leaseMs: 1 })],
    ['depth', (queue) => queue.depth()],
  ];
  test.each(calls)('makes %s say so in time, and the next call connects anew', async (_, call) => {
    const queue = await through({ timeoutMs: 300 });
    await queue.enqueue([{ id: 'd_1' }]);
    const wakes = await queue.receive(WAIT);
    proxy.swallow();
    await expect(call(queue, wakes)).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
      message: expect.stringContaining('Redis gave no answer within 300 ms'),
    });
    proxy.resume();
    expect(await queue.depth()).toBe(1);
  });

  test('never runs later what its caller has given up', async () => {
    const queue = await through({ timeoutMs: 300, visibilityMs: 60_000 });
    await queue.enqueue([{ id: 'd_1' }]);
    proxy.swallow();
    await expect(queue.receive(WAIT)).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
    // A client that were still there would hear of this end, connect again, and send again what it has.
    proxy.cut();
    proxy.resume();
    expect(ids(await queue.receive(WAIT))).toEqual(['d_1']);
    expect(await queue.receive({ max: 1, waitMs: 500 })).toEqual([]);
    // The first, the one after it, and the bell.
    expect(proxy.connections).toBe(3);
  });

  test('of the bell alone delays a wake by a second at most', async () => {
    const queue = await through();
    await queue.enqueue([{ id: 'd_0' }]);
    await queue.ack(await queue.receive(WAIT));
    await queue.receive({ max: 1, waitMs: 50 });
    const channel = `{sendonce:f${names}}:bell`;
    await expect.poll(() => direct.pubsub('NUMSUB', channel)).toEqual([channel, 1]);
    await direct.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    const waiting = queue.receive({ max: 1, waitMs: 5_000 });
    await queue.enqueue([{ id: 'd_1' }]);
    expect(ids(await waiting)).toEqual(['d_1']);
  });
});

describe('a server', () => {
  test('that nobody can reach makes a call say why, in time', async () => {
    const nowhere = new Redis(1, '127.0.0.1', { lazyConnect: true });
    const queue = redisQueue({ client: nowhere, name: 'far', timeoutMs: 300 });
    await expect(queue.receive(WAIT)).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
      message:
        "the Redis queue 'far': Redis gave no answer within 300 ms (connect ECONNREFUSED 127.0.0.1:1); the ledger brings the work back",
    });
    await queue.close();
  });

  test('that nobody can reach any more, whose client does not try again, makes a call say so', async () => {
    const nowhere = new Redis(1, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
    const queue = redisQueue({ client: nowhere, name: 'far', timeoutMs: 10_000 });
    await expect(queue.receive(WAIT)).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
      message: expect.stringContaining('the connection has ended'),
    });
    await queue.close();
  });

  test('that restarts empty is used again, with scripts that it does not know', async () => {
    const queue = await through({ timeoutMs: 5_000 });
    await queue.enqueue([{ id: 'd_1' }]);
    const wakes = await queue.receive(WAIT);
    await server.kill();
    await server.revive();
    expect(await queue.ack(wakes)).toEqual([{ ok: true }]);
    expect(await queue.depth()).toBe(0);
    await queue.enqueue([{ id: 'd_2' }]);
    expect(ids(await queue.receive(WAIT))).toEqual(['d_2']);
  });
});

test('a queue that is purged in the middle costs nobody a message', { timeout: 20_000 }, async () => {
  const queue = await through({ visibilityMs: 5_000 });
  expect(await runWithPurges(queue, async () => void (await direct.flushall()))).toEqual(EACH_ONCE);
});
