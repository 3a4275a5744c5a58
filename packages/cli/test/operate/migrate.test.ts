import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCluster, type Server } from '../../../adapters/test/ledgers/postgres/server.ts';
import { notify, root } from '../notify.ts';

const folder = mkdtempSync(join(tmpdir(), 'notify-migrate-'));
let server: Server;
let client: pg.Client;
beforeAll(async () => {
  server = await startCluster();
  client = new pg.Client({ connectionString: server.url });
  await client.connect();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await client.end();
  server.stop();
  rmSync(folder, { recursive: true });
});

/** A config whose stores have names that begin so; `ledger` and `destinations` as code. */
function configOf(name: string, { ledger, destinations }: Record<'ledger' | 'destinations', string>): string {
  const file = join(folder, `${name}.config.ts`);
  writeFileSync(
    file,
    `import pg from 'pg';
import { postgresDestinations } from '@sendonce/adapters/destinations/postgres';
import { postgresInbox } from '@sendonce/adapters/inboxes/postgres';
import { memoryInbox } from '@sendonce/adapters/inboxes/memory';
import { postgresLedger } from '@sendonce/adapters/ledgers/postgres';
import { inApp } from '@sendonce/adapters/providers/in-app';
import { memoryLedger } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';
const client = new pg.Pool({ connectionString: ${JSON.stringify(server.url)}, allowExitOnIdle: true });
const inbox = postgresInbox({ client, table: '${name}.inbox' });
export default {
  ledger: ${ledger},
  destinations: ${destinations},
  channels: { 'in-app': { providers: [inApp({ inbox }), inApp({ inbox, name: 'second' }), inApp({ inbox: memoryInbox(), name: 'third' })] } },
  notifications: { news: { class: 'transactional', content: () => ({ title: 'News' }) } },
};
`,
  );
  return file;
}
const allOnPostgres = (name: string): string =>
  configOf(name, {
    ledger: `postgresLedger({ client, schema: '${name}' })`,
    destinations: `postgresDestinations({ client, table: '${name}.destinations' })`,
  });

async function tablesIn(schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1',
    [schema],
  );
  return rows.map(({ name }) => name);
}

async function versionsIn(table: string): Promise<readonly number[]> {
  return (await client.query<{ version: number }>(`SELECT version FROM ${table}`)).rows.map(({ version }) => version);
}

describe.concurrent('notify migrate', { timeout: 60_000 }, () => {
  test('prepares ledger, destinations and inboxes, by several processes at once, and again', async () => {
    const config = allOnPostgres('together');
    const runs = await Promise.all([1, 2, 3].map(() => notify(['migrate', '--config', config])));
    const again = await notify(['migrate', '--config', config, '--json']);
    for (const run of runs)
      expect(run).toEqual({
        code: 0,
        stderr: '',
        stdout:
          'Up to date: ledger, destinations, inbox of in-app, inbox of second. Running this again changes nothing.\n',
      });
    expect(JSON.parse(again.stdout)).toEqual({
      schema: 'sendonce.migrate/1',
      migrated: true,
      stores: ['ledger', 'destinations', 'inbox of in-app', 'inbox of second'],
    });
    expect(await tablesIn('together')).toEqual(
      expect.arrayContaining(['destinations', 'inbox', 'inbox_boxes', 'states']),
    );
    for (const table of ['destinations_version', 'inbox_version', 'migrations'])
      expect([table, await versionsIn(`together.${table}`)]).toEqual([table, [1]]);
  });

  test('prints SQL that makes the same, each store once, and connects to nothing', async () => {
    const { code, stdout } = await notify(['migrate', '--config', allOnPostgres('printed'), '--print']);
    expect(code).toBe(0);
    expect(stdout.match(/^-- (ledger|destinations|inbox of .*)$/gm)).toEqual([
      '-- ledger',
      '-- destinations',
      '-- inbox of in-app, inbox of second',
    ]);
    expect(await tablesIn('printed')).toEqual([]);
    await client.query(stdout);
    await client.query(stdout);
    await notify(['migrate', '--config', allOnPostgres('run')]);
    expect(await tablesIn('printed')).toEqual(await tablesIn('run'));
  });

  test('prepares destinations and inboxes beside a ledger that needs it not', async () => {
    const config = configOf('beside', { ledger: 'memoryLedger({ clock })', destinations: 'undefined' });
    const { code, stdout } = await notify(['migrate', '--config', config]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Up to date: inbox of in-app, inbox of second\./)]);
  });

  test('says which store could not be prepared', async () => {
    const config = configOf('broken', {
      ledger: `postgresLedger({ client, schema: 'broken' })`,
      destinations: `postgresDestinations({ client: { query: () => Promise.reject(new Error('gone')) } })`,
    });
    const { code, stderr } = await notify(['migrate', '--config', config]);
    expect(code).toBe(70);
    expect(stderr).toContain(
      "DESTINATIONS_UNAVAILABLE: destinations in PostgreSQL, table 'sendonce_destinations': gone",
    );
  });
});
