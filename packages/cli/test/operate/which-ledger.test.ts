import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runList } from '../../src/operate/dlq/run-list.ts';
import { runShow } from '../../src/operate/dlq/run-show.ts';
import { runReplay } from '../../src/operate/replay/run-replay.ts';
import { runStatus } from '../../src/operate/status/run-status.ts';
import { runWhy } from '../../src/operate/why/run-why.ts';
import { here } from './support/here.ts';
import { configText, ledgerFolder } from './support/ledger-folder.ts';
import { all, DOWN, people, shop } from './support/shop.ts';

const made = ledgerFolder();
const ledger = sqliteLedger({ file: made.file, synchronous: 'normal' });
afterAll(() => ledger.close());
let id = '';
beforeAll(async () => {
  const { notifier, work } = shop(ledger, () => DOWN);
  await notifier.publish('news', {}, { key: 'issue 7', recipients: people('reader', 2) });
  await work();
  id = (await all(ledger))[0]!.id;
});

interface Flags {
  readonly config: string;
  readonly json?: boolean;
}
const COMMANDS: readonly (readonly [name: string, run: (flags: Flags) => Promise<number>])[] = [
  ['status', (flags) => runStatus(flags)],
  ['dlq list', (flags) => runList(flags, 'again')],
  ['dlq show', (flags) => runShow(id, flags)],
  ['why', (flags) => runWhy(id, flags)],
  ['replay-dlq', (flags) => runReplay({ flags: { ...flags, 'dry-run': true }, ids: [], again: 'again' })],
];

describe('a ledger that is looked at', () => {
  test.each(COMMANDS)('by %s is named by its whole path', async (_name, run) => {
    const { config, file } = made;
    expect((await here(() => run({ config }))).stdout).toContain(`  ledger    ${file}\n`);
    const { stdout } = await here(() => run({ config, json: true }));
    // A list is one object a line, everything else one object.
    const objects = stdout.startsWith('{"') ? stdout.trimEnd().split('\n') : [stdout];
    for (const each of objects) expect(JSON.parse(each)).toMatchObject({ ledger: file });
  });

  // A relative path is one of the current folder, which is not that of the config.
  test.each(COMMANDS)('by %s is not made where there is none', async (_name, run) => {
    const file = 'no-such-ledger-of-the-test.db';
    const config = made.write('elsewhere.config.ts', configText(`sqliteLedger({ file: '${file}' })`));
    const call = here(() => run({ config }));
    await expect(call).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    await expect(call).rejects.toThrow(`there is no ledger at ${resolve(file)}; `);
    await expect(call).rejects.toThrow(`The folder of the config is ${resolve(config, '..')}: run from there`);
    expect(existsSync(file)).toBe(false);
  });
});

describe('a delivery that is not there', () => {
  test.each([
    ['why', (flags: Flags) => runWhy('d_nowhere', flags)],
    ['dlq show', (flags: Flags) => runShow('d_nowhere', flags)],
    [
      'replay-dlq',
      (flags: Flags) => runReplay({ flags: { ...flags, 'dry-run': true }, ids: ['d_nowhere'], again: '' }),
    ],
  ])('is told by %s in one way', async (_name, run) => {
    await expect(here(() => run({ config: made.config }))).rejects.toMatchObject({
      code: 'DELIVERY_NOT_FOUND',
      message: expect.stringContaining(`no delivery "d_nowhere" in this ledger (${made.file})`),
    });
  });
});

test('why finds a notification by the key that its producer gave', async () => {
  const { stdout } = await here(() => runWhy('issue 7', { config: made.config }));
  expect(stdout).toMatch(/^DONE, \d+ (?:dead|failed|parked) {2}n_\S+: news, key "issue 7"\n/);
});

test.each([['dlq list'], ['dlq list --json'], ['status']])(
  '%s has no words for a reader that went away',
  async (words) => {
    const { code, stderr } = await made.run(words.split(' '), { stdout: 'closed' });
    expect({ code, stderr }).toEqual({ code: 74, stderr: 'a config that talks\n' });
  },
);
