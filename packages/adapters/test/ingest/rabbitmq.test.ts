import { connect } from 'amqplib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rabbitmqMessages } from '../../src/ingest/rabbitmq.ts';
import { rabbitmqServer, type RabbitmqServer } from '../support/rabbitmq-server.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { testIngest, type Place } from './suite.ts';

let server: RabbitmqServer;
let connection: Awaited<ReturnType<typeof connect>>;
let admin: Awaited<ReturnType<typeof connection.createConfirmChannel>>;
beforeAll(async () => {
  server = await rabbitmqServer();
  connection = await connect(server.url);
  connection.on('error', () => undefined);
  admin = await connection.createConfirmChannel();
}, 120_000);
afterAll(async () => {
  await connection.close().catch(() => undefined);
  await server.close();
});

let names = 0;
async function place(): Promise<Place> {
  const queue = `orders-${(names += 1)}`;
  await admin.assertQueue(queue, { durable: true });
  return {
    open: () => rabbitmqMessages({ url: server.url, queue, timeoutMs: 20_000 }),
    async put(...bodies) {
      for (const body of bodies) admin.sendToQueue(queue, Buffer.from(body), { persistent: true });
      await admin.waitForConfirms();
    },
    async dead() {
      const found: { body: string; reason: string }[] = [];
      for (;;) {
        const message = await admin.get(`${queue}.rejected`, { noAck: false });
        if (message === false) return found;
        found.push({ body: message.content.toString(), reason: String(message.properties.headers?.['x-reason']) });
      }
    },
  };
}

testIngest('events from RabbitMQ', place);

test('events from RabbitMQ come again over another connection when theirs is lost', async () => {
  await admin.assertQueue('lost', { durable: true });
  const proxy = await tcpProxy(server.port);
  const url = `amqp://guest:guest@127.0.0.1:${proxy.port}`;
  const messages = rabbitmqMessages({ url, queue: 'lost', timeoutMs: 20_000 });
  admin.sendToQueue('lost', Buffer.from('x'), { messageId: 'm-1', headers: { trace: 'abc' } });
  const [first] = await messages.receive({ max: 1, waitMs: 5_000 });
  expect(first).toMatchObject({ id: 'm-1', body: 'x', attributes: { trace: 'abc' }, receives: 1 });
  proxy.cut();
  await vi.waitFor(async () => {
    const [again] = await messages.receive({ max: 1, waitMs: 5_000 });
    expect(again).toMatchObject({ id: 'm-1', receives: 2 });
    expect(await messages.ack([again!])).toEqual([{ ok: true }]);
  }, 20_000);
  // What was received before says nothing any more.
  expect(await messages.ack([first!])).toMatchObject([{ ok: false }]);
  await messages.close();
  await proxy.close();
});
