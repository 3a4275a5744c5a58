import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import {
  destinationsSchema,
  postgresDestinations,
  type PostgresDestinationsOptions,
} from '../../src/destinations/postgres.ts';
import { server } from '../ledgers/postgres/server.ts';
import { testDestinations } from './suite.ts';

const running = server();
let pool: pg.Pool | null = null;
afterAll(() => pool?.end());
let tables = 0;

async function place(): Promise<Required<PostgresDestinationsOptions>> {
  const client = (pool ??= new pg.Pool({ connectionString: (await running).url }));
  return { client, table: `destinations_${process.pid}_${(tables += 1)}` };
}

testDestinations('destinations in PostgreSQL', async () => {
  const destinations = postgresDestinations(await place());
  await destinations.migrate();
  return destinations;
});

const OWNER = { tenant: 'default', channel: 'push', recipientId: 'ann' } as const;

test('destinations in PostgreSQL say that their table is missing, and how to make it', async () => {
  const destinations = postgresDestinations(await place());
  await expect(destinations.of([OWNER])).rejects.toMatchObject({
    code: 'DESTINATIONS_NOT_MIGRATED',
    message: expect.stringContaining('await destinations.migrate()') as string,
  });
  await Promise.all([destinations.migrate(), destinations.migrate(), destinations.migrate()]);
  expect(await destinations.of([OWNER])).toEqual([[]]);
  expect(destinations.migrationSql()).toContain('CREATE TABLE IF NOT EXISTS destinations_');
});

test('destinations in PostgreSQL say when there is no answer', async () => {
  const destinations = postgresDestinations({ client: { query: () => Promise.reject(new Error('gone')) } });
  await expect(destinations.of([OWNER])).rejects.toMatchObject({ code: 'DESTINATIONS_UNAVAILABLE' });
});

test('a schema of destinations is for a table that needs no quoting', () => {
  expect(() => destinationsSchema({ table: 'a b' })).toThrow('table must be the name of a table');
});

test('destinations in PostgreSQL are found by their keys, not one after the other', async () => {
  const { client, table } = await place();
  await postgresDestinations({ client, table }).migrate();
  await client.query(
    `INSERT INTO ${table} SELECT 'f_' || n, 's', NULL, '{"registrations":[]}' FROM generate_series(1, 20000) AS n`,
    [],
  );
  await client.query(`ANALYZE ${table}`, []);
  const texts: string[] = [];
  const spy = {
    query: async (text: string, values: string[]) => {
      const { rows } = (await client.query(`EXPLAIN ${text}`, values)) as { rows: { 'QUERY PLAN': string }[] };
      texts.push(...rows.map((row) => row['QUERY PLAN']));
      return client.query(text, values);
    },
  };
  await postgresDestinations({ client: spy, table }).register([{ ...OWNER, id: 'phone', to: 't1' }]);
  const plan = texts.join('\n');
  expect(plan).toContain(`${table}_pkey`);
  expect(plan).not.toContain(`Seq Scan on ${table}`);
});
