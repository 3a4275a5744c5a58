import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { postgresLedger } from '../../src/ledgers/postgres.ts';
import { places, type PostgresPlace } from './postgres/places.ts';
import { server } from './postgres/server.ts';
import { notifierOn, testWakes, until, workers } from './wakes/suite.ts';

const { make, open, pool } = places();
const running = server();
const port = async (): Promise<number> => (await running).port;

function openLedger(
  place: PostgresPlace,
  { wakePort, warnings = [] }: { readonly wakePort: number; readonly warnings?: string[] },
) {
  const url = new URL(place.url);
  url.port = String(wakePort);
  return open(place, {
    wakes: { client: () => new pg.Client({ connectionString: url.href }) },
    onWarning: (warning) => warnings.push(warning),
  });
}

describe('wakes by PostgreSQL', () => {
  testWakes<PostgresPlace>({ port, make, openLedger });
});

describe('a publish in the transaction of the application', () => {
  const start = workers();

  test('wakes when that commits, and neither before nor when it is rolled back', async () => {
    const place = await make();
    const stop = new AbortController();
    let wakes = 0;
    const { capabilities } = openLedger(place, { wakePort: await port() });
    const heard = capabilities.wakes!.listen(() => (wakes += 1), stop.signal);
    await until(() => expect(wakes).toBe(1));
    const client = await pool(place.url).connect();
    for (const end of ['ROLLBACK', 'COMMIT']) {
      const producer = notifierOn(openLedger(place, { wakePort: 1 }));
      await client.query('BEGIN');
      await producer.publish('order', { id: end }, { transaction: client });
      expect(wakes).toBe(1);
      await client.query(end);
    }
    client.release();
    await until(() => expect(wakes).toBe(2));
    stop.abort();
    await heard;
  });

  test('is sent by a worker long before its poll', async () => {
    const place = await make();
    const worker = start(openLedger(place, { wakePort: await port() }), { pollMs: 60_000 });
    await until(() => expect(worker.wakes()).toBe(1));
    const client = await pool(place.url).connect();
    await client.query('BEGIN');
    await notifierOn(openLedger(place, { wakePort: 1 })).publish('order', { id: 'a' }, { transaction: client });
    await client.query('COMMIT');
    client.release();
    await until(() => expect(worker.sent).toEqual(['a@example.org']));
  });

  test('notifies at most 20 times a second, and from outside for the rest', async () => {
    const place = await make();
    const sent: string[] = [];
    const counted = pool(place.url);
    const producer = notifierOn(
      postgresLedger({
        client: { query: (text, values) => (sent.push(text), counted.query(text, values)) },
        schema: place.schema,
        wakes: { client: () => new pg.Client() },
      }),
    );
    const client = await pool(place.url).connect();
    const joined: string[] = [];
    const transaction = { query: (text: string, values: string[]) => (joined.push(text), client.query(text, values)) };
    await client.query('BEGIN');
    const began = performance.now();
    for (let i = 0; i < 20; i += 1) await producer.publish('order', { id: `o-${i}` }, { transaction });
    const most = 1 + Math.floor((performance.now() - began) / 50);
    const notified = (texts: readonly string[]): number => texts.filter((text) => text.startsWith('NOTIFY')).length;
    expect(notified(joined)).toBeGreaterThan(0);
    expect(notified(joined)).toBeLessThanOrEqual(most);
    await client.query('COMMIT');
    client.release();
    await until(() => expect(notified(sent)).toBeGreaterThan(0));
  });
});

test.each([
  ['{}', {}],
  ['true', true],
  ['a client', { client: new pg.Client() }],
])('wakes: %s is refused', (_, wakes) => {
  const client = { query: () => Promise.resolve([]) };
  expect(() => postgresLedger({ client, wakes: wakes as never })).toThrow(/wakes must be .*new pg\.Client/);
});
