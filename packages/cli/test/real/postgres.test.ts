import { beforeAll, afterAll, describe, expect, test } from 'vitest';
import pg from 'pg';
import { startCluster, type Server } from '../../../adapters/test/ledgers/postgres/server.ts';
import { notify } from '../notify.ts';

let server: Server;
let address: string;
beforeAll(async () => {
  server = await startCluster();
  // This server asks nobody for a password, and gets one.
  address = server.url.replace('postgres@', 'postgres:s3cret@');
});
afterAll(() => server.stop());

const real = (...args: readonly string[]) =>
  notify(['simulate', '--real', '--workers', '2', '--seed', 'apple', '--ledger', address, ...args]);

describe.concurrent('notify simulate --real on PostgreSQL', { timeout: 90_000 }, () => {
  test('kills processes, and everybody has one message; no password is printed', async () => {
    const { code, stdout, stderr } = await real('--recipients', '120', '--kill-at', '40', '--kill-at', '90');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^PASS {2}120 of 120 recipients got exactly one message/) as string,
    ]);
    expect(stdout).toMatch(/again +npx notify simulate .*--ledger postgres:\/\/postgres@127\.0\.0\.1:\d+\/postgres/);
    expect(stdout + stderr).not.toContain('s3cret');
  });

  test('never sends twice by a provider that takes no keys: what is in doubt is parked', async () => {
    const { code, stdout } = await real('--recipients', '80', '--kill-at', '40', '--provider', 'plain', '--json');
    const result = JSON.parse(stdout) as Record<string, number>;
    expect(code).toBe(0);
    expect(result).toMatchObject({ verdict: 'pass', duplicated: 0, lost: 0 });
    expect(result['parked']).toBeGreaterThan(0);
  });

  test('tells what is wrong with a database', async () => {
    const nowhere = address.replace(/\/postgres$/, '/nowhere');
    const { code, stderr } = await notify(['simulate', '--real', '--recipients', '5', '--ledger', nowhere]);
    expect([code, stderr]).toEqual([70, expect.stringContaining('LEDGER_REFUSED') as string]);
    expect(stderr).not.toContain('s3cret');
  });
});

test('a run leaves nothing in the database', async () => {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const { rows } = await client.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'sendonce%'");
  await client.end();
  expect(rows).toEqual([]);
});
