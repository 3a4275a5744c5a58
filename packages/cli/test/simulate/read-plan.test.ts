import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readPlan } from '../../src/simulate/read-plan.ts';

const folder = mkdtempSync(join(tmpdir(), 'plans-'));
afterAll(() => rmSync(folder, { recursive: true }));

const plan = { schema: 'sendonce.plan/1', title: '', seed: '1', setup: {}, faults: [] };

describe('a plan file', () => {
  test('is read as it is', async () => {
    writeFileSync(join(folder, 'good.plan.json'), JSON.stringify(plan));
    expect(await readPlan(join(folder, 'good.plan.json'))).toEqual(plan);
  });

  test.each([
    ['{', 'is not JSON'],
    ['7', 'a plan is a JSON object'],
    [
      JSON.stringify({ ...plan, schema: 'sendonce.plan/2' }),
      'its schema is "sendonce.plan/2"; this version reads "sendonce.plan/1"',
    ],
    [JSON.stringify({ ...plan, seed: 1 }), 'it has no seed'],
    [JSON.stringify({ ...plan, setup: null }), 'it has no setup'],
    [JSON.stringify({ ...plan, faults: {} }), 'it has no list of faults'],
  ])('that says %s is refused: %s', async (text, problem) => {
    writeFileSync(join(folder, 'bad.plan.json'), text);
    await expect(readPlan(join(folder, 'bad.plan.json'))).rejects.toThrow(problem);
    await expect(readPlan(join(folder, 'bad.plan.json'))).rejects.toMatchObject({ code: 'PLAN_INVALID' });
  });
});
