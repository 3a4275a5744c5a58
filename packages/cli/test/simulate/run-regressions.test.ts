import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlanFile, SimulateReport } from '@sendonce/chaos';
import { afterAll, describe, expect, test } from 'vitest';
import { runRegressions } from '../../src/simulate/run-regressions.ts';

const folder = mkdtempSync(join(tmpdir(), 'regressions-'));
afterAll(() => rmSync(folder, { recursive: true }));

const setup = {
  recipients: 1,
  workers: 1,
  concurrency: 1,
  provider: 'keyed',
  class: 'transactional',
  onUnknown: null,
  queue: true,
  knobs: {},
} as const;
const plan = (title: string, sender: string | null, expected?: string): PlanFile => ({
  schema: 'sendonce.plan/1',
  title,
  seed: '1',
  setup: { ...setup, sender },
  faults: [],
  ...(expected !== undefined && { expect: expected }),
});
const report = (invariants: readonly string[]): SimulateReport =>
  ({
    verdict: invariants.length === 0 ? 'pass' : 'violation',
    result: { violations: invariants.map((invariant) => ({ invariant })) },
  }) as unknown as SimulateReport;

/** Writes the plans, and replays each to the invariants that are listed for its title. */
async function run(
  name: string,
  plans: readonly PlanFile[],
  broken: Readonly<Record<string, readonly string[]>>,
): Promise<object> {
  const place = mkdtempSync(join(folder, name));
  for (const [i, each] of plans.entries()) writeFileSync(join(place, `${i}.plan.json`), JSON.stringify(each));
  writeFileSync(join(place, 'notes.txt'), 'not a plan');
  const ran: string[] = [];
  const { plans: count, failed } = await runRegressions(place, async ({ title }) => {
    ran.push(title);
    return report(broken[title] ?? []);
  });
  return { ran, count, failed: failed?.file.slice(place.length + 1) ?? null };
}

describe('the regressions', () => {
  test('all run, by name, when none fails', async () => {
    expect(await run('good', [plan('a', null), plan('b', null, 'S1')], {})).toEqual({
      ran: ['a', 'b'],
      count: 2,
      failed: null,
    });
  });

  test('are run without what the real worker was found to break, and with what a known-bad sender does', async () => {
    const place = mkdtempSync(join(folder, 'expects'));
    for (const each of [plan('a', null, 'S1'), plan('b', 'naive-lock', 'S1')])
      writeFileSync(join(place, `${each.title}.plan.json`), JSON.stringify(each));
    const expected: (string | undefined)[] = [];
    await runRegressions(place, async ({ expect: each }) => {
      expected.push(each);
      return report(each === 'pass' ? [] : ['S1']);
    });
    expect(expected).toEqual(['pass', 'S1']);
  });

  test('stop at the first that fails, though it is what its plan expected when it was found', async () => {
    const plans = [plan('a', null), plan('b', null, 'S1'), plan('c', null)];
    expect(await run('bad', plans, { b: ['S1'] })).toEqual({ ran: ['a', 'b'], count: 2, failed: '1.plan.json' });
  });

  test('expect a known-bad sender to be caught', async () => {
    const plans = [plan('caught', 'naive-lock', 'S1'), plan('missed', 'naive-lock', 'S1')];
    expect(await run('sender', plans, { caught: ['S2', 'S1'], missed: ['L2'] })).toEqual({
      ran: ['caught', 'missed'],
      count: 2,
      failed: '1.plan.json',
    });
  });

  test('are none where there is no such folder', async () => {
    expect(await runRegressions(join(folder, 'nowhere'), () => Promise.reject(new Error('nothing to run')))).toEqual({
      plans: 0,
      failed: null,
    });
  });

  test('name a file that is no plan', async () => {
    const place = mkdtempSync(join(folder, 'broken'));
    writeFileSync(join(place, 'x.plan.json'), '{');
    await expect(runRegressions(place, () => Promise.resolve(report([])))).rejects.toMatchObject({
      code: 'PLAN_INVALID',
    });
  });
});
