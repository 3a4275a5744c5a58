import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { collectRecipients } from '../../src/recipients/collect-recipients.ts';

const list = fileURLToPath(new URL('../../../../examples/data/recipients.csv', import.meta.url));
const script = fileURLToPath(new URL('../../../../examples/scripts/make-recipients.js', import.meta.url));

describe('the example list', () => {
  test('has 2,000 rows: people, doubles and rows that nobody can be reached by', async () => {
    const { rows, targets, doubles, invalid } = await collectRecipients(list);
    expect([rows, targets.length, doubles.length, invalid.length]).toEqual([2_000, 1_955, 30, 15]);
  });

  test('has accents, plus-addresses, capitals in domains, and names with commas and quotes', async () => {
    const { targets } = await collectRecipients(list);
    const some = (pattern: RegExp, field: 'to' | 'name'): boolean =>
      targets.some((target) => pattern.test(String(target[field])));
    expect([
      some(/[à-ÿ]/, 'to'),
      some(/\+\w+@/, 'to'),
      some(/@.*[A-Z]/, 'to'),
      some(/, /, 'name'),
      some(/"/, 'name'),
    ]).toEqual(Array(5).fill(true));
  });

  test('comes out of its script again, letter by letter', () => {
    const folder = mkdtempSync(join(tmpdir(), 'example-list-'));
    execFileSync(process.execPath, [script, join(folder, 'again.csv')]);
    expect(readFileSync(join(folder, 'again.csv')).equals(readFileSync(list))).toBe(true);
    rmSync(folder, { recursive: true });
  });
});
