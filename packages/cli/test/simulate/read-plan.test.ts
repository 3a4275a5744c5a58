import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readPlan } from '../../src/simulate/read-plan.ts';
import { bring } from '../../src/simulate/workload.ts';

const folder = mkdtempSync(join(tmpdir(), 'plans-'));
afterAll(() => rmSync(folder, { recursive: true }));

const setup = {
  recipients: 3,
  workers: 2,
  concurrency: 2,
  provider: 'keyed',
  class: 'transactional',
  onUnknown: null,
  queue: true,
  sender: null,
  knobs: {},
};
const plan = { schema: 'sendonce.plan/1', title: '', seed: '1', setup, faults: [] };
const fault = { do: 'kill', op: 'ledger.mark', entity: 'w1', nth: 1, phase: 'A' };

describe('a plan file', () => {
  test('is read as it is', async () => {
    writeFileSync(join(folder, 'good.plan.json'), JSON.stringify(plan));
    expect(await readPlan(join(folder, 'good.plan.json'))).toEqual(plan);
  });

  test('may begin with a byte order mark', async () => {
    writeFileSync(join(folder, 'marked.plan.json'), `\uFEFF${JSON.stringify(plan)}`);
    expect(await readPlan(join(folder, 'marked.plan.json'))).toEqual(plan);
  });

  test('that is not there is named', async () => {
    const missing = join(folder, 'missing.plan.json');
    await expect(readPlan(missing)).rejects.toThrow(`${missing}: there is no such file`);
  });

  // A read of one never ends while nobody writes, and nothing can stop it.
  test('that is a pipe or a device is refused before anybody waits for it', async () => {
    const device = '/dev/null';
    await expect(readPlan(device)).rejects.toMatchObject({
      code: 'PLAN_INVALID',
      message: expect.stringContaining('this is a pipe or a device and no file') as string,
    });
    const files = { recipientsFile: device, config: null };
    await expect(bring(files, () => Promise.reject(new Error('no config')))).rejects.toMatchObject({
      code: 'RECIPIENTS_FILE_INVALID',
      message: expect.stringContaining('this is a pipe or a device and no file') as string,
    });
  });

  test.each([
    ['', 'is not JSON'],
    ['{', 'is not JSON'],
    ['7', 'a plan file must be an object, got 7'],
    [JSON.stringify({ ...plan, schema: 'sendonce.plan/2' }), 'schema must be "sendonce.plan/1" for this version'],
    [JSON.stringify({ ...plan, seed: 1 }), 'seed must be a text, got 1'],
    [JSON.stringify({ ...plan, setup: { ...setup, workers: 0 } }), 'setup.workers must be a whole number from 1 to 64'],
    [JSON.stringify({ ...plan, setup: { ...setup, sender: 'nope' } }), 'setup.sender must be one of naive-lock'],
    [JSON.stringify({ ...plan, faults: [{ ...fault, do: 'kil' }] }), 'faults[0].do must be one of'],
    [JSON.stringify({ ...plan, faults: [{ ...fault, nth: 0 }] }), 'faults[0].nth must be a whole number from 1'],
  ])('that says %s is refused: %s', async (text, problem) => {
    writeFileSync(join(folder, 'bad.plan.json'), text);
    await expect(readPlan(join(folder, 'bad.plan.json'))).rejects.toThrow(`bad.plan.json: ${problem}`);
    await expect(readPlan(join(folder, 'bad.plan.json'))).rejects.toMatchObject({ code: 'PLAN_INVALID' });
  });
});
