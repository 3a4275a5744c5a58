import { buildApp } from 'fauxqs';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { notify } from '../notify.ts';
import { HAS_PROC, isAlive, start, treeOf, until } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'notify-servers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const long = (...args: readonly string[]): readonly string[] => [
  ...['simulate', '--real', '--workers', '2', '--seed', 'apple'],
  ...args,
];
const real = (...args: readonly string[]): readonly string[] => long('--recipients', '300', ...args);

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
}

function told({ code, stdout }: Ended): { readonly code: number | null; readonly result: Record<string, number> } {
  return { code, result: JSON.parse(stdout) as Record<string, number> };
}

const INTACT = { verdict: 'pass', requested: 300, duplicated: 0, lost: 0, phantom: 0, unsettled: 0 };

/** Everybody has one message, and the faults struck. */
function expectAll(ended: Ended, fired: number): void {
  const { code, result } = told(ended);
  expect({ code, result }).toMatchObject({
    code: 0,
    result: { ...INTACT, parked: 0, faults: { armed: fired, fired } },
  });
  expect(Number(result['once']) + Number(result['recovered'])).toBe(300);
}

describe.concurrent('a real run on servers that break', { timeout: 120_000 }, () => {
  test('loses nobody silently and writes to nobody twice when its ledger in Redis comes back empty', async () => {
    const report = join(folder, 'wiped');
    const args = ['--ledger', 'redis:', '--queue', 'redis:', '--provider', 'plain', '--wipe', 'ledger@150'];
    const { code, result } = told(await notify(real(...args, '--json', '--report', report)));
    expect({ code, result }).toMatchObject({ code: 0, result: { ...INTACT, faults: { armed: 1, fired: 1 } } });
    // Nobody's record is older than the loss.
    expect(result['once']).toBe(0);
    expect(Number(result['recovered']) + Number(result['parked'])).toBe(300);
    const listed = readFileSync(join(report, 'not-sent.ndjson'), 'utf8').trim().split('\n');
    expect(listed).toHaveLength(result['parked'] ?? 0);
    expect(listed[0]).toContain('the store lost its memory');
  });

  test('parks what a ledger in Redis may have forgotten in a restart', async () => {
    const args = ['--ledger', 'redis:', '--queue', 'none', '--restart', 'ledger@150', '--kill-at', '150'];
    const { code, result } = told(await notify(real(...args, '--json')));
    expect({ code, result }).toMatchObject({ code: 0, result: { ...INTACT, faults: { armed: 2, fired: 2 } } });
    expect(Number(result['once']) + Number(result['recovered']) + Number(result['parked'])).toBe(300);
    expect(result['parked']).toBeGreaterThan(0);
  });

  test('goes on when PostgreSQL is shut down in the middle and comes back', async () => {
    const args = ['--ledger', 'postgres:', '--queue', 'none', '--restart', 'ledger@150', '--kill-at', '151'];
    expectAll(await notify(real(...args, '--json')), 2);
  });

  test.each([
    ['redis:', ['--restart', 'queue@100']],
    ['redis:', ['--wipe', 'queue@100']],
    // Both at once: one of them has to wait for the other.
    ['amqp:', ['--wipe', 'queue@50', '--restart', 'queue@51']],
  ])('brings all work back from the ledger when its queue at %s is struck by %j', async (queue, faults) => {
    expectAll(await notify(real('--queue', queue, ...faults, '--json')), faults.length / 2);
  });

  test('brings all work back from the ledger when SQS is purged, restarts, and has no queue any more, and a process is killed', async () => {
    let app = buildApp({ logger: false });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const place = mkdtempSync(join(folder, 'sqs-'));
    const address = `sqs+http://127.0.0.1:${port}`;
    const run = start(real('--queue', address, ...['--wipe', 'queue@20', '--kill-at', '250'], '--json'), place);
    // By then the purge is over.
    await until(() => messagesIn(place) > 100, 'messages arrive', 30_000);
    app.server.closeAllConnections();
    await app.close();
    app = buildApp({ logger: false });
    await app.listen({ port, host: '127.0.0.1' });
    expectAll(await run.ended, 2);
    await app.close();
  });

  test.skipIf(!HAS_PROC)('takes its servers with it when it is killed', async () => {
    const place = mkdtempSync(join(folder, 'killed-'));
    // PostgreSQL is another user where we are root.
    for (const each of [folder, place]) chmodSync(each, 0o755);
    const run = start(
      long('--ledger', 'postgres:', '--queue', 'redis:', '--recipients', '5000', '--drop-acks', '0'),
      place,
    );
    await until(() => messagesIn(place) > 0, 'messages arrive', 30_000);
    const all = treeOf(run.pid);
    run.child.kill('SIGKILL');
    await run.ended;
    await until(() => !all.some(isAlive), 'no process is left');
    await until(() => readdirSync(place).length === 0, 'no folder is left');
  });

  test.each([
    ['--ledger', 'redis:', 'redis-server'],
    ['--queue', 'amqp:', 'rabbitmq-server'],
  ])('says what to install when %s %s has no program', async (flag, value, program) => {
    const args = real(flag, value);
    const env = { PATH: mkdtempSync(join(folder, 'no-path-')) };
    const { code, stderr } = await notify(args, { env });
    // RabbitMQ's own folders are looked into before PATH.
    const isThere = program === 'rabbitmq-server' && existsSync('/usr/lib/rabbitmq/bin');
    const missing = isThere ? 'epmd' : program;
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(`${flag} .*${missing} on this machine.*apt-get install ${program}`),
    ]);
  });
});

/** How many messages have arrived. */
function messagesIn(place: string): number {
  const [run] = readdirSync(place).filter((name) => name.startsWith('sendonce-real-'));
  const file = join(place, run ?? '', 'mailbox.ndjson');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}
