import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCluster, type Server } from '../../packages/adapters/test/ledgers/postgres/server.ts';
import { shellIn } from '../1-quickstart/shell.ts';

const folder = mkdtempSync(join(tmpdir(), 'postgres-example-'));
const { shell, close } = shellIn(folder);
let server: Server;

beforeAll(async () => {
  server = await startCluster();
});
afterAll(async () => {
  await close();
  server.stop();
});

test('a ledger on PostgreSQL is migrated by a command, and a worker that is killed leaves nobody out and writes to nobody twice', async () => {
  const mailbox = shell('node examples/1-quickstart/mailbox.js');
  const [, port = ''] = await mailbox.line(/^Listening at 127\.0\.0\.1:(\d+)/m);
  const notify = (words: string) =>
    shell(`DATABASE_URL=${server.url} npx notify ${words} --config examples/2-postgres/notify.config.ts`, port);
  const list = join(folder, 'people.csv');
  const rows = Array.from({ length: 300 }, (_, i) => `reader-${i}@example.com,Reader ${i}`);
  writeFileSync(list, ['email,name', ...rows].join('\n'));
  const send = `send news --recipients-file ${list} --key n-1 --data-json '{"issue":1}'`;

  const early = await notify(send).ended;
  expect(early.out).toContain('LEDGER_NOT_MIGRATED');
  expect(early.out).toContain('npx notify migrate');
  expect((await notify('migrate --print').ended).out).toMatch(/CREATE SCHEMA IF NOT EXISTS "sendonce";[\s\S]*;\n$/);
  for (let i = 0; i < 2; i += 1)
    expect(await notify('migrate').ended).toMatchObject({
      code: 0,
      out: expect.stringContaining('Up to date: ledger.') as string,
    });

  expect((await notify(send).ended).out).toMatch(/accepted/);
  const first = notify('worker');
  await mailbox.line(/^mail 100: /m);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = notify('worker');
  const status = async (): Promise<Record<string, Record<string, number>>> =>
    JSON.parse((await notify('status --json').ended).out) as Record<string, Record<string, number>>;
  let deliveries = (await status())['deliveries'] ?? {};
  const open = ['queued', 'processing', 'dispatching', 'retry-scheduled', 'unknown'];
  while (open.some((state) => (deliveries[state] ?? 0) > 0)) deliveries = (await status())['deliveries'] ?? {};
  second.child.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);

  const mails = readdirSync(join(folder, 'mail'));
  // SMTP takes no keys: whom nobody knows about is parked, never written to twice.
  expect(mails.length).toBeGreaterThanOrEqual(deliveries['sent'] ?? 0);
  expect(deliveries['parked']).toBeLessThanOrEqual(20);
  expect((deliveries['sent'] ?? 0) + (deliveries['parked'] ?? 0) + (deliveries['failed'] ?? 0)).toBe(300);
}, 120_000);
