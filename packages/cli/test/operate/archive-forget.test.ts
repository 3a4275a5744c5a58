import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { notificationId, type Ledger } from '@sendonce/core';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { runArchive } from '../../src/operate/archive/run-archive.ts';
import { runStatus } from '../../src/operate/status/run-status.ts';
import { runWhy } from '../../src/operate/why/run-why.ts';
import { running } from '../support/running.ts';
import { here } from './support/here.ts';
import { configText, ledgerFolder } from './support/ledger-folder.ts';
import { all, DOWN, LOST, people, shop, type Shop } from './support/shop.ts';

const DAY_MS = 86_400_000;
const folder = ledgerFolder();
const open: Ledger[] = [];
afterAll(() => Promise.all(open.map((ledger) => ledger.close())));

interface Old {
  readonly ledger: Ledger;
  readonly file: string;
  readonly config: string;
  readonly to: string;
  readonly notifier: Shop['notifier'];
}

/** A ledger of two days ago with five notifications that are over, one of them of two dead letters. */
async function old(name: string): Promise<Old> {
  const file = `${folder.file}.${name}`;
  const ledger = sqliteLedger({ file, synchronous: 'normal', now: () => Date.now() - 2 * DAY_MS });
  open.push(ledger);
  const { notifier, work } = shop(ledger, (to) =>
    to.startsWith('dead') ? DOWN : to.startsWith('lost') ? LOST : undefined,
  );
  await notifier.publish('news', {}, { key: 'dead', recipients: people('dead', 2) });
  for (const key of ['a', 'b', 'c', 'd'])
    await notifier.publish('news', {}, { key, recipients: people(key, key === 'd' ? 120 : 2) });
  await work();
  const config = folder.write(`${name}.config.ts`, configText(`sqliteLedger({ file: ${JSON.stringify(file)} })`));
  return { ledger, file, config, to: `${file}.ndjson`, notifier };
}

const FORGET = { before: '1d', forget: true, yes: true };
const idOf = (key: string): string => notificationId('default', 'news', key);
const idsIn = (file: string): string[] =>
  [
    ...readFileSync(file, 'utf8').matchAll(/^\{"kind":"(?:notification|delivery)","record":\{"v":1,"id":"([^"]+)"/gm),
  ].map(([, id = '']) => id);

describe('notify archive --forget', () => {
  test('forgets what it has written, tells of it, and the same publish is repeated afterwards', async () => {
    const { ledger, config, to, notifier } = await old('whole');
    const before = (await all(ledger)).map(({ id }) => id);
    const { code, stdout } = await here(() => runArchive({ config, to, ...FORGET }));
    expect(stdout).toMatch(/^FORGOTTEN {2}5 of 5 notifications; they are in the archive alone\n/);
    expect(code).toBe(0);
    expect(await all(ledger)).toEqual([]);
    expect(idsIn(to)).toEqual(expect.arrayContaining(before));
    const again = await notifier.publish('news', {}, { key: 'a', recipients: people('a', 2) });
    expect(again.kind).toBe('repeated');
    await expect(notifier.publish('news', {}, { key: 'a', recipients: people('z', 2) })).rejects.toMatchObject({
      code: 'NOTIFICATION_CONFLICT',
    });
    const why = await here(() => runWhy('a', { config }));
    expect(why.stdout).toMatch(/^DONE .*key "a"\n[^]*archived {2}2\S+Z, now\n[^]*it was archived and forgotten/);
    await expect(runWhy(before[0] ?? '', { config })).rejects.toThrow(
      '5 notifications of this ledger were archived and forgotten with all deliveries, so it may be in an archive',
    );
    const status = await here(() => runStatus({ config }));
    expect(status.stdout).toMatch(/archived {2}5 notifications forgotten/);
  });

  test('forgets nothing under --dry-run, and nothing that nobody has confirmed', async () => {
    const { ledger, config, to } = await old('asked');
    const count = (await all(ledger)).length;
    const dry = await here(() => runArchive({ config, to, ...FORGET, 'dry-run': true }));
    expect(dry.stdout).toMatch(/^COUNTED {2}5 notifications with 128 deliveries would be written to /);
    expect(existsSync(to)).toBe(false);
    const asked = await here(() => runArchive({ config, to, ...FORGET, yes: false }));
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('There is no terminal to ask') as string]);
    expect(asked.stdout).toContain('nothing was forgotten');
    expect(await all(ledger)).toHaveLength(count);
    // The file stands, and the same command goes on with it.
    const { stdout } = await here(() => runArchive({ config, to, ...FORGET, json: true }));
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'forgotten',
      isEarlier: true,
      notifications: 5,
      deliveries: 128,
      forgotten: { notifications: 5, absent: 0, held: [] },
    });
    expect(await all(ledger)).toEqual([]);
  });

  test('leaves what has changed since it was archived, and says why', async () => {
    const { ledger, config, to, notifier } = await old('changed');
    await here(() => runArchive({ config, to, ...FORGET, yes: false }));
    const [dead] = (await all(ledger)).filter(({ state }) => state === 'dead');
    await notifier.replay([dead?.id ?? ''], { by: 'anna', why: 'a test' });
    const { stdout } = await here(() => runArchive({ config, to, ...FORGET }));
    expect(stdout).toMatch(/^FORGOTTEN {2}4 of 5 notifications/);
    expect(stdout).toMatch(
      new RegExp(
        `stayed {4}1 {2}(?:accepted, settled or changed later than that|a delivery is being sent again|not over yet); the first: ${idOf('dead')}`,
      ),
    );
    expect((await all(ledger)).map(({ notificationId: of }) => of)).toEqual(Array(3).fill(idOf('dead')));
  });

  test('leaves what is another notification under the same key: the file is of another ledger', async () => {
    const ours = await old('ours');
    const theirs = await old('theirs');
    await here(() => runArchive({ config: theirs.config, to: theirs.to, ...FORGET, yes: false }));
    const before = await all(ours.ledger);
    const { stdout } = await here(() => runArchive({ config: ours.config, to: theirs.to, ...FORGET }));
    expect(stdout).toMatch(/^FORGOTTEN {2}0 of 5 notifications/);
    expect(stdout).toMatch(/stayed {4}5 {2}another notification than the one in the file: FILE is of another ledger;/);
    expect(stdout).not.toContain('comes into a later archive');
    expect(await all(ours.ledger)).toEqual(before);
  });

  test('refuses what would lose something: no file, a file of somebody else, one that is damaged, what was over only now', async () => {
    const { ledger, config, to } = await old('refused');
    const run = (flags: Parameters<typeof runArchive>[0]): Promise<number> =>
      runArchive({ config, ...FORGET, ...flags });
    await expect(run({})).rejects.toMatchObject({ code: 'FLAG_INVALID' });
    await expect(run({ to, before: '23h' })).rejects.toMatchObject({ code: 'FLAG_INVALID' });
    await expect(runArchive({ config, to, yes: true })).rejects.toMatchObject({ code: 'FLAG_INVALID' });
    writeFileSync(`${to}.theirs`, 'theirs');
    await expect(run({ to: `${to}.theirs` })).rejects.toMatchObject({ code: 'OUTPUT_FAILED' });
    await here(() => run({ to, yes: false }));
    const whole = readFileSync(to, 'utf8');
    for (const damaged of [
      whole.replace('"key":"a"', '"key":"x"'),
      whole.slice(0, -20),
      whole.replace(/\{"kind":"end".*\n/, ''),
    ]) {
      writeFileSync(to, damaged);
      await expect(run({ to })).rejects.toMatchObject({ code: 'OUTPUT_FAILED' });
    }
    writeFileSync(to, whole);
    appendFileSync(to, '{}\n');
    await expect(run({ to })).rejects.toMatchObject({ code: 'OUTPUT_FAILED' });
    expect((await ledger.count()).forgotten).toBe(0);
  });

  test.each([
    ['while it writes', 'list', 0],
    ['between the file and the first batch', 'forget', 0],
    ['after a batch', 'forget', 1],
  ] as const)(
    'killed %s every record is in the file or in the ledger, and run again it goes on',
    async (_when, call, calls) => {
      const { ledger, file, to } = await old(`killed-${call}-${calls}`);
      const before = (await all(ledger)).map(({ id }) => id);
      const stuck = `(() => { const own = sqliteLedger({ file: ${JSON.stringify(file)} }); let n = 0; return { ...own, ${call}: (...args) => (n++ < ${calls} ? own.${call}(...args) : (console.error('stuck'), new Promise(() => {}))) }; })()`;
      const name = `stuck-${call}-${calls}.config.ts`;
      const args = ['archive', '--before', '1d', '--to', to, '--forget', '--yes', '--rate', '2/s'];
      const command = running([...args, '--config', folder.write(name, configText(stuck))]);
      await command.line(/stuck/);
      command.kill('SIGKILL');
      await command.ended;

      const left = new Set((await all(ledger)).map(({ id }) => id));
      const archived = new Set(existsSync(to) ? idsIn(to) : []);
      expect(before.filter((id) => !left.has(id) && !archived.has(id))).toEqual([]);
      expect((await ledger.count()).forgotten).toBe(calls * 2);
      const whole = existsSync(to) ? readFileSync(to, 'utf8') : null;
      expect(whole === null).toBe(call === 'list');

      const good = folder.write(name, configText(`sqliteLedger({ file: ${JSON.stringify(file)} })`));
      const { code, stdout } = await here(() => runArchive({ config: good, to, ...FORGET }));
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^FORGOTTEN {2}5 of 5 notifications/) as string]);
      expect(await all(ledger)).toEqual([]);
      expect(idsIn(to)).toEqual(expect.arrayContaining(before));
      if (whole !== null) expect(readFileSync(to, 'utf8')).toBe(whole);
    },
    30_000,
  );

  test('stops after the batch in flight when it is told to, and says how to go on', async () => {
    const { ledger, config, to } = await old('stopped');
    const stop = vi.waitUntil(async () => (await ledger.count()).forgotten > 0).then(() => process.emit('SIGINT'));
    const { code, stdout } = await here(() => runArchive({ config, to, ...FORGET, rate: '1/s' }));
    await stop;
    expect(code).toBe(130);
    expect(stdout).toMatch(/^STOPPED {2}after the batch in flight: [1-4] of 5 notifications forgotten\n/);
    expect(stdout).toContain('the archive is whole; this goes on: npx notify archive');
    await here(() => runArchive({ config, to, ...FORGET }));
    expect((await ledger.count()).forgotten).toBe(5);
  });
});
