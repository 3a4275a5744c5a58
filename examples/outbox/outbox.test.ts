import { postgresOutbox } from '@sendonce/adapters/outbox/postgres';
import { memoryLedger, memoryProvider } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCluster, type Server } from '../../packages/adapters/test/ledgers/postgres/server.ts';
import { notifierOn } from '../support/orders.ts';
import { migrate, placeOrder, relayOf, relayUntilTold } from './outbox.ts';

let server: Server;
let pool: pg.Pool;
beforeAll(async () => {
  server = await startCluster();
  pool = new pg.Pool({ connectionString: server.url });
});
afterAll(async () => {
  await pool.end();
  server.stop();
});

test('an order that is stored is told of, one that is rolled back is not', async () => {
  const notifier = notifierOn(memoryLedger({ clock }), memoryProvider({ clock }));
  const outbox = postgresOutbox({ client: pool });
  const relay = relayOf(pool, notifier);

  await expect(relay.once()).rejects.toThrow(/no table 'sendonce_outbox'.*outboxSchema/);
  for (let i = 0; i < 2; i += 1) await migrate(pool);
  const order = { id: 'o-1', email: 'ann@example.com' };
  await placeOrder(pool, outbox, order);
  await expect(placeOrder(pool, outbox, order)).rejects.toThrow('duplicate key');
  expect(await outbox.count()).toMatchObject({ waiting: 1, relayed: 0 });

  const running = relayUntilTold(relay);
  await expect.poll(async () => (await outbox.count()).relayed, { timeout: 10_000 }).toBe(1);
  process.emit('SIGTERM');
  await running;
  expect((await notifier.status()).notifications).toMatchObject({ accepted: 1 });
  await notifier.close();
});
