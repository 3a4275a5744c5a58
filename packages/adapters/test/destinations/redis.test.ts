import { Cluster, Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { redisDestinations } from '../../src/destinations/redis.ts';
import { redisServer } from '../support/redis-server.ts';
import { testDestinations } from './suite.ts';

const single = redisServer();
const cluster = redisServer({ cluster: true });
let one: Redis | null = null;
let many: Cluster | null = null;
let names = 0;
const name = (): string => `test-${(names += 1)}`;
afterAll(async () => {
  one?.disconnect();
  many?.disconnect();
  for (const server of [await single, await cluster]) await server.close();
});

async function alone(): Promise<Redis> {
  return (one ??= new Redis((await single).port, '127.0.0.1'));
}

testDestinations('destinations in Redis', async () => redisDestinations({ client: await alone(), name: name() }));

testDestinations('destinations in a Redis Cluster', async () => {
  const { port } = await cluster;
  if (many === null) {
    const node = new Redis(port, '127.0.0.1');
    await node.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    while (!(await node.cluster('INFO')).includes('cluster_state:ok')) await new Promise(setImmediate);
    node.disconnect();
    many = new Cluster([{ host: '127.0.0.1', port }]);
  }
  return redisDestinations({ client: many, name: name() });
});

const OWNER = { tenant: 'default', channel: 'push', recipientId: 'ann' } as const;

test('destinations in Redis keep all of it under their name, for one node', async () => {
  const client = await alone();
  const own = name();
  const destinations = redisDestinations({ client, name: own });
  await destinations.report([{ ...OWNER, to: 't1', kind: 'dead', at: 1, provider: 'p', reason: 'r' }]);
  const keys = (await client.keys('*')).filter((key) => key.includes(own));
  expect(keys.sort()).toEqual([
    `{${own}}:destinations`,
    expect.stringMatching(new RegExp(`^\\{${own}\\}:destinations:f_`)),
  ]);
  await destinations.register([{ ...OWNER, id: 'phone', to: 't1' }]);
  expect(await client.keys(`{${own}}:destinations:*`)).toEqual([]);
});

test('destinations in Redis say when something else is in their place', async () => {
  const client = await alone();
  const own = name();
  await client.set(`{${own}}:destinations`, 'x');
  await expect(redisDestinations({ client, name: own }).of([OWNER])).rejects.toMatchObject({
    code: 'DESTINATIONS_UNAVAILABLE',
  });
});
