import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { tableMigrationSql } from '../../src/internal/table-migrations.ts';
import { server } from '../ledgers/postgres/server.ts';

const running = server();
let pool: pg.Pool | null = null;
afterAll(() => pool?.end());
let names = 0;

const STEPS = [
  (table: string) => `CREATE TABLE IF NOT EXISTS ${table} (a text);`,
  (table: string) => `ALTER TABLE ${table} ADD COLUMN b text;`,
];

/** Of a release that knows so many versions. */
async function place(table = `versioned_${process.pid}_${(names += 1)}`) {
  const client = (pool ??= new pg.Pool({ connectionString: (await running).url }));
  const { rows } = await client.query<{ text: string }>(`SELECT to_regclass('${table}')::text AS text`);
  expect(rows[0]?.text).toBeNull();
  return {
    table,
    migrate: async (known: number) =>
      void (await client.query(tableMigrationSql({ table, steps: STEPS.slice(0, known).map((step) => step(table)) }))),
    async columns(): Promise<string[]> {
      const found = await client.query<{ name: string }>(
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 ORDER BY attnum`,
      );
      return found.rows.map(({ name }) => name);
    },
    async versions(): Promise<number[]> {
      const found = await client.query<{ version: number }>(`SELECT version FROM ${table}_version ORDER BY 1`);
      return found.rows.map(({ version }) => version);
    },
    query: (text: string) => client.query(text),
  };
}

describe('tables beside a ledger', () => {
  test.each([
    ['made at once', [2]],
    ['brought up to date', [1, 2]],
    ['of a later release than the last that looked', [2, 1]],
    ['asked for again', [1, 1, 2, 2]],
  ])('that are %s come to the same, each step once', async (_, known) => {
    const { migrate, columns, versions } = await place();
    for (const each of known) await migrate(each);
    expect([await columns(), await versions()]).toEqual([
      ['a', 'b'],
      [1, 2],
    ]);
  });

  test('are made once by many that migrate at the same time, in a schema that was not there', async () => {
    const { migrate, versions } = await place(`schema_${process.pid}.versioned`);
    await Promise.all(Array.from({ length: 8 }, () => migrate(2)));
    expect(await versions()).toEqual([1, 2]);
  });

  test('from before there were versions are taken over with what is in them', async () => {
    const { table, query, migrate, versions } = await place();
    await query(`CREATE TABLE ${table} (a text); INSERT INTO ${table} VALUES ('kept')`);
    await migrate(2);
    expect(await versions()).toEqual([1, 2]);
    expect((await query(`SELECT * FROM ${table}`)).rows).toEqual([{ a: 'kept', b: null }]);
  });

  test('are left as they were by a step that fails, and have no version then', async () => {
    const { table, query, migrate } = await place();
    await query(`CREATE TABLE ${table} (a text, b text)`);
    await expect(migrate(2)).rejects.toThrow('already exists');
    expect((await query(`SELECT to_regclass('${table}_version') AS found`)).rows).toEqual([{ found: null }]);
  });
});
