import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BaseCommand } from '../../src/base-command.ts';
import { EXIT } from '../../src/command-error.ts';
import { SEND_FLAGS } from '../../src/send/flags.ts';
import { SOME_REFUSED } from '../../src/send/run-send.ts';
import { WORKER_FLAGS } from '../../src/worker/flags.ts';

const { pass, usage, internal, output, interrupted } = EXIT;
const PAGES = [
  ['send', SEND_FLAGS, [pass, usage, SOME_REFUSED, internal, output, interrupted]],
  ['worker', WORKER_FLAGS, [pass, usage, internal, output, interrupted]],
] as const;

describe.each(PAGES)('the page of notify %s', (name, flags, codes) => {
  const page = readFileSync(new URL(`../../../../docs/reference/${name}.md`, import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('|'));

  test('has a row for each flag, and for no other', () => {
    const documented = rows.flatMap((row) => /^\| `--([\w-]+)/.exec(row)?.[1] ?? []);
    expect(documented.sort()).toEqual(Object.keys({ ...BaseCommand.baseFlags, ...flags }).sort());
  });

  test('has a row for each exit code', () => {
    expect(rows.flatMap((row) => /^\| (\d+) /.exec(row)?.[1] ?? []).map(Number)).toEqual(codes);
  });
});
