import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { notify, QUIET, type Result } from '../notify.ts';
import { childrenOf, commandOf, HAS_PROC, isAlive, start, until } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'notify-harness-'));
afterAll(() => rmSync(folder, { recursive: true }));
const bin = fileURLToPath(new URL('../../bin/notify.js', import.meta.url));
const real = (...args: readonly string[]): readonly string[] => [
  ...['simulate', '--real', '--workers', '2', '--seed', 'apple', '--drop-acks', '0'],
  ...args,
];

/** Whether this user may have a small disk of their own. */
const HAS_DISKS = ((): boolean => {
  try {
    execFileSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Runs the command line with a disk of that size as its folder for temporary files. */
function onDisk(size: string, args: readonly string[]): Promise<Result> {
  const place = mkdtempSync(join(folder, 'disk-'));
  const script = `mount -t tmpfs -o size=${size} tmpfs "$TMPDIR" && exec "$@"`;
  const child = spawn('unshare', ['-rm', 'sh', '-c', script, 'sh', process.execPath, bin, ...args], {
    env: { ...process.env, ...QUIET, TMPDIR: place },
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (more: string) => (text[name] += more));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...text })));
}

/** The folder of a run, as soon as there is in it what is waited for. */
async function folderOf(place: string, isTime: (names: readonly string[]) => boolean): Promise<string> {
  for (;;) {
    const [name] = readdirSync(place);
    if (name !== undefined && isTime(readdirSync(join(place, name)))) return join(place, name);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Whoever writes into it meanwhile may make the first try fail. */
async function vanish(path: string): Promise<void> {
  await until(() => {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    return !existsSync(path);
  }, 'the folder is gone');
}

describe.concurrent('the harness of a real run', { timeout: 90_000 }, () => {
  test.skipIf(!HAS_DISKS).each([
    ['the mailbox', '3m', '20000', ['--ledger', `sqlite:${join(folder, 'elsewhere.db')}`]],
    ['the ledger', '3m', '20000', []],
  ])('whose disk is full at %s says so, and blames nobody', async (_what, size, recipients, more) => {
    const { code, stdout, stderr } = await onDisk(size, real('--recipients', recipients, ...more));
    expect({ code, stdout }).toEqual({ code: 70, stdout: '' });
    expect(stderr).toMatch(/Error HARNESS_FAILED: .*(ENOSPC|is full).*Nothing is known about the sender/s);
  });

  test.skipIf(!HAS_PROC)('whose provider is killed says so, and blames nobody', async () => {
    const place = mkdtempSync(join(folder, 'provider-'));
    const run = start(real('--recipients', '5000', '--json'), place);
    await until(() => childrenOf(run.pid).length === 3, 'two workers and a provider run');
    const children = childrenOf(run.pid);
    process.kill(children.find((pid) => commandOf(pid).includes('provider')) ?? -1, 'SIGKILL');
    const { code, stdout } = await run.ended;
    expect({ code, told: JSON.parse(stdout) }).toMatchObject({
      code: 70,
      told: {
        error: {
          code: 'HARNESS_FAILED',
          message: expect.stringMatching(
            /^the process of the fake provider ended by itself with SIGKILL\. Nothing is known/,
          ),
        },
      },
    });
    await until(() => !children.some(isAlive) && readdirSync(place).length === 0, 'nothing is left');
  });

  test.each([
    ['it is made', [], () => true],
    ['its ledger is made', [], (names: readonly string[]) => names.includes('ledger.db')],
    ['its mailbox is made', [], (names: readonly string[]) => names.includes('mailbox.ndjson')],
    [
      'a worker is to be struck',
      ['--kill-at', '9:before-send'],
      (names: readonly string[]) => names.some((name) => name.startsWith('w1')),
    ],
  ] as const)('whose folder is removed once %s says so, and blames nobody', async (_when, more, isTime) => {
    const place = mkdtempSync(join(folder, 'removed-'));
    const run = start(real('--recipients', '2000', '--json', ...more), place);
    const own = await folderOf(place, isTime);
    await vanish(own);
    const { code, stdout } = await run.ended;
    expect({ code, told: JSON.parse(stdout) }).toMatchObject({ code: 70, told: { error: { code: 'HARNESS_FAILED' } } });
  });

  test.skipIf(!HAS_PROC).each(['SIGHUP', 'SIGTERM', 'SIGINT'] as const)(
    'that everybody in its terminal hears %s with leaves nothing behind',
    async (signal) => {
      const place = mkdtempSync(join(folder, 'signal-'));
      const run = start(real('--recipients', '5000', '--json'), place);
      await until(() => childrenOf(run.pid).length === 3, 'two workers and a provider run');
      const children = childrenOf(run.pid);
      for (const pid of [...children, run.pid]) process.kill(pid, signal);
      const { code, stdout } = await run.ended;
      expect({ code, told: JSON.parse(stdout) }).toMatchObject({
        code: 130,
        told: { verdict: 'interrupted', mode: 'real', schedules: 0, requested: 0 },
      });
      await until(() => !children.some(isAlive) && readdirSync(place).length === 0, 'nothing is left');
    },
  );

  test.skipIf(!HAS_PROC).each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'blames nobody for what %s to its whole group could end, at any moment of its start',
    async (signal) => {
      for (const n of [1, 2, 3]) {
        const run = start(real('--recipients', '5000'), mkdtempSync(join(folder, 'group-')));
        // At once: a child that has loaded leaves the signal to its parent.
        while (childrenOf(run.pid).length < n) await new Promise((resolve) => setImmediate(resolve));
        process.kill(-run.pid, signal);
        const { code, stdout } = await run.ended;
        expect({ code, stdout }).toEqual({ code: 130, stdout: expect.stringMatching(/^INTERRUPTED/) as string });
        expect(stdout).not.toContain('crashed');
      }
    },
  );

  test('takes no folder and no ledger that it cannot have for itself, with 2', async () => {
    const foreign = join(folder, 'foreign.db');
    writeFileSync(foreign, 'SQLite format 3\0 of another program');
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'a-folder'));
    const cases: readonly (readonly [words: RegExp, args: readonly string[], env?: object])[] = [
      [/FLAG_INVALID: --ledger .*there is such a file/, ['--ledger', `sqlite:${foreign}`]],
      [/FLAG_INVALID: --ledger .*there is such a file/, ['--ledger', `sqlite:${join(folder, 'a-folder')}`]],
      [/FLAG_INVALID: --ledger .*there is no such folder/, ['--ledger', `sqlite:${join(folder, 'none', 'x.db')}`]],
      [/FLAG_INVALID: --ledger .*is a file/, ['--ledger', `sqlite:${join(folder, 'file', 'x.db')}`]],
      [/OPTION_INVALID: no folder for the run can be made in .*none.*TMPDIR/, [], { TMPDIR: join(folder, 'none') }],
    ];
    const results = await Promise.all(
      cases.map(([, args, env]) => notify(real('--recipients', '5', ...args), env === undefined ? {} : { env })),
    );
    results.forEach(({ code, stdout, stderr }, at) => {
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(cases[at]![0]) });
    });
  });

  test('lets one of two runs have a new ledger, and refuses the other', async () => {
    const file = join(folder, 'both.db');
    const args = real('--recipients', '20', '--ledger', `sqlite:${file}`);
    const both = await Promise.all([notify(args), notify(args)]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 2]);
    expect(both.map(({ stderr }) => stderr).join('')).toMatch(/there is such a file, .* or that another run is using/);
    expect(existsSync(file)).toBe(true);
  });
});
