import { PurgeQueueCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Queue } from '@sendonce/core';
import { resultsIn } from '../../src/internal/sqs/batches.ts';
import { sqsQueue, type SqsQueueOptions, type UnreadableMessage } from '../../src/queues/sqs.ts';
import { subjectOf, testQueueLaws } from '../support/queue-laws.ts';
import { EACH_ONCE, runWithPurges } from '../support/queue-run.ts';
import { sqsServer, type SqsServer } from '../support/sqs-server.ts';
import { tcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let sqs: SqsServer;
beforeAll(async () => {
  sqs = await sqsServer();
});
afterAll(() => sqs.close());

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function fresh(options: Partial<SqsQueueOptions> = {}): Promise<Queue> {
  const queueUrl = options.queueUrl ?? (await sqs.queueUrl());
  const queue = sqsQueue({ client: sqs.client, ...options, queueUrl });
  closing.push(() => queue.close());
  return queue;
}

const UNIT_MS = 1_000;
for (const kind of ['standard', 'fifo'] as const)
  testQueueLaws(`the SQS queue, ${kind}`, async () =>
    subjectOf(sqsQueue({ client: sqs.client, queueUrl: await sqs.queueUrl(kind), visibilityMs: 2 * UNIT_MS }), UNIT_MS),
  );

describe('the SQS queue', () => {
  test('receives and acks a hundred wakes in ten requests each', async () => {
    let requests = 0;
    const client: SqsQueueOptions['client'] = {
      send: ((...args: Parameters<typeof sqs.client.send>) => {
        requests += 1;
        return sqs.client.send(...args);
      }) as typeof sqs.client.send,
    };
    const queue = await fresh({ client });
    await queue.enqueue(Array.from({ length: 100 }, (_, i) => ({ id: `d_${i}` })));
    expect(requests).toBe(10);
    const wakes = await queue.receive({ max: 100, waitMs: 0 });
    expect([wakes.length, requests]).toEqual([100, 20]);
    expect((await queue.ack(wakes)).every(({ ok }) => ok)).toBe(true);
    expect(requests).toBe(30);
  });

  test('leaves what is no wake to the redrive policy, tells of it, and hands out the rest', async () => {
    const told: UnreadableMessage[] = [];
    const deadUrl = await sqs.queueUrl();
    const deadLetterTargetArn = `arn:aws:sqs:us-east-1:000000000000:${deadUrl.slice(deadUrl.lastIndexOf('/') + 1)}`;
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 });
    const QueueUrl = await sqs.queueUrl('standard', { RedrivePolicy });
    const queue = await fresh({
      queueUrl: QueueUrl,
      visibilityMs: 1_000,
      onUnreadable: (message) => told.push(message),
    });
    for (const MessageBody of ['no JSON', '{"id":7}', '[]'])
      await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    await queue.enqueue([{ id: 'd_1' }]);
    expect((await queue.receive({ max: 10, waitMs: 0 })).map(({ id }) => id)).toEqual(['d_1']);
    expect(told.map(({ body }) => body).sort()).toEqual(['[]', 'no JSON', '{"id":7}']);
    await queue.ack([]);
    expect(await queue.receive({ max: 10, waitMs: 2_000 })).toEqual([]);
    const dead = await sqs.client.send(new ReceiveMessageCommand({ QueueUrl: deadUrl, MaxNumberOfMessages: 10 }));
    expect(dead.Messages?.map(({ Body }) => Body)).toEqual(expect.arrayContaining(['no JSON', '{"id":7}', '[]']));
  });

  test('says so when there is no such queue', async () => {
    const queue = await fresh({ queueUrl: `http://127.0.0.1:${sqs.port}/000000000000/nowhere` });
    await expect(queue.receive({ max: 1, waitMs: 0 })).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
      message: expect.stringMatching(/^the SQS queue 'nowhere': QueueDoesNotExist: /),
    });
  });

  const client =
    "sqsQueue: client must be a client of the '@aws-sdk/client-sqs' package: new SQSClient(...), got something";
  const queueUrl =
    "sqsQueue: queueUrl must be the queue's URL, such as https://sqs.eu-west-1.amazonaws.com/123456789012/wakes, got";
  test.each<[string, object, string]>([
    ['no client', { client: undefined }, `${client} of type undefined`],
    ['a client that is none', { client: { sendMessage() {} } }, `${client} of type object`],
    ['no URL', { queueUrl: undefined }, `${queueUrl} undefined`],
    ['a name for a URL', { queueUrl: 'wakes' }, `${queueUrl} 'wakes'`],
    [
      'a visibility under a second',
      { visibilityMs: 500 },
      'sqsQueue: visibilityMs must be a number from 1000 to 43200000 ms',
    ],
    ['a misspelt option', { visibiltyMs: 1_000 }, "Did you mean 'visibilityMs'?"],
  ])('refuses %s', (_, options, message) => {
    const given = { client: sqs.client, queueUrl: 'https://example.com/1/q', ...options } as SqsQueueOptions;
    expect(() => sqsQueue(given)).toThrow(message);
  });

  test('refuses more wakes in one call than it declares', async () => {
    const wakes = Array.from({ length: 101 }, (_, i) => ({ id: `d_${i}` }));
    await expect((await fresh()).enqueue(wakes)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});

test.each([
  [
    'mentions every entry',
    { Successful: [{ Id: '0' }], Failed: [{ Id: '1', Code: 'Throttled', Message: 'slow down' }] },
    [true, 'Throttled: slow down'],
  ],
  ['leaves one out', { Successful: [{ Id: '1' }] }, ['the answer does not mention it', true]],
  ['mentions nothing', {}, ['the answer does not mention it', 'the answer does not mention it']],
  [
    'mentions what was not asked for',
    { Successful: [{ Id: '7' }, { Id: '0' }, {}], Failed: [{ Id: '1' }] },
    [true, 'failed'],
  ],
])('an answer that %s is one result per entry', (_, answer, expected) => {
  expect(resultsIn(answer, 2).map((result) => (result.ok ? true : result.error))).toEqual(expected);
});

describe('a network that fails', () => {
  let proxy: TcpProxy;
  async function through(options: Partial<SqsQueueOptions> = {}): Promise<Queue> {
    proxy = await tcpProxy(sqs.port);
    const client = sqs.clientAt(proxy.port);
    closing.push(
      () => client.destroy(),
      () => proxy.close(),
    );
    return fresh({ client, visibilityMs: 1_000, timeoutMs: 2_000, ...options });
  }
  const action = (name: string) => (request: Buffer) => request.includes(`AmazonSQS.${name}`);
  const WAIT = { max: 10, waitMs: 2_000 };

  test('loses the reply to enqueue: the client asks again, and one wake too many comes, or none', async () => {
    const queue = await through();
    const lost = proxy.loseReply(action('SendMessageBatch'));
    expect(await queue.enqueue([{ id: 'd_1' }])).toEqual([{ ok: true }]);
    await lost;
    const wakes = [...(await queue.receive(WAIT)), ...(await queue.receive({ max: 10, waitMs: 0 }))];
    expect(new Set(wakes.map(({ id }) => id))).toEqual(new Set(['d_1']));
  });

  test('loses the reply to receive: its wakes come again after their visibility', async () => {
    const queue = await through();
    await queue.enqueue([{ id: 'd_1' }]);
    const lost = proxy.loseReply(action('ReceiveMessage'));
    expect(await queue.receive(WAIT)).toMatchObject([{ id: 'd_1', receives: 2 }]);
    await lost;
  });

  test.each<[string, string, (queue: Queue, wakes: Awaited<ReturnType<Queue['receive']>>) => Promise<unknown>]>([
    ['ack', 'DeleteMessageBatch', (queue, wakes) => queue.ack(wakes)],
    ['release', 'ChangeMessageVisibilityBatch', (queue, wakes) => queue.release(wakes, { delayMs: 9_000 })],
    ['extend', 'ChangeMessageVisibilityBatch', (queue, wakes) => queue.extend(wakes, { leaseMs: 9_000 })],
  ])('loses the reply to %s: what was asked for is so', async (_, name, call) => {
    const queue = await through();
    await queue.enqueue([{ id: 'd_1' }]);
    const wakes = await queue.receive(WAIT);
    const lost = proxy.loseReply(action(name));
    expect(await call(queue, wakes)).toEqual([{ ok: true }]);
    await lost;
    expect(await queue.receive(WAIT)).toEqual([]);
  });

  test('is half open: a call says so in time, and the next one works', async () => {
    const queue = await through({ timeoutMs: 300 });
    await queue.enqueue([{ id: 'd_1' }]);
    proxy.swallow();
    const silent = { code: 'QUEUE_UNAVAILABLE', message: expect.stringContaining('no answer within 300 ms') };
    await expect(queue.enqueue([{ id: 'd_2' }])).rejects.toMatchObject(silent);
    await expect(queue.receive({ max: 1, waitMs: 0 })).rejects.toMatchObject(silent);
    proxy.resume();
    proxy.cut();
    expect(await queue.receive(WAIT)).toMatchObject([{ id: 'd_1' }]);
  });

  test('is down: a call says why, and the queue is used again when it is back', async () => {
    const queue = await through();
    const { port } = proxy;
    await proxy.close();
    await expect(queue.depth()).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
      message: expect.stringContaining(`ECONNREFUSED 127.0.0.1:${port}`),
    });
  });
});

test('a queue that is purged in the middle costs nobody a message', { timeout: 20_000 }, async () => {
  const queueUrl = await sqs.queueUrl();
  const queue = await fresh({ queueUrl, visibilityMs: 5_000 });
  expect(
    await runWithPurges(queue, async () => void (await sqs.client.send(new PurgeQueueCommand({ QueueUrl: queueUrl })))),
  ).toEqual(EACH_ONCE);
});
