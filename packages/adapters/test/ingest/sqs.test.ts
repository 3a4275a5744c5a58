import { ReceiveMessageCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqsMessages } from '../../src/ingest/sqs.ts';
import { sqsServer, type SqsServer } from '../support/sqs-server.ts';
import { testIngest, type Place } from './suite.ts';

let sqs: SqsServer;
beforeAll(async () => {
  sqs = await sqsServer();
});
afterAll(() => sqs.close());

async function place(): Promise<Place> {
  const { client } = sqs;
  const [queueUrl, deadLetterUrl] = await Promise.all([sqs.queueUrl(), sqs.queueUrl()]);
  return {
    open: () => sqsMessages({ client, queueUrl, deadLetterUrl, visibilityMs: 1_000 }),
    async put(...bodies) {
      const Entries = bodies.map((MessageBody, i) => ({ Id: String(i), MessageBody }));
      await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    },
    async dead() {
      const command = new ReceiveMessageCommand({
        QueueUrl: deadLetterUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
      });
      const { Messages = [] } = await client.send(command);
      return Messages.map(({ Body = '', MessageAttributes = {} }) => ({
        body: Body,
        reason: MessageAttributes['reason']?.StringValue ?? '',
      }));
    },
  };
}

testIngest('events from SQS', place);

test('events from SQS keep the attributes of a message beside the reason', async () => {
  const { client } = sqs;
  const [queueUrl, deadLetterUrl] = await Promise.all([sqs.queueUrl(), sqs.queueUrl()]);
  const messages = sqsMessages({ client, queueUrl, deadLetterUrl });
  const attribute = { DataType: 'String', StringValue: 'abc' };
  await client.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: [{ Id: '0', MessageBody: 'x', MessageAttributes: { trace: attribute } }],
    }),
  );
  const [message] = await messages.receive({ max: 10, waitMs: 1_000 });
  expect(message).toMatchObject({ body: 'x', attributes: { trace: 'abc' }, receives: 1 });
  expect(await messages.reject([{ message: message!, reason: 'r'.repeat(2_000) }])).toEqual([{ ok: true }]);
  const dead = await client.send(
    new ReceiveMessageCommand({ QueueUrl: deadLetterUrl, MessageAttributeNames: ['All'] }),
  );
  expect(dead.Messages?.[0]?.MessageAttributes).toMatchObject({
    reason: { StringValue: 'r'.repeat(500) },
    messageId: { StringValue: message!.id },
    trace: { StringValue: 'abc' },
  });
  await messages.close();
});

test('a queue that is not there says so, and its messages are not lost', async () => {
  const { client } = sqs;
  const messages = sqsMessages({
    client,
    queueUrl: `http://127.0.0.1:${sqs.port}/000000000000/gone`,
    deadLetterUrl: await sqs.queueUrl(),
  });
  await expect(messages.receive({ max: 1, waitMs: 0 })).rejects.toMatchObject({
    code: 'QUEUE_UNAVAILABLE',
    message: expect.stringMatching(/^the SQS queue 'gone': .*; what was not acked comes again$/) as string,
  });
});
