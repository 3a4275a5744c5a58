import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import type { DeliveryRecord, Ledger } from '@sendonce/core';
import { afterAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/tutorials/quickstart.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'quickstart-'));
const mails = (): string[] => readdirSync(join(folder, 'mail'));
const children = new Set<Running>();
afterAll(async () => {
  for (const each of children) each.child.kill('SIGKILL');
  await Promise.all([...children].map(({ ended }) => ended));
  rmSync(folder, { recursive: true });
});

/** The commands of the tutorial, in its order; the first one sets up what these tests run in. */
const [, MAILBOX, SEND_ONE, WORKER, SEND_ALL, WORKER_TO_KILL, KILL, STATUS] = [
  ...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm),
].map(([, command = '']) => command.trim());

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

    expect((await shell(STATUS, port).ended).out).toContain('sent');
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

interface Running {
  readonly child: ChildProcess;
  /** Waits for output that fits. */
  readonly line: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string }>;
}

/** Runs a command of the tutorial, without npx so that a signal reaches the process itself. */
function shell(command = '', smtpPort = '0'): Running {
  const line = command.replace(/^npx notify /, 'node packages/cli/bin/notify.js ');
  const env = { ...process.env, NO_COLOR: '1', QUICKSTART_FOLDER: folder, QUICKSTART_PORT: smtpPort };
  const child = spawn(`exec ${line}`, { cwd: root, env, shell: true });
  let out = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      for (const look of waiting) look();
    });
  const ended = new Promise<{ code: number | null; out: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out })),
  );
  const made: Running = {
    child,
    ended,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(out);
          if (found !== null) resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then(({ code }) => reject(new Error(`${command}: ended with ${code}\n${out}`)));
      }),
  };
  children.add(made);
  return made;
}
