import { readFileSync } from 'node:fs';
import { CLASSES_OF_END, INVARIANT_TEXTS, KILL_MOMENTS } from '@sendonce/chaos';
import { describe, expect, test } from 'vitest';
import { BaseCommand } from '../../src/base-command.ts';
import { EXIT } from '../../src/command-error.ts';
import { SIMULATE_FLAGS } from '../../src/simulate/flags.ts';

const page = readFileSync(new URL('../../../../docs/reference/simulate.md', import.meta.url), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('|'));

describe('the page of notify simulate', () => {
  test('has a row for each flag, and for no other', () => {
    const flags = Object.keys({ ...SIMULATE_FLAGS, ...BaseCommand.baseFlags });
    const documented = rows.flatMap((row) => /^\| `--([\w-]+)/.exec(row)?.[1] ?? []);
    expect(documented.sort()).toEqual(flags.sort());
  });

  test('has a row for each exit code', () => {
    const codes = rows.flatMap((row) => /^\| (\d+)\b/.exec(row)?.[1] ?? []).map(Number);
    expect(codes).toEqual(Object.values(EXIT));
  });

  test('says what each promise is, in the words of the report', () => {
    const promises = rows.flatMap((row) => {
      const [, id, title] = /^\| ([SL]\d+|META|END) +\| (.*?) *\|$/.exec(row) ?? [];
      return id === undefined || title === undefined ? [] : [[id, title.replace(' (not judged yet)', '')]];
    });
    expect(promises).toEqual(Object.entries(INVARIANT_TEXTS).map(([id, { title }]) => [id, title]));
  });

  test.each([...CLASSES_OF_END, ...KILL_MOMENTS].map((word) => [word]))('explains %s', (word) => {
    expect(page).toContain(`\`${word}\``);
  });
});
