import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { memoryLedger, memoryProvider } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';
import type { IngestEvent } from '@sendonce/adapters/ingest/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqsServer, type SqsServer } from '../../packages/adapters/test/support/sqs-server.ts';
import { notifierOn } from '../support/orders.ts';
import { ingestUntilTold, ordersFrom } from './ingest.ts';

let sqs: SqsServer;
beforeAll(async () => {
  sqs = await sqsServer();
});
afterAll(() => sqs.close());

test('an order in the queue is told of once, however often it is there; what cannot be read is set aside', async () => {
  const { client } = sqs;
  const [queueUrl, deadLetterUrl] = await Promise.all([sqs.queueUrl(), sqs.queueUrl()]);
  const notifier = notifierOn(memoryLedger({ clock }), memoryProvider({ clock }));
  const put = (MessageBody: string) => client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
  const sns = (order: object) =>
    JSON.stringify({ Type: 'Notification', MessageId: 'm', TopicArn: 't', Message: JSON.stringify(order) });
  const placed = { id: 'o-1', email: 'ann@example.com', status: 'placed' };
  for (const body of [sns(placed), sns(placed), sns({ ...placed, status: 'paid' }), 'no JSON']) await put(body);

  const told: IngestEvent[] = [];
  const running = ingestUntilTold(
    ordersFrom({ client, queueUrl, deadLetterUrl }, notifier, (event) => told.push(event)),
  );
  const sum = (of: 'accepted' | 'repeated' | 'ignored') =>
    told.reduce((total, event) => total + (event.kind === 'taken' ? event[of] : 0), 0);
  const seen = () => [
    sum('accepted'),
    sum('repeated'),
    sum('ignored'),
    told.filter(({ kind }) => kind === 'rejected').length,
  ];
  await expect.poll(seen, { timeout: 10_000 }).toEqual([1, 1, 1, 1]);
  process.emit('SIGTERM');
  await running;
  await notifier.close();
});
