import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { removeOldPlans } from '../../src/simulate/write-report.ts';

const folder = mkdtempSync(join(tmpdir(), 'notify-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('plans of an earlier run', () => {
  test('are removed, but nothing that is not ours, has a name of its own or is being replayed', async () => {
    const ours = '{ "schema": "sendonce.plan/1" }';
    for (const name of ['S1', 'S13', 'END', 'L2', 'my-own']) writeFileSync(join(folder, `${name}.plan.json`), ours);
    writeFileSync(join(folder, 'L4.plan.json'), '{ "schema": "else" }');
    writeFileSync(join(folder, 'summary.json'), ours);
    await removeOldPlans(folder, join(folder, 'L2.plan.json'));
    expect(readdirSync(folder).sort()).toEqual(['L2.plan.json', 'L4.plan.json', 'my-own.plan.json', 'summary.json']);
  });

  test('need no directory', async () => {
    await removeOldPlans(join(folder, 'none'), null);
  });
});
