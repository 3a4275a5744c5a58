import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlanFile } from '@sendonce/chaos';
import { afterAll, describe, expect, test } from 'vitest';
import { notify, root } from '../notify.ts';

type Json = Readonly<Record<string, unknown>>;

/** What becomes of each plan below examples/plans; what is not named is 0. */
const PLANS: Readonly<Record<string, Json>> = {
  'producer-gone': { requested: 0, input: 0 },
  'producer-killed-and-repeats': { requested: 200, once: 200 },
  'router-killed-mid-fan-out': { requested: 200, once: 190, recovered: 10 },
  'lost-accept-reply': { requested: 200, once: 200 },
  'ledger-restart': { requested: 200, once: 200 },
  'queue-wiped': { requested: 200, once: 200 },
  amnesia: { requested: 200, once: 25, parked: 175 },
};
const NOBODY = {
  resent: 0,
  assumed: 0,
  failed: 0,
  dead: 0,
  expired: 0,
  suppressed: 0,
  cancelled: 0,
  duplicated: 0,
  lost: 0,
  phantom: 0,
};

describe('the plans that ship', () => {
  const files = readdirSync(`${root}examples/plans`);
  const plans = files.map((file) => ({
    file,
    plan: JSON.parse(readFileSync(`${root}examples/plans/${file}`, 'utf8')) as PlanFile,
  }));
  const broken = plans.filter(({ plan }) => plan.setup.sender !== null);

  test('are the ones that are described here, and some of known-bad senders', () => {
    const ours = files.filter((file) => broken.every((each) => each.file !== file)).sort();
    expect(ours).toEqual(
      Object.keys(PLANS)
        .map((name) => `${name}.plan.json`)
        .sort(),
    );
  });

  test('of known-bad senders end in the violation that they expect', async () => {
    for (const { file, plan } of broken) {
      const { stdout } = await notify(['simulate', '--replay', `examples/plans/${file}`, '--json']);
      const { violations } = JSON.parse(stdout) as { readonly violations: readonly Json[] };
      expect(violations).toContainEqual(expect.objectContaining({ invariant: plan.expect }));
    }
  });

  test.each(Object.entries(PLANS))('%s passes, and everybody ends as it says', async (name, ends) => {
    const { code, stdout, stderr } = await notify([
      'simulate',
      '--replay',
      `examples/plans/${name}.plan.json`,
      '--json',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout) as Json;
    expect(result).toMatchObject({
      verdict: 'pass',
      faults: { armed: 1, fired: 1 },
      violations: [],
      ...NOBODY,
      ...ends,
    });
    const counted = ['once', 'recovered', 'parked'].reduce((sum, end) => sum + Number(result[end]), 0);
    expect(counted).toBe(result['requested']);
  });

  test('list a notification whose producer is gone, with how many recipients it had stored', async () => {
    const { stdout } = await notify(['simulate', '--replay', 'examples/plans/producer-gone.plan.json']);
    expect(stdout).toMatch(
      /Never finished by their producer \(1\), outside the sums\n {2}n_\S+: its producer stopped after 30,000 recipients; nobody of them got anything/,
    );
  });
});

describe('a plan of one’s own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-plans-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const shipped = JSON.parse(readFileSync(`${root}examples/plans/ledger-restart.plan.json`, 'utf8')) as PlanFile;
  const small = { ...shipped, setup: { ...shipped.setup, recipients: 3 } };
  const quiet = { ...small, faults: [] };
  const replay = (name: string, text: string): ReturnType<typeof notify> => {
    const file = join(folder, `${name}.plan.json`);
    writeFileSync(file, text);
    return notify(['simulate', '--replay', file]);
  };

  test.each([
    ['recipients', { ...small, setup: { ...small.setup, recipients: 1e9 } }, 'setup.recipients must be a whole number'],
    [
      'workers',
      { ...small, setup: { ...small.setup, workers: 1e6 } },
      'setup.workers must be a whole number from 1 to 64',
    ],
    ['sender', { ...small, setup: { ...small.setup, sender: 'nope' } }, 'setup.sender must be one of naive-lock'],
    ['fault', { ...small, faults: [{ ...small.faults[0], do: 'nope' }] }, 'faults[0].do must be one of'],
  ])('is refused before anything runs when its %s cannot be', async (name, plan, message) => {
    const { code, stderr } = await replay(name, JSON.stringify(plan));
    expect(code).toBe(2);
    expect(stderr).toContain(`Error PLAN_INVALID: ${join(folder, `${name}.plan.json`)}: ${message}`);
  });

  test('may begin with a byte order mark', async () => {
    expect((await replay('marked', `\uFEFF${JSON.stringify(quiet)}`)).code).toBe(0);
  });

  test('that does not end as it expects proves nothing', async () => {
    const { code, stdout } = await replay('mended', JSON.stringify({ ...quiet, expect: 'S1' }));
    expect(code).toBe(4);
    expect(stdout).toContain('the plan expects S1, and nothing was broken');
  });
});
