import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import type { DeliveryRecord, Ledger } from '@sendonce/core';
import { afterAll, describe, expect, test } from 'vitest';
import { commandsOf, shellIn, type Running } from './shell.ts';

const folder = mkdtempSync(join(tmpdir(), 'quickstart-'));
const mails = (): string[] => readdirSync(join(folder, 'mail'));
const { shell, close } = shellIn(folder);
afterAll(close);

/** The commands of the tutorial, in its order; the first one sets up what these tests run in. */
const [, MAILBOX, SEND_ONE, WORKER, SEND_ALL, WORKER_TO_KILL, KILL, STATUS, SIMULATE] =
  commandsOf('docs/tutorials/quickstart.md');

describe('the quickstart', () => {
  let port = '0';
  let mailbox: Running;

  test('starts a mailbox, accepts a message, and a worker mails it', async () => {
    mailbox = shell(MAILBOX);
    const [, found = ''] = await mailbox.line(/^Listening at 127\.0\.0\.1:(\d+)/m);
    port = found;
    const sent = await shell(SEND_ONE, port).ended;
    expect(sent.code).toBe(0);
    expect(sent.out).toMatch(/^n_\S+$/m);
    const worker = shell(WORKER, port);
    await mailbox.line(/^mail 1: to you@example\.com$/m);
    worker.child.kill('SIGINT');
    expect((await worker.ended).code).toBe(0);
    const mail = readFileSync(join(folder, 'mail/you@example.com.eml'), 'utf8');
    expect(mail).toMatch(/^Subject: Welcome, You$/m);
  });

  test('says what to do when the port of the mailbox is taken, or is none', async () => {
    const taken = await shell(`${MAILBOX} 2>&1`, port).ended;
    expect(taken).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^The mailbox cannot listen at .*QUICKSTART_PORT=2526$/m) as string,
    });
    expect(await shell(`${MAILBOX} 2>&1`, '99999').ended).toMatchObject({
      code: 1,
      out: expect.stringContaining("QUICKSTART_PORT is '99999'") as string,
    });
  });

  test('mails 2,000 people once, or says who may be without, although its worker is killed at 800', async () => {
    const list = await shell(SEND_ALL, port).ended;
    // Fifteen rows of the list are no addresses.
    expect(list.code).toBe(4);
    expect(list.out).toMatch(/^1 accepted, 15 rows refused\.$/m);
    const first = shell(WORKER_TO_KILL, port);
    await mailbox.line(/^mail 800: /m);
    const [, number = ''] = await first.line(/^Working: .*, process (\d+), ledger \S+ledger\.db\. /m);
    await shell(KILL?.replace('NUMBER', number)).ended;
    await first.ended;
    expect(mails().length).toBeLessThan(1_900);

    const second = shell(`${WORKER_TO_KILL} --json`, port);
    await second.line(/"kind":"notification.moved".*"type":"news","to":"done"/);
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);

    const records = await deliveries();
    expect(records).toHaveLength(1 + 1_955);
    const parked = records.filter(({ state }) => state === 'parked').map(mailboxOf);
    expect(records.filter(({ state }) => state === 'sent')).toHaveLength(1 + 1_955 - parked.length);
    const kills = 1;
    const concurrency = 20;
    expect(parked.length).toBeLessThanOrEqual(kills * concurrency);
    const got = mails();
    // A second mail to the same person would have a number.
    expect(new Set(got).size).toBe(got.length);
    expect(got.filter((name) => /\.\d+\.eml$/.test(name))).toEqual([]);
    // Whoever has no mail is parked; and nobody got one who was not written to.
    const people = new Set(records.map(mailboxOf));
    const mayBeWithout = new Set(parked);
    const kept = new Set(got);
    expect([...people].filter((name) => !kept.has(name) && !mayBeWithout.has(name))).toEqual([]);
    expect(got.filter((name) => !people.has(name))).toEqual([]);

    // What the page says to wait for.
    const { out } = await shell(STATUS, port).ended;
    expect(out).toMatch(/^ {2}settled {3}1,9\d\d sent/m);
    expect(out).toMatch(/^ {2}active {4}none$/m);
  });

  test('gives the same config to the simulator, which needs no mailbox', async () => {
    const { code, out } = await shell(SIMULATE, port).ended;
    expect(out).toMatch(/^PASS /);
    expect(code).toBe(0);
  });
});

const mailboxOf = ({ target }: DeliveryRecord): string => `${target.to.toLowerCase()}.eml`;

async function deliveries(): Promise<readonly DeliveryRecord[]> {
  const ledger = sqliteLedger({ file: join(folder, 'ledger.db') });
  const found: DeliveryRecord[] = [];
  let cursor: string | null = null;
  do {
    const next: Awaited<ReturnType<Ledger['list']>> = await ledger.list({}, { limit: 500, cursor });
    found.push(...next.items);
    ({ cursor } = next);
  } while (cursor !== null);
  await ledger.close();
  return found;
}
