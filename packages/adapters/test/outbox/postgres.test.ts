import pg from 'pg';
import { afterAll, expect, test, type TestContext } from 'vitest';
import { outboxSchema, postgresOutbox, type PostgresOutbox } from '../../src/outbox/postgres.ts';
import { outboxRelay } from '../../src/outbox/relay.ts';
import { server } from '../ledgers/postgres/server.ts';
import { acceptedIn, order, publisher, testOutbox, type Place } from './suite.ts';

const running = server();
let pool: pg.Pool | null = null;
afterAll(() => pool?.end());

let tables = 0;
async function place(_: TestContext): Promise<Place & { readonly outbox: PostgresOutbox; readonly pool: pg.Pool }> {
  const own = (pool ??= new pg.Pool({ connectionString: (await running).url }));
  const table = `outbox_${process.pid}_${(tables += 1)}`;
  await own.query(outboxSchema({ table }));
  await own.query(outboxSchema({ table }));
  const outbox = postgresOutbox({ client: own, table });
  return {
    pool: own,
    outbox,
    async begin(...events) {
      const client = await own.connect();
      const end = async (words: string): Promise<void> => {
        await client.query(words);
        client.release();
      };
      await client.query('BEGIN');
      try {
        await outbox.add(client, ...events);
      } catch (error) {
        await end('ROLLBACK');
        throw error;
      }
      return { commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') };
    },
  };
}

testOutbox('an outbox in PostgreSQL', place);

test('an outbox in PostgreSQL misses no row that is committed after later ones', async (context) => {
  const { outbox, begin } = await place(context);
  const { notifier, ledger } = publisher();
  const relay = outboxRelay({ outbox, notifier });
  const slow = await begin(order('first, and slow'));
  await (await begin(order('second'))).commit();
  expect(await relay.once()).toMatchObject({ accepted: 1 });
  await slow.commit();
  expect(await relay.once()).toMatchObject({ accepted: 1 });
  expect(await acceptedIn(ledger)).toBe(2);
});

test('an outbox in PostgreSQL waits for nobody who has a row locked', async (context) => {
  const { outbox, begin, pool: own } = await place(context);
  const { notifier } = publisher();
  await (await begin(order('1'), order('2'))).commit();
  const holder = await own.connect();
  await holder.query('BEGIN');
  const { rows } = await holder.query<{ relname: string }>(
    "SELECT relname FROM pg_class WHERE relname LIKE 'outbox%' AND relkind = 'r' ORDER BY oid DESC LIMIT 1",
  );
  await holder.query(`SELECT id FROM ${rows[0]!.relname} ORDER BY id LIMIT 1 FOR UPDATE`);
  expect(await outboxRelay({ outbox, notifier }).once()).toMatchObject({ accepted: 1 });
  await holder.query('ROLLBACK');
  holder.release();
});

test.each([
  ['no type', {}, 'outbox.add takes { type, key, data, ... }'],
  [
    'recipients that are no array',
    { ...order('1'), recipients: new Set() },
    'recipients of an event in an outbox must be an array',
  ],
  ['what JSON cannot hold', { type: 'order', data: 1n }, "data of 'order' cannot be stored as JSON"],
])('an outbox refuses an event with %s within the transaction', async (_, event, words) => {
  const outbox = postgresOutbox({ client: { query: () => Promise.resolve([]) } });
  await expect(outbox.add({ query: () => Promise.resolve([]) }, event as never)).rejects.toThrow(words);
});

test.each(['Outbox', 'a b', 'x;y', 'a.b.c'])('an outbox has no table called %s', (table) => {
  expect(() => outboxSchema({ table })).toThrow(`outboxSchema: table must be the name of a table`);
});

test('an outbox in PostgreSQL takes nothing outside of a transaction: not on a pool, nor on a client without BEGIN', async (context) => {
  const { outbox, pool: own } = await place(context);
  const client = await own.connect();
  for (const each of [own, client])
    await expect(outbox.add(each, order('1'))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(/no transaction open/) as string,
    });
  client.release();
  expect(await outbox.count()).toMatchObject({ waiting: 0 });
});
