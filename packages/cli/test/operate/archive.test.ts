import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import type { DeliveryRecord, Ledger, NotificationRecord } from '@sendonce/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runArchive } from '../../src/operate/archive/run-archive.ts';
import { running } from '../support/running.ts';
import { here } from './support/here.ts';
import { configText, ledgerFolder } from './support/ledger-folder.ts';
import { DOWN, people, shop } from './support/shop.ts';

const folder = ledgerFolder();
let ledger: Ledger;

/** Over: 3 sent, 2 dead, and one of 300, which is more than a page. Not over: one whose recipients are not complete. */
beforeAll(async () => {
  ledger = sqliteLedger({ file: folder.file, synchronous: 'normal' });
  const { notifier, work } = shop(ledger, (to) => (to.startsWith('dead') ? DOWN : undefined));
  await notifier.publish('news', {}, { key: 'good', recipients: people('good', 3) });
  await notifier.publish('news', {}, { key: 'dead', recipients: people('dead', 2) });
  await notifier.publish('news', {}, { key: 'long', recipients: people('long', 300) });
  await work();
  const broken = async function* () {
    yield { channel: 'email', to: 'half@example.org' } as const;
    await Promise.reject(new Error('the source broke off'));
  };
  await notifier.publish('news', {}, { key: 'half', recipients: broken() }).catch(() => undefined);
});
afterAll(() => ledger.close());

type Line =
  | { readonly kind: 'archive'; readonly schema: string; readonly before: string }
  | { readonly kind: 'notification'; readonly record: NotificationRecord }
  | { readonly kind: 'delivery'; readonly record: DeliveryRecord }
  | { readonly kind: 'end'; readonly notifications: number; readonly deliveries: number; readonly sha256: string };

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
let files = 0;
const newFile = (): string => `${folder.file}.${(files += 1)}.ndjson`;
const archive = (flags: Parameters<typeof runArchive>[0]) =>
  here(() => runArchive({ config: folder.config, ...flags }));

const END = {
  kind: 'end',
  notifications: 3,
  deliveries: 305,
  sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
};
/** Later than everything that was settled. */
const ALL = { before: '0ms' };

describe('notify archive', () => {
  test('writes each notification that is over, and its deliveries after it, whole', async () => {
    const to = newFile();
    const { code, stdout } = await archive({ ...ALL, to });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^WRITTEN {2}3 notifications with 305 deliveries\n\n {2}over {6}before 2\S+Z\n {2}file {6}\S+\n {2}sha256 {4}\w{64} /,
    );
    expect(stdout).toMatch(/left out {2}1 {2}not over yet\n/);
    expect(stdout).toContain('nothing was removed');
    const lines = linesOf(readFileSync(to, 'utf8'));
    expect(lines[0]).toMatchObject({ kind: 'archive', schema: 'sendonce.archive/1' });
    expect(lines.at(-1)).toEqual(END);
    const records = lines.flatMap((line) => (line.kind === 'delivery' ? [line.record] : []));
    expect(new Set(records.map(({ id }) => id)).size).toBe(305);
    expect(records).toContainEqual(JSON.parse(JSON.stringify((await ledger.find([records[0]!.id]))[0])));
    // Whoever reads it has the notification before its deliveries.
    let current = '';
    for (const line of lines) {
      if (line.kind === 'notification') current = line.record.id;
      if (line.kind === 'delivery') expect(line.record.notificationId).toBe(current);
    }
    expect(statSync(to).mode & 0o777).toBe(0o600);
  });

  test('leaves what has not been over for so long', async () => {
    const { stdout } = await archive({ before: '1h', 'dry-run': true });
    expect(stdout).toMatch(/^COUNTED {2}0 notifications with 0 deliveries would be written; nothing was\n/);
    expect(stdout).toMatch(/left out {2}3 {2}accepted, settled or changed later than that\n {12}1 {2}not over yet\n/);
  });

  test('counts under --dry-run, and makes no file', async () => {
    const to = newFile();
    const { stdout } = await archive({ ...ALL, to, 'dry-run': true, json: true });
    expect(JSON.parse(stdout)).toEqual({
      schema: 'sendonce.archived/1',
      status: 'counted',
      isEarlier: false,
      before: expect.stringMatching(/Z$/) as string,
      file: to,
      sha256: null,
      notifications: 3,
      deliveries: 305,
      deadLetters: 2,
      left: 1,
      held: [{ name: 'not-over', count: 1 }],
      unreadable: 0,
      forgotten: null,
    });
    expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, false]);
  });

  test('writes the archive alone to stdout', async () => {
    const { stdout, stderr } = await archive(ALL);
    expect(linesOf(stdout)).toHaveLength(2 + 3 + 305);
    expect(stderr).toContain('nothing was removed');
  });

  test('writes over no file', async () => {
    const to = newFile();
    writeFileSync(to, 'theirs');
    await expect(runArchive({ config: folder.config, ...ALL, to })).rejects.toMatchObject({ code: 'FLAG_INVALID' });
    expect(readFileSync(to, 'utf8')).toBe('theirs');
  });

  test('says that a file cannot be written', async () => {
    const to = `${folder.file}/below-a-file.ndjson`;
    await expect(runArchive({ config: folder.config, ...ALL, to })).rejects.toMatchObject({ code: 'OUTPUT_FAILED' });
  });

  test('needs a file for --json', async () => {
    await expect(runArchive({ json: true })).rejects.toMatchObject({ code: 'FLAG_INVALID' });
  });

  test.each([['SIGKILL'], ['SIGINT']] as const)(
    'killed half-way by %s it leaves nothing that looks like an archive, and run again it is whole',
    async (signal) => {
      const to = newFile();
      const stuck = `(() => { const own = sqliteLedger({ file: ${JSON.stringify(folder.file)} }); let n = 0; return { ...own, list: (...args) => (n++ < 1 ? own.list(...args) : new Promise(() => {})) }; })()`;
      const config = folder.write(`stuck-${signal}.config.ts`, configText(stuck));
      const command = running(['archive', '--config', config, '--before', '0ms', '--to', to]);
      await vi.waitFor(() => expect(readFileSync(`${to}.part`, 'utf8')).toContain('"kind":"delivery"'), 20_000);
      command.kill(signal);
      if (signal === 'SIGINT') command.kill(signal);
      await command.ended;
      expect(existsSync(to)).toBe(false);
      await archive({ ...ALL, to });
      expect(linesOf(readFileSync(to, 'utf8')).at(-1)).toEqual(END);
      expect(existsSync(`${to}.part`)).toBe(false);
    },
  );
});
