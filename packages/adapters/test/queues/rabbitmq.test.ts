import { connect } from 'amqplib';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Queue } from '@sendonce/core';
import { amqpLibrary } from '../../src/internal/rabbitmq/library.ts';
import { MAX_DELAY_MS, stepOf } from '../../src/internal/rabbitmq/topology.ts';
import {
  rabbitmqQueue,
  rabbitmqQueueNames,
  type RabbitmqQueueOptions,
  type UnreadableMessage,
} from '../../src/queues/rabbitmq.ts';
import { subjectOf, testQueueLaws } from '../support/queue-laws.ts';
import { EACH_ONCE, runWithPurges } from '../support/queue-run.ts';
import { rabbitmqServer, type RabbitmqServer } from '../support/rabbitmq-server.ts';
import { tcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let server: RabbitmqServer;
let admin: Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['createChannel']>>;
let adminConnection: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  server = await rabbitmqServer();
  adminConnection = await connect(server.url);
  adminConnection.on('error', () => undefined);
  admin = await adminConnection.createChannel();
}, 120_000);
afterAll(async () => {
  await adminConnection.close().catch(() => undefined);
  await server.close();
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

let names = 0;
function fresh(options: Partial<RabbitmqQueueOptions> = {}): Queue {
  const queue = rabbitmqQueue({ url: server.url, name: `q${(names += 1)}`, ...options });
  closing.push(() => queue.close());
  return queue;
}

const UNIT_MS = 300;
// A quorum queue is slow to begin: that is not what the laws are about.
async function begun(): Promise<Queue> {
  const queue = rabbitmqQueue({
    url: server.url,
    name: `l${(names += 1)}`,
    visibilityMs: 5 * UNIT_MS,
    timeoutMs: 20_000,
  });
  await queue.depth();
  await queue.receive({ max: 1, waitMs: 0 });
  return queue;
}
testQueueLaws('the RabbitMQ queue', async () => subjectOf(await begun(), UNIT_MS), 8);

const WAIT = { max: 10, waitMs: 5_000 };

describe('the RabbitMQ queue', () => {
  test('hands out first what came first', async () => {
    const queue = fresh();
    await queue.enqueue([{ id: 'd_1' }, { id: 'd_2' }]);
    await vi.waitFor(async () => expect(await queue.depth()).toBe(2));
    const [first] = await queue.receive({ max: 1, waitMs: 5_000 });
    expect(first?.id).toBe('d_1');
  });

  test('keeps the count and the age of a wake that was released with a delay', async () => {
    const queue = fresh();
    await queue.enqueue([{ id: 'd_1' }]);
    await queue.release(await queue.receive(WAIT), { delayMs: 100 });
    const [again] = await queue.receive(WAIT);
    expect(again).toMatchObject({ id: 'd_1', receives: 2 });
    expect(again?.ageMs).toBeGreaterThanOrEqual(100);
    expect(await queue.receive({ max: 10, waitMs: 0 })).toEqual([]);
  });

  test('refuses, one by one, what is more than it may hold', async () => {
    const queue = fresh({ name: 'bounded', maxWakes: 1 });
    const refused = { ok: false, error: "RabbitMQ refused it; the queue 'bounded' may be full" };
    // A broker counts a little late.
    await vi.waitFor(async () => expect(await queue.enqueue([{ id: 'd_1' }])).toEqual([refused]), 5_000);
  });

  test('moves what is no wake to where it can be seen, tells of it, and hands out the rest', async () => {
    const told: UnreadableMessage[] = [];
    const queue = fresh({ name: 'shared', onUnreadable: (message) => told.push(message) });
    await queue.depth();
    for (const body of ['no JSON', '{"id":7}']) admin.sendToQueue('shared', Buffer.from(body));
    await vi.waitFor(async () => expect((await admin.checkQueue('shared')).messageCount).toBe(2));
    await queue.enqueue([{ id: 'd_1' }]);
    expect((await queue.receive(WAIT)).map(({ id }) => id)).toEqual(['d_1']);
    const where = "moved to the queue 'shared.unreadable'";
    expect(told).toEqual([
      { body: 'no JSON', where },
      { body: '{"id":7}', where },
    ]);
    await vi.waitFor(async () => expect((await admin.checkQueue('shared.unreadable')).messageCount).toBe(2));
  });

  test('gives to others what it received when nobody asks here any more', async () => {
    const [one, other] = [fresh({ name: 'idle', visibilityMs: 300 }), fresh({ name: 'idle' })];
    expect(await one.receive({ max: 1, waitMs: 10 })).toEqual([]);
    await one.enqueue([{ id: 'd_1' }, { id: 'd_2' }]);
    const wakes = await other.receive(WAIT);
    const rest = wakes.length === 2 ? [] : await other.receive(WAIT);
    expect([...wakes, ...rest].map(({ id }) => id).sort()).toEqual(['d_1', 'd_2']);
  });

  test('gives back what it holds when it is closed', async () => {
    const one = fresh({ name: 'closed' });
    await one.enqueue([{ id: 'd_1' }]);
    await one.receive(WAIT);
    await one.close();
    expect(await fresh({ name: 'closed' }).receive(WAIT)).toMatchObject([{ id: 'd_1', receives: 2 }]);
    await expect(one.enqueue([{ id: 'd_2' }])).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
  });

  test('leaves no connection behind when it is closed while it connects', async () => {
    const proxy = await tcpProxy(server.port);
    closing.push(() => proxy.close());
    const queue = fresh({ url: `amqp://guest:guest@127.0.0.1:${proxy.port}` });
    const opening = queue.depth();
    await vi.waitFor(() => expect(proxy.connections).toBe(1));
    await queue.close();
    await expect(opening).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
    await vi.waitFor(() => expect(proxy.open).toBe(0), 5_000);
  });

  test('says so when the queue is there with other settings', async () => {
    await admin.assertQueue('classic', { durable: true });
    await expect(fresh({ name: 'classic' }).enqueue([{ id: 'd_1' }])).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
      message: expect.stringMatching(/^the RabbitMQ queue 'classic': .*PRECONDITION[-_]FAILED/),
    });
  });

  test.each([
    [1, 100],
    [100, 100],
    [101, 125],
    [800, 932],
    [30_500, 33_088],
    [900_000, 900_000],
    [9_000_000, 900_000],
  ])('lets a delay of %i ms wait %i ms, a quarter longer at most', (delayMs, stepMs) => {
    expect(stepOf(delayMs)).toBe(stepMs);
  });

  test('can name every queue that it may have declared', () => {
    const names = rabbitmqQueueNames('shop');
    expect(names.slice(0, 3)).toEqual(['shop', 'shop.unreadable', 'shop.delay.100']);
    expect(new Set(names).size).toBe(names.length);
    for (let delayMs = 1; delayMs <= MAX_DELAY_MS; delayMs += 97)
      expect(names).toContain(`shop.delay.${stepOf(delayMs)}`);
    expect(names.at(-1)).toBe(`shop.delay.${MAX_DELAY_MS}`);
  });

  const url =
    'rabbitmqQueue: url must be an address such as amqp://user:pass@host:5672 (or amqps://), or a list of them, got';
  test.each<[string, object, string]>([
    ['no address', { url: undefined }, `${url} something of type undefined`],
    ['an address of another kind', { url: 'http://user:secret@host' }, `${url} a text of 23 characters`],
    ['a list without addresses', { url: [] }, `${url} something of type object`],
    [
      'a name of the broker',
      { name: 'amq.x' },
      "rabbitmqQueue: name must be a text of 1 to 200 characters that does not begin with 'amq.'",
    ],
    [
      'a prefetch below a batch',
      { prefetch: 10 },
      'rabbitmqQueue: prefetch must be a whole number from 100 to 65535, got 10',
    ],
    ['a visibility beyond what a broker allows', { visibilityMs: 3_600_000 }, 'rabbitmqQueue: visibilityMs must be'],
  ])('refuses %s', (_, options, message) => {
    expect(() => rabbitmqQueue({ url: 'amqp://localhost', ...options })).toThrow(message);
  });

  test('says what to install where the package is missing', () => {
    const missing = (): never => {
      throw Object.assign(new Error('none'), { code: 'MODULE_NOT_FOUND' });
    };
    expect(() => amqpLibrary(missing)).toThrow(
      "RabbitMQ needs the 'amqplib' package, 1.2 or later; run: npm install amqplib",
    );
  });
});

describe('a network that fails', () => {
  let proxy: TcpProxy;
  async function through(options: Partial<RabbitmqQueueOptions> = {}, query = ''): Promise<Queue> {
    proxy = await tcpProxy(server.port);
    closing.push(() => proxy.close());
    return fresh({ url: `amqp://guest:guest@127.0.0.1:${proxy.port}${query}`, timeoutMs: 3_000, ...options });
  }
  const silent = { code: 'QUEUE_UNAVAILABLE', message: expect.stringContaining('gave no answer within') };

  test('loses the confirmation of enqueue: the call says so, and the wake comes', async () => {
    const queue = await through();
    await queue.depth();
    const lost = proxy.loseReply((request) => request.includes('"id":"d_1"'));
    await expect(queue.enqueue([{ id: 'd_1' }])).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
    await lost;
    expect(await queue.receive(WAIT)).toMatchObject([{ id: 'd_1' }]);
  });

  test('ends in the middle: what was held comes again, and its receipt is stale', async () => {
    const queue = await through();
    await queue.enqueue([{ id: 'd_1' }]);
    const wakes = await queue.receive(WAIT);
    proxy.cut();
    const again = await queue.receive(WAIT);
    expect(again).toMatchObject([{ id: 'd_1', receives: 2 }]);
    expect(await queue.ack(wakes)).toEqual([{ ok: false, error: 'the receipt is stale' }]);
    expect(await queue.ack(again)).toEqual([{ ok: true }]);
  });

  test('ends between the two halves of a release with a delay: a wake too many comes, never one too few', async () => {
    const queue = await through();
    await queue.enqueue([{ id: 'd_1' }]);
    const wakes = await queue.receive(WAIT);
    const lost = proxy.loseReply((request) => request.includes('"receives":1'));
    await expect(queue.release(wakes, { delayMs: 100 })).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
    await lost;
    proxy.cut();
    const ids = new Set<string>();
    for (const { id } of [...(await queue.receive(WAIT)), ...(await queue.receive({ max: 10, waitMs: 300 }))])
      ids.add(id);
    expect([...ids]).toEqual(['d_1']);
  });

  test('is half open for those that enqueue: the call says so in time, and the next one connects anew', async () => {
    const queue = await through({ timeoutMs: 500 });
    await vi.waitFor(() => queue.depth(), 10_000);
    proxy.swallow();
    await expect(queue.enqueue([{ id: 'd_1' }])).rejects.toMatchObject(silent);
    await expect(queue.enqueue([{ id: 'd_1' }])).rejects.toMatchObject(silent);
    proxy.resume();
    await vi.waitFor(async () => expect(await queue.enqueue([{ id: 'd_2' }])).toEqual([{ ok: true }]), 10_000);
  });

  test('is half open for those that wait: their heartbeat finds out, and they connect anew', async () => {
    const queue = await through({}, '?heartbeat=1');
    const direct = fresh({ name: `q${names}` });
    expect(await queue.receive({ max: 1, waitMs: 0 })).toEqual([]);
    proxy.swallow();
    proxy.resume();
    const waiting = queue.receive({ max: 1, waitMs: 10_000 });
    await direct.enqueue([{ id: 'd_1' }]);
    expect(await waiting).toMatchObject([{ id: 'd_1' }]);
  });

  test('is down: every call says why, and the queue is used again through another address', async () => {
    const nowhere = fresh({ url: 'amqp://127.0.0.1:1' });
    const down = { code: 'QUEUE_UNAVAILABLE', message: expect.stringContaining('ECONNREFUSED 127.0.0.1:1') };
    await expect(nowhere.receive(WAIT)).rejects.toMatchObject(down);
    await expect(nowhere.enqueue([{ id: 'd_1' }])).rejects.toMatchObject(down);
    const either = fresh({ url: ['amqp://127.0.0.1:1', server.url] });
    await expect(either.enqueue([{ id: 'd_1' }])).rejects.toMatchObject(down);
    expect(await either.enqueue([{ id: 'd_1' }])).toEqual([{ ok: true }]);
  });
});

describe('a broker', () => {
  test('that deletes the queue has it declared again, whoever comes first', async () => {
    const queue = fresh({ name: 'deleted' });
    await queue.enqueue([{ id: 'd_0' }]);
    await queue.receive(WAIT);
    await admin.deleteQueue('deleted');
    await expect(queue.enqueue([{ id: 'd_1' }])).rejects.toMatchObject({
      message: expect.stringContaining("there is no queue 'deleted' any more"),
    });
    expect(await queue.enqueue([{ id: 'd_1' }])).toEqual([{ ok: true }]);
    expect(await queue.receive(WAIT)).toMatchObject([{ id: 'd_1' }]);
  });

  test('that ends connections is used again', async () => {
    const queue = fresh();
    await queue.enqueue([{ id: 'd_1' }]);
    await queue.receive(WAIT);
    await server.ctl('eval', 'rabbit_networking:close_all_connections("by the test").');
    expect(await queue.receive(WAIT)).toMatchObject([{ id: 'd_1', receives: 2 }]);
    expect(await queue.enqueue([{ id: 'd_2' }])).toEqual([{ ok: true }]);
  });
});

test('a queue that is purged in the middle costs nobody a message', { timeout: 20_000 }, async () => {
  const queue = fresh({ name: 'purged', visibilityMs: 5_000 });
  await queue.depth();
  const connection = await connect(server.url);
  closing.push(() => connection.close());
  const channel = await connection.createChannel();
  expect(await runWithPurges(queue, async () => void (await channel.purgeQueue('purged')))).toEqual(EACH_ONCE);
});

test('a broker that restarts keeps the wakes, and is used again', { timeout: 60_000 }, async () => {
  const queue = fresh({ name: 'restarted' });
  await queue.enqueue([{ id: 'd_1' }]);
  await queue.receive(WAIT);
  await server.ctl('stop_app');
  await expect(queue.receive(WAIT)).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
  await server.ctl('start_app');
  await vi.waitFor(async () => expect(await queue.receive(WAIT)).toMatchObject([{ id: 'd_1' }]), 20_000);
});
