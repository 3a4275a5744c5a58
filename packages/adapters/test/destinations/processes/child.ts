import { Redis } from 'ioredis';
import pg from 'pg';
import type { Destinations } from '@sendonce/core';
import { postgresDestinations } from '../../../src/destinations/postgres.ts';
import { redisDestinations } from '../../../src/destinations/redis.ts';
import { sqliteDestinations } from '../../../src/destinations/sqlite.ts';
import { OWNER, TOKENS, type Order, type Place } from './protocol.ts';

const [place, recipientId] = JSON.parse(process.argv[2] ?? '') as [Place, string];

function open(): Destinations {
  switch (place.kind) {
    case 'sqlite':
      return sqliteDestinations({ file: place.file });
    case 'postgres':
      return postgresDestinations({ client: new pg.Pool({ connectionString: place.url }), table: place.table });
    case 'redis':
      return redisDestinations({ client: new Redis(place.port, '127.0.0.1'), name: place.name });
  }
}

const destinations = open();

/** Each token for this recipient, one call each, in an order of its own; or evidence about each of them. */
async function carryOut({ what, at }: Order): Promise<void> {
  const tokens = recipientId < 'b' ? TOKENS : [...TOKENS].reverse();
  for (const to of tokens)
    if (what === 'register') await destinations.register([{ ...OWNER, recipientId, id: to, to }]);
    else await destinations.report([{ ...OWNER, to, kind: 'dead', at, provider: recipientId, reason: 'gone' }]);
}

process.on('message', (order: Order) => {
  carryOut(order).then(
    () => process.send?.('done'),
    (error: unknown) => process.send?.(String(error)),
  );
});
process.send?.('ready');
