import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { redisLedger } from '../../src/ledgers/redis.ts';
import { places, type RedisPlace } from './redis/places.ts';
import { notifierOn, testWakes, until } from './wakes/suite.ts';

const { make, open, client, server } = places();

describe('wakes by Redis', () => {
  testWakes<RedisPlace>({
    port: async () => (await server).port,
    make,
    openLedger: (place, { wakePort, warnings = [] }) =>
      open(place, {
        wakes: { client: () => new Redis(wakePort, '127.0.0.1') },
        onWarning: (warning) => warnings.push(warning),
      }),
  });
});

test.each([
  ['{}', {}],
  ['true', true],
  ['a client', { client: {} }],
])('wakes: %s is refused', (_, wakes) => {
  expect(() => redisLedger({ client: client(1), wakes: wakes as never })).toThrow(/wakes must be .*client\.duplicate/);
});

test('a user with the rights of the documentation may publish and hear', async () => {
  const place = await make();
  const admin = client(place.port);
  const rights = `on >secret resetkeys ~{${place.name}}:* resetchannels &{${place.name}}:wakes -@all +eval +evalsha +info +time +exists +del +@hash +@set +@sortedset +@string +publish +subscribe +ping`;
  await admin.acl('SETUSER', 'worker', ...rights.split(' '));
  const as = { username: 'worker', password: 'secret' };
  const own = new Redis(place.port, '127.0.0.1', as);
  const stop = new AbortController();
  const ledger = redisLedger({ client: own, name: place.name, wakes: { client: () => own.duplicate() } });
  let wakes = 0;
  const heard = ledger.capabilities.wakes!.listen(() => (wakes += 1), stop.signal);
  await until(() => expect(wakes).toBe(1));
  await notifierOn(ledger).publish('order', { id: 'a' });
  await until(() => expect(wakes).toBe(2));
  stop.abort();
  await heard;
  own.disconnect();
});
