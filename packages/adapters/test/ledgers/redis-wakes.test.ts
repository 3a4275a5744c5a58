import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { redisLedger } from '../../src/ledgers/redis.ts';
import { places, type RedisPlace } from './redis/places.ts';
import { testWakes } from './wakes/suite.ts';

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
