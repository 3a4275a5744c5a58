import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redisStreamMessages } from '../../src/ingest/redis-stream.ts';
import { redisServer, type RedisServer } from '../support/redis-server.ts';
import { testIngest, type Place } from './suite.ts';

let server: RedisServer;
let client: Redis;
beforeAll(async () => {
  server = await redisServer();
  client = new Redis(server.port, '127.0.0.1');
});
afterAll(async () => {
  client.disconnect();
  await server.close();
});

let names = 0;
async function place(): Promise<Place> {
  const stream = `orders-${(names += 1)}`;
  return {
    open: () => redisStreamMessages({ client, stream, group: 'notify', field: 'json', visibilityMs: 500 }),
    async put(...bodies) {
      for (const body of bodies) await client.xadd(stream, '*', 'json', body);
    },
    async dead() {
      const entries = await client.xrange(`${stream}:rejected`, '-', '+');
      return entries.map(([, fields]) => ({
        reason: fields[fields.indexOf('reason') + 1] ?? '',
        body: fields[fields.indexOf('body') + 1] ?? '',
      }));
    },
  };
}

testIngest('events from a Redis stream', place);

test('events from a Redis stream are all their fields where none is named, and count how often they came', async () => {
  const options = { client, stream: 'fields', group: 'notify', visibilityMs: 100 };
  const [first, second] = [redisStreamMessages(options), redisStreamMessages(options)];
  await client.xadd('fields', '*', 'a', '1', 'b', '2');
  const [message] = await first.receive({ max: 1, waitMs: 1_000 });
  expect(message).toMatchObject({ body: '{"a":"1","b":"2"}', receives: 1 });
  await first.release([message!], { delayMs: 0 });
  const [again] = await second.receive({ max: 1, waitMs: 0 });
  expect(again).toMatchObject({ id: message!.id, receives: 2 });
  expect(await second.ack([again!])).toEqual([{ ok: true }]);
  expect(await second.ack([again!])).toMatchObject([{ ok: false }]);
  await Promise.all([first.close(), second.close()]);
});

test('events from a Redis stream that was removed meanwhile begin anew', async () => {
  const messages = redisStreamMessages({ client, stream: 'removed', group: 'notify' });
  expect(await messages.receive({ max: 1, waitMs: 0 })).toEqual([]);
  await client.del('removed');
  await expect(messages.receive({ max: 1, waitMs: 0 })).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
  await client.xadd('removed', '*', 'a', '1');
  expect(await messages.receive({ max: 1, waitMs: 0 })).toHaveLength(1);
  await messages.close();
});
