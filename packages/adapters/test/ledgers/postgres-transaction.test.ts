import { notificationId, type Ledger } from '@sendonce/core';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { migrate } from '../../src/ledgers/postgres.ts';
import { places, type PostgresPlace } from './postgres/places.ts';
import { newNotification, targetOf } from './support.ts';

const { make, open, pool } = places();
const clients: pg.Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
});

async function application({ url }: PostgresPlace): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  clients.push(client);
  await client.connect();
  return client;
}

const order = (key: string, recipient = 1) =>
  newNotification(notificationId('default', 'order', key), key, [targetOf(recipient)]);
const dueIn = async (ledger: Ledger, requestId: string): Promise<readonly string[]> =>
  (await ledger.claimNotifications({ due: 10, lateMs: 0 }, { owner: 'w', requestId, leaseMs: 30_000 })).map(
    ({ id }) => id,
  );

describe('a publish in the transaction of the application', () => {
  test('is there when that commits, and never was when it is rolled back', async () => {
    const place = await make();
    const ledger = open(place);
    const client = await application(place);
    for (const end of ['ROLLBACK', 'COMMIT'] as const) {
      await client.query('BEGIN');
      const [verdict] = await ledger.accept([order(end)], { transaction: client });
      expect(verdict?.kind).toBe('accepted');
      expect(await dueIn(ledger, `before ${end}`)).toEqual([]);
      await client.query(end);
    }
    expect(await dueIn(ledger, 'after')).toEqual([order('COMMIT').id]);
  });

  test('is not missed when it commits after later ones were taken up', async () => {
    const place = await make();
    const ledger = open(place);
    const client = await application(place);
    await client.query('BEGIN');
    await ledger.accept([order('slow')], { transaction: client });
    await ledger.accept([order('quick')]);
    expect(await dueIn(ledger, 'r1')).toEqual([order('quick').id]);
    await client.query('COMMIT');
    expect(await dueIn(ledger, 'r2')).toEqual([order('slow').id]);
  });

  test('waits for another one under the same key, and answers what became of that', async () => {
    const place = await make();
    const ledger = open(place);
    for (const [end, expected] of [
      ['COMMIT', 'repeated'],
      ['ROLLBACK', 'accepted'],
    ] as const) {
      const [first, second] = [await application(place), await application(place)];
      await first.query('BEGIN');
      await second.query('BEGIN');
      await ledger.accept([order(end)], { transaction: first });
      const waiting = ledger.accept([order(end)], { transaction: second });
      await first.query(end);
      const [verdict] = await waiting;
      expect(verdict?.kind).toBe(expected);
      await second.query('COMMIT');
    }
  });

  test('leaves the transaction usable when another body is under the key', async () => {
    const place = await make();
    const ledger = open(place);
    await ledger.accept([order('k')]);
    const client = await application(place);
    await client.query('BEGIN');
    const [verdict] = await ledger.accept([{ ...order('k'), fingerprint: 'another' }], { transaction: client });
    expect(verdict?.kind).toBe('conflict');
    await ledger.accept([order('k2')], { transaction: client });
    await client.query('COMMIT');
    expect((await ledger.count()).notifications.expanding).toBe(2);
  });

  test('tells a transaction that cannot see the other publish to begin again', async () => {
    const place = await make();
    const ledger = open(place);
    const client = await application(place);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('SELECT 1');
    await ledger.accept([order('k')]);
    await expect(ledger.accept([order('k')], { transaction: client })).rejects.toMatchObject({ code: 'LEDGER_LOCKED' });
    await client.query('SELECT 1');
    await client.query('ROLLBACK');
  });

  const REFUSED: readonly [what: string, given: (place: PostgresPlace) => Promise<unknown>, message: RegExp][] = [
    ['a client without a transaction', application, /no transaction open/],
    ['a pool', (place) => Promise.resolve(pool(place.url)), /no transaction open/],
    ['something else', () => Promise.resolve('tx'), /must be the connection/],
  ];
  test.for(REFUSED)('is refused with %s', async ([, given, message]) => {
    const place = await make();
    const ledger = open(place);
    const transaction = await given(place);
    const call = ledger.accept([order('k')], { transaction });
    await expect(call).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(message) as string,
    });
    expect((await ledger.count()).notifications.expanding).toBe(0);
  });

  test('is refused in another database than the ledger, which keeps nothing of it', async () => {
    const place = await make();
    const ledger = open(place);
    await ledger.count();
    const name = `other_${place.schema}`;
    await pool(place.url).query(`CREATE DATABASE ${name}`);
    const other = { ...place, url: place.url.replace(/\/postgres$/, `/${name}`) };
    await migrate({ client: pool(other.url), schema: place.schema });
    const client = await application(other);
    await client.query('BEGIN');
    await expect(ledger.accept([order('k')], { transaction: client })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    await client.query('COMMIT');
    expect((await open(other).count()).notifications.expanding).toBe(0);
  });
});
