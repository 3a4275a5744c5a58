import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inboxLaws } from '@sendonce/adapters/inboxes/laws';
import { destinationLaws, ledgerLaws, queueLaws } from '@sendonce/core/conformance';
import { afterAll, describe, expect, test } from 'vitest';
import { commandError } from '../../src/command-error.ts';
import { chooseLaws } from '../../src/verify/choose-laws.ts';
import type { VerifyFlags } from '../../src/verify/flags.ts';
import { readSuites } from '../../src/verify/read-suites.ts';
import { runSuite } from '../../src/verify/run-suite.ts';
import { settingsOf } from '../../src/verify/settings.ts';
import { notify } from '../notify.ts';
import { running } from '../support/running.ts';

/** Random histories that are judged beside the laws. */
const WALKS = 3;
const MODULES = 'packages/cli/test/commands/verify';
const QUEUE = `${MODULES}/memory-queue.ts`;
const LEDGER = `${MODULES}/memory-ledger.ts`;
const DESTINATIONS = `${MODULES}/memory-destinations.ts`;
const INBOX = `${MODULES}/memory-inbox.ts`;
const verify = (...args: readonly string[]) => notify(['verify', ...args]);

const folder = mkdtempSync(join(tmpdir(), 'notify-verify-'));
afterAll(() => rmSync(folder, { recursive: true }));
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const NO_METHODS = '{ capabilities: { maxBatch: 10, maxDelayMs: 0, visibilityMs: 1000, durable: false } }';
/** A queue without laws to keep: it says how much is in it. */
const holding = (depth: number) =>
  `{ ...${NO_METHODS}, depth: async () => ${depth}, enqueue: async () => [], receive: async () => [], ack: async () => [], release: async () => [], extend: async () => [], close: async () => {} }`;

describe.concurrent('notify verify', () => {
  test('prints a sentence for every law, those that say nothing with the capability that is missing', async () => {
    const { code, stdout, stderr } = await verify('--queue', QUEUE, '--ledger', LEDGER);
    expect(code).toBe(0);
    expect(stdout).toContain(`queue of ${QUEUE}\n\n  kept    hands out every message that was enqueued\n`);
    expect(stdout).toMatch(new RegExp(`^queue: ${queueLaws.length} kept$`, 'm'));
    expect(stdout).toMatch(
      /^ {2}- {7}lets nothing move for the whole quarantine .*\n {10}cannot be judged: needs 'amnesia'/m,
    );
    expect(stdout).toMatch(new RegExp(`^ledger: ${ledgerLaws.length + WALKS - 8} kept, 8 cannot be judged$`, 'm'));
    expect(stdout).toMatch(/^KEPT {2}every law that could be judged is kept$/m);
    // What the module prints is no part of the result.
    expect(stdout).not.toContain('a word of the module');
    expect(stderr).toContain('a word of the module');
  });

  test('judges destinations and an inbox as it does a queue and a ledger', async () => {
    const { code, stdout } = await verify('--destinations', DESTINATIONS, '--inbox', INBOX);
    expect(stdout).toContain(
      `destinations of ${DESTINATIONS}\n\n  kept    answers the active registrations of each owner`,
    );
    expect(stdout).toMatch(new RegExp(`^destinations: ${destinationLaws.length} kept$`, 'm'));
    expect(stdout).toContain(`inbox of ${INBOX}\n\n  kept    stores a message once`);
    expect(stdout).toMatch(new RegExp(`^inbox: ${inboxLaws.length} kept$`, 'm'));
    expect(code).toBe(0);
  });

  test('names the laws that destinations break, with what was seen and how to run one alone', async () => {
    const path = `${MODULES}/broken-destinations.ts`;
    const { code, stdout } = await verify('--destinations', path);
    expect(code).toBe(1);
    expect(stdout).toContain('  BROKEN  keeps what is only suspected, and changes nothing\n');
    expect(stdout).toContain(`alone     npx notify verify --destinations ${path} --law 'keeps what is only suspected`);
  });

  test('prints one object and nothing else under --json', async () => {
    const { code, stdout } = await verify('--queue', QUEUE, '--law', 'ACKED TWICE', '--json');
    expect({ code, report: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      report: {
        schema: 'sendonce.verify/1',
        verdict: 'kept',
        interrupted: false,
        suites: [
          {
            port: 'queue',
            from: QUEUE,
            kept: 1,
            broken: 0,
            skipped: 0,
            missing: 0,
            laws: [
              {
                kind: 'kept',
                law: 'lets a message be acked twice',
                alone: `npx notify verify --queue ${QUEUE} --law 'lets a message be acked twice'`,
              },
            ],
          },
        ],
        loose: [],
      },
    });
  });

  test('names the call of a hung adapter, and does not wait for it', async () => {
    const { code, stdout } = await verify(
      '--queue',
      `${MODULES}/hung-queue.ts`,
      '--limit',
      '300ms',
      '--law',
      'acked twice',
    );
    expect(code).toBe(1);
    expect(stdout).toContain('receive() gave no answer: the law was given up after 300 ms');
    expect(stdout).toMatch(/^queue: 0 kept, 1 broken$/m);
  });

  test('tells of a promise that the adapter forgot about, as of a broken law', async () => {
    const { code, stdout } = await verify('--queue', `${MODULES}/forgetful-queue.ts`, '--law', 'acked twice');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /a promise that nobody waited for was rejected: the connection was lost, at .*forgetful-queue\.ts:7/,
    );
  });

  test('calls it open, not kept, where no law could be judged', async () => {
    const { code, stdout } = await verify('--ledger', LEDGER, '--law', 'quarantine after it lost');
    expect(code).toBe(4);
    expect(stdout).toMatch(/^OPEN /m);
  });

  test('takes from a config what its `verify` makes, and a queue that keeps nothing', async () => {
    const { code, stdout } = await verify('--config', `${MODULES}/kept.config.ts`, '--law', 'batch');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^queue: 2 kept$/m);
    expect(stdout).toMatch(/^ledger: \d+ kept$/m);
    expect(stdout).toMatch(/^destinations: 1 kept$/m);
    expect(stdout).not.toContain('alone');
  });

  test('has colours where they are wanted, and none under NO_COLOR', async () => {
    const args = ['verify', '--queue', QUEUE, '--law', 'acked twice'];
    const colored = await notify(args, { env: { FORCE_COLOR: '1' } });
    const plain = await notify(args, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(colored.stdout).toContain('\u001b[');
    expect(plain.stdout).not.toContain('\u001b[');
  });
});

// Apart from those that run side by side: what a test has started is killed after it.
test('stops when it is told to, and shows what was judged', async () => {
  const command = running(['verify', '--queue', `${MODULES}/hung-queue.ts`, '--limit', '1h', '--law', 'batch']);
  await command.line(/kept {4}takes an empty batch/);
  command.kill('SIGINT');
  const { code, stdout } = await command.ended;
  expect(code).toBe(130);
  expect(stdout).toMatch(/^queue: 1 kept, 1 not run$/m);
  expect(stdout).toMatch(/^INTERRUPTED /m);
});

describe('a mistake exits with 2, and says what to do', () => {
  test.each([
    ['there is no such file', { queue: 'nowhere.ts' }, 'MODULE_INVALID: nowhere.ts: there is no such file in '],
    ['nothing is exported', { queue: file('nothing.js', 'export const a = 1;') }, 'has no default export; write'],
    ['the export is no function', { queue: file('object.js', 'export default {};') }, 'a function that makes a new'],
    ['it cannot be read', { queue: file('syntax.ts', 'export default (') }, 'MODULE_INVALID: '],
    [
      'the maker throws',
      { queue: file('throws.js', "export default () => { throw new Error('no server'); };") },
      /MODULE_INVALID: the default export of \S+throws\.js threw no server, at \S+throws\.js:1/,
    ],
    [
      'it makes no queue',
      { queue: file('none.js', `export default () => (${NO_METHODS});`) },
      'it has no method enqueue, receive, ack, release, extend, depth, close',
    ],
    ['it makes nothing', { ledger: file('undefined.js', 'export default () => {};') }, 'must be a ledger with accept'],
    ['it makes a queue where a ledger is asked for', { ledger: QUEUE }, 'it has no method accept'],
    [
      'a part of what it makes is wrong',
      { queue: file('unit.js', `export default () => ({ queue: ${holding(0)}, unitMs: 'fast' });`) },
      'unitMs of what the default export of',
    ],
    [
      'a part of what it makes is misspelt',
      { queue: file('odd.js', `export default () => ({ queue: ${holding(0)}, unitMS: 9 });`) },
      /'unitMS' of what .* makes is unknown: did you mean unitMs\?/,
    ],
    [
      'an address is of no server',
      { queue: 'redis:' },
      'FLAG_INVALID: --queue "redis:": expected the file of a module',
    ],
    ['an address is of another kind', { queue: 'kafka://127.0.0.1' }, 'FLAG_INVALID: --queue "kafka://127.0.0.1"'],
    [
      'an address is broken',
      { ledger: 'postgres://me:s3cret@:99999/x' },
      'FLAG_INVALID: --ledger "postgres://me:...@:99999/x"',
    ],
    [
      'it holds something',
      { queue: file('full.js', `export default () => (${holding(3)});`) },
      'holds 3 messages. The laws write into it',
    ],
    [
      'it makes the same one twice',
      {
        queue: file(
          'same.js',
          `let n = 0; const queue = { ...${holding(0)}, depth: async () => n, enqueue: async (w) => { n += w.length; return w.map(() => ({ ok: true })); } }; export default () => queue;`,
        ),
      },
      'STORE_NOT_EMPTY: what was written into one queue of',
    ],
    ['it makes no inbox', { inbox: DESTINATIONS, law: 'stores' }, 'is no inbox: it has no put(), list(), unread()'],
    ['it makes no destinations', { destinations: INBOX, law: 'keeps' }, 'it has no method register'],
    [
      'destinations are asked for at an address',
      { destinations: 'redis://127.0.0.1' },
      'expected the file of a module',
    ],
    [
      'it makes the same destinations twice',
      {
        destinations: file(
          'same-destinations.ts',
          `import make from '${process.cwd()}/${DESTINATIONS}'; const one = make(); export default () => one;`,
        ),
        law: 'keeps tenants',
      },
      'STORE_NOT_EMPTY: what was written into one destinations of',
    ],
    [
      'it makes the same inbox twice',
      {
        inbox: file(
          'same-inbox.ts',
          `import make from '${process.cwd()}/${INBOX}'; const one = make(); export default () => one;`,
        ),
        law: 'gives a content back',
      },
      'STORE_NOT_EMPTY: what was written into one inbox of',
    ],
    ['no law has the text', { queue: QUEUE, law: 'flies' }, 'FLAG_INVALID: --law "flies": expected a part of'],
    ['a number is none', { queue: QUEUE, 'at-once': '0' }, 'FLAG_INVALID: --at-once'],
    ['a time has no unit', { queue: QUEUE, limit: '5' }, 'did you mean 5s?'],
    ['there is no config', {}, 'CONFIG_FILE_INVALID: there is no notify.config.ts'],
    [
      'a ledger of a config keeps what is written into it',
      { config: 'examples/1-quickstart/notify.config.ts' },
      'its ledger keeps what is written into it',
    ],
  ] satisfies readonly (readonly [string, VerifyFlags, string | RegExp])[])('%s', async (_, flags, words) => {
    const { exitCode, text } = await mistake(flags);
    expect(exitCode).toBe(2);
    expect(text).toMatch(words);
  });
});

test.each([
  ['queue', 'QUEUE_UNAVAILABLE'],
  ['ledger', 'LEDGER_UNAVAILABLE'],
] as const)('a %s that nobody answers for is no broken law: exits with 70', async (port, code) => {
  const { exitCode, text } = await mistake({ [port]: 'redis://me:secret@127.0.0.1:1' });
  expect({ exitCode, text }).toEqual({
    exitCode: 70,
    text: expect.stringMatching(
      new RegExp(`${code}: redis://me@127\\.0\\.0\\.1:1 does not answer .*ECONNREFUSED`),
    ) as string,
  });
});

/** What the command would say, without a process for each. */
async function mistake(flags: VerifyFlags): Promise<{ readonly exitCode: number; readonly text: string }> {
  try {
    const settings = settingsOf(flags);
    const options = { ...settings, signal: new AbortController().signal, onJudged: () => undefined };
    for (const [suite, laws] of chooseLaws(await readSuites(flags), 0, flags.law ?? 'empty batch'))
      await runSuite(suite, laws, options);
  } catch (thrown) {
    return commandError(thrown, []);
  }
  throw new Error('nothing was wrong');
}
