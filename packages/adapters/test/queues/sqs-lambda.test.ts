import { createNotifier, notification, type Queue } from '@sendonce/core';
import { memoryLedger, memoryProvider, type MemoryProvider } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqsLambda, type SqsLambda, type SqsLambdaEvent } from '../../src/queues/sqs-lambda.ts';
import { sqsQueue } from '../../src/queues/sqs.ts';
import { sqsServer, type SqsServer } from '../support/sqs-server.ts';

let sqs: SqsServer;
beforeAll(async () => {
  sqs = await sqsServer();
});
afterAll(() => sqs.close());

const context = (ms = 20_000) => ({ getRemainingTimeInMillis: () => ms });

interface Scene {
  readonly lambda: SqsLambda;
  readonly provider: MemoryProvider;
  readonly trigger: Queue;
  handler(event: SqsLambdaEvent, ms?: number): Promise<readonly string[]>;
  /** What SQS would invoke the function with. */
  event(): Promise<SqsLambdaEvent>;
  publish(id: string): Promise<unknown>;
}

async function scene(): Promise<Scene> {
  const queueUrl = await sqs.queueUrl();
  const lambda = sqsLambda({ client: sqs.client, queueUrl });
  const trigger = sqsQueue({ client: sqs.client, queueUrl });
  const provider = memoryProvider({ name: 'mail', clock: systemClock });
  const notifier = createNotifier({
    ledger: memoryLedger({ clock: systemClock }),
    queue: lambda.queue,
    channels: { email: { providers: [provider] } },
    notifications: {
      news: notification<{ readonly id: string }>({
        class: 'transactional',
        key: ({ id }) => id,
        route: ({ id }) => [{ channel: 'email', to: `${id}@example.com` }],
        content: () => ({ subject: 'News', text: 'News' }),
      }),
    },
  });
  const handle = lambda.handler(notifier, {
    reserveMs: 500,
    sweepForMs: 300,
    worker: { sweepMs: 50, lateMs: 100 },
  });
  return {
    lambda,
    provider,
    trigger,
    handler: async (event, ms) =>
      (await handle(event, context(ms))).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
    async event() {
      const wakes = await trigger.receive({ max: 10, waitMs: 1_000 });
      return eventOf(wakes.map(({ id, receipt }) => [JSON.stringify({ id }), receipt]));
    },
    publish: (id) => notifier.publish('news', { id }),
  };
}

function eventOf(messages: readonly (readonly [body: string, receiptHandle: string])[]): SqsLambdaEvent {
  return {
    Records: messages.map(([body, receiptHandle], i) => ({ messageId: `m${i}`, receiptHandle, body, attributes: {} })),
  };
}

describe('the SQS Lambda handler', () => {
  test('sends what its wakes tell of, and reports no failure', async () => {
    const { provider, handler, event, publish } = await scene();
    for (const id of ['a', 'b', 'c']) await publish(id);
    const wakes = await event();
    expect(wakes.Records).toHaveLength(3);
    expect(await handler(wakes)).toEqual([]);
    await expect.poll(async () => (await handler(await event()), provider.mailbox.length)).toBe(3);
  });

  test('reports what is not ours, and what nobody knows, and does the rest', async () => {
    const { handler, event, publish } = await scene();
    await publish('a');
    const { Records = [] } = await event();
    const strangers = eventOf([
      ['no JSON', 'r1'],
      ['{"id":"d_nobody"}', 'r2'],
    ]);
    const ours = Records.map((record) => ({ ...record, messageId: 'ours' }));
    expect(await handler({ Records: [...ours, ...(strangers.Records ?? [])] })).toEqual(['m0', 'm1']);
  });

  test('brings back, when a schedule invokes it, what no wake tells of', async () => {
    const { provider, handler, publish } = await scene();
    await publish('a');
    expect(await handler({})).toEqual([]);
    await expect.poll(async () => (await handler({}), provider.mailbox.length), { timeout: 10_000 }).toBe(1);
  });

  test('reports what was not judged when its time is over', async () => {
    const { lambda, trigger } = await scene();
    // A worker that takes nothing.
    const idle = { worker: () => ({ healthy: () => true, run: stopped }) };
    const handle = lambda.handler(idle, { reserveMs: 10 });
    const response = await handle(eventOf([['{"id":"d_1"}', 'r1']]), context(100));
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
    expect(await trigger.depth()).toBe(0);
  });

  test('fails as a whole when its worker dies', async () => {
    const { lambda } = await scene();
    const dying = { worker: () => ({ run: () => Promise.reject(new Error('died')) }) };
    const handle = lambda.handler(dying as never);
    await expect(handle(eventOf([['{"id":"d_1"}', 'r1']]), context())).rejects.toThrow('died');
  });

  test('refuses an option that is none', async () => {
    const { lambda } = await scene();
    expect(() => lambda.handler({} as never, { reserve: 1 } as never)).toThrow(
      'sqsLambda: handler: reserve is not an option',
    );
  });
});

function stopped({ signal }: { readonly signal: AbortSignal }): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}
