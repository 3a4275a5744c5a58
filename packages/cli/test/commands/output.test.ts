import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { notify } from '../notify.ts';

const folder = mkdtempSync(join(tmpdir(), 'notify-output-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'file');
writeFileSync(file, '');

const PASS = ['simulate', '--recipients', '20', '--kill-at', '3', '--seed', 'apple'];

describe('a stdout that takes nothing', () => {
  const ways = [...(existsSync('/dev/full') ? (['full'] as const) : []), 'closed' as const];
  const commands: readonly (readonly string[])[] = [
    PASS,
    [...PASS, '--json'],
    ['simulate', '--help'],
    ['simulate', '--provider', 'keyd', '--json'],
    [
      'simulate',
      '--config',
      'examples/simulate-config/notify.config.ts',
      '--recipients',
      '5',
      '--schedules',
      '1',
      '--seed',
      'apple',
    ],
  ];
  test.each(ways.flatMap((way) => commands.map((args) => [way, args] as const)))(
    '(%s) looks like no verdict, and is told unless the reader just went away: %j',
    async (stdout, args) => {
      const { code, stderr } = await notify(args, { stdout });
      expect(code).toBe(74);
      const told = /Error OUTPUT_FAILED: what there is to say cannot be written to stdout: .*ENOSPC/;
      if (stdout === 'full') expect(stderr).toMatch(told);
      else expect(stderr).not.toContain('OUTPUT_FAILED');
    },
  );
});

describe('a --report that cannot be written', () => {
  const places: readonly (readonly [report: string, reason: string])[] = [
    ['', 'expected the name of a folder'],
    [' ', 'expected the name of a folder'],
    [file, 'it is a file, or below one'],
    [join(file, 'below'), 'it is a file, or below one'],
    ...(existsSync('/proc/self') ? ([['/proc/x', 'no folder can be made there']] as const) : []),
    ...(existsSync('/proc/self') ? ([['/proc', 'no folder can be made there']] as const) : []),
  ];
  test.each(places)('such as %j is refused before anything is run', async (report, reason) => {
    const { code, stdout, stderr } = await notify([...PASS, '--report', report]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`Error FLAG_INVALID: --report ${JSON.stringify(report)}: `);
    expect(stderr).toContain(reason);
  });

  test('is made where it can be, with the folders above it', async () => {
    const report = join(folder, 'a', 'b');
    expect((await notify([...PASS, '--report', report])).code).toBe(0);
    expect(readdirSync(report).sort()).toEqual(['events.ndjson', 'junit.xml', 'not-sent.ndjson', 'summary.json']);
  });
});

describe('files that nobody asked for', () => {
  test('cost no verdict when they cannot be written', async () => {
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(file, 'summary.md'), TMPDIR: join(file, 'tmp') };
    const [pass, broken] = await Promise.all([
      notify([...PASS, '--json'], { env }),
      notify(['simulate', '--break', 'key-per-attempt', '--seed', 'apple', '--json'], { env }),
    ]);
    expect([pass.code, broken.code]).toEqual([0, 1]);
    expect(JSON.parse(broken.stdout)).toMatchObject({ verdict: 'violation' });
    expect(broken.stderr).toMatch(/could not be written: .* The run itself ended with exit code 1/);
  });
});
