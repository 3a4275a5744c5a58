import { describe, expect, test } from 'vitest';
import type { SimulationSetup } from '../src/plan.ts';
import type { Progress } from '../src/report/types.ts';
import { selfTest } from '../src/self-test.ts';
import { replayPlan, simulate } from '../src/simulate.ts';
import { setupOf } from './support/setup.ts';

const SETUP: SimulationSetup = setupOf({ recipients: 200, workers: 3, concurrency: 20 });
const run = (setup: Partial<SimulationSetup> = {}, more: Partial<Parameters<typeof simulate>[0]> = {}) =>
  simulate({ setup: { ...SETUP, ...setup }, seed: 'a seed', faults: [], ...more });

describe('lost replies', () => {
  const ends: readonly (readonly [
    setup: Partial<SimulationSetup>,
    end: 'recovered' | 'parked' | 'resent' | 'assumed',
  ])[] = [
    [{ provider: 'keyed' }, 'recovered'],
    [{ provider: 'lookup' }, 'recovered'],
    [{ provider: 'plain' }, 'parked'],
    [{ provider: 'plain', class: 'document' }, 'resent'],
    [{ provider: 'plain', class: 'security' }, 'resent'],
    [{ provider: 'plain', class: 'marketing' }, 'assumed'],
  ];
  test.each(ends)('with %j end as %s, and are faults of the plan', async (setup, end) => {
    const report = await run(setup, { dropAcks: 0.1 });
    const { faults, tally, violations, notSent } = report.result;
    expect(violations).toEqual([]);
    expect(report.verdict).toBe('pass');
    expect(faults.length).toBeGreaterThan(5);
    expect(report.totals).toMatchObject({ armed: faults.length, fired: faults.length });
    expect(tally).toMatchObject({ once: 200 - faults.length, [end]: faults.length, duplicated: 0, lost: 0 });
    if (end === 'parked')
      expect(new Set(notSent.map(({ recipient }) => recipient))).toEqual(
        new Set(faults.map((fault) => ('entity' in fault ? fault.entity : ''))),
      );
  });

  test('give the same when the plan is run again', async () => {
    const { result, seed, setup } = await run({ provider: 'plain' }, { dropAcks: 0.1 });
    const again = await replayPlan({ schema: 'sendonce.plan/1', title: 'again', seed, setup, faults: result.faults });
    expect([again.traceHash, again.result.tally]).toEqual([result.traceHash, result.tally]);
  });

  test('differ from schedule to schedule', async () => {
    const { totals } = await run({ recipients: 30 }, { dropAcks: 0.5, schedules: 4 });
    expect(totals.tally.recovered).toBe(totals.armed);
    expect(totals.armed).not.toBe(4 * (await run({ recipients: 30 }, { dropAcks: 0.5 })).totals.armed);
  });

  test('prove nothing when nobody was drawn', async () => {
    const report = await run({ recipients: 1 }, { dropAcks: 0.000_001 });
    expect([report.verdict, report.doubts]).toEqual([
      'inconclusive',
      ['no reply was lost: too few sends for that share'],
    ]);
  });
});

describe('the report', () => {
  test('knows the address of everybody who is listed, though the minimal run has one recipient', async () => {
    const report = await run(
      { recipients: 40, sender: 'unknown-is-sent', provider: 'plain' },
      { dropAcks: 0.3, profile: ['reject'], explain: false },
    );
    const listed = [...report.result.violations, ...report.result.notSent].flatMap(({ recipient }) => recipient ?? []);
    expect(report.verdict).toBe('violation');
    expect(report.minimal?.plan.setup.recipients).toHaveLength(1);
    expect(new Set(listed).size).toBeGreaterThan(1);
    expect(listed.filter((recipient) => report.addressOf[recipient] === undefined)).toEqual([]);
  });
});

describe('a single long run', () => {
  test('tells how far it is, in a row that only rises, and is the same run with nobody listening', async () => {
    const seen: Progress[] = [];
    const told = await run({ recipients: 5_000 }, { onProgress: (progress) => void seen.push(progress) });
    expect(seen.length).toBeGreaterThan(5);
    const settled = seen.map((progress) => progress.settled);
    expect(settled).toEqual([...settled].sort((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ schedules: 1, ofSchedules: 1, settled: 5_000 });
    expect(told.traceHash).toBe((await run({ recipients: 5_000 })).traceHash);
  });

  test('stops when the signal aborts, with nothing known about it', async () => {
    const controller = new AbortController();
    const onProgress = ({ settled }: Progress): void => {
      if (settled > 1_000) controller.abort();
    };
    const report = await run({ recipients: 50_000 }, { onProgress, signal: controller.signal });
    expect(report).toMatchObject({
      verdict: 'interrupted',
      interrupted: true,
      schedules: 0,
      totals: { requested: 0 },
      minimal: null,
      checked: [],
    });
    expect(report.result.violations).toEqual([]);
  });

  test('keeps what the schedules before it came to', async () => {
    const controller = new AbortController();
    const onProgress = ({ schedules }: Progress): void => {
      if (schedules === 2) controller.abort();
    };
    const report = await run({ recipients: 500 }, { schedules: 50, onProgress, signal: controller.signal });
    expect(report).toMatchObject({
      verdict: 'interrupted',
      interrupted: true,
      schedules: 2,
      totals: { requested: 1_000, tally: { once: 1_000 } },
    });
  });

  test('shows a failure that was found before the signal, without making it smaller', async () => {
    const controller = new AbortController();
    const onProgress = ({ schedules }: Progress): void => {
      if (schedules === 1) controller.abort();
    };
    const report = await run(
      { recipients: 300, sender: 'unknown-is-failed', provider: 'plain' },
      { dropAcks: 0.1, onProgress, signal: controller.signal },
    );
    expect(report).toMatchObject({ interrupted: true, verdict: 'violation', schedules: 1, minimal: null });
    expect(report.result.tally.duplicated).toBeGreaterThan(0);
  });
});

describe('a plan that expects', () => {
  const plan = {
    schema: 'sendonce.plan/1',
    title: 'kept',
    seed: 's',
    setup: { ...SETUP, recipients: 3 },
    faults: [],
  } as const;

  test.each(['S1', 'L2', 'END'])('%s, and passes, is inconclusive and says what to do', async (expected) => {
    const report = await replayPlan({ ...plan, expect: expected });
    expect(report.verdict).toBe('inconclusive');
    expect(report.doubts).toEqual([
      expect.stringContaining(
        `the plan expects ${expected}, and nothing was broken: if that is mended, set its expect to "pass"`,
      ),
    ]);
  });

  test.each(['pass', undefined])('%s passes', async (expected) => {
    const report = await replayPlan({ ...plan, ...(expected && { expect: expected }) });
    expect([report.verdict, report.doubts]).toEqual(['pass', []]);
  });

  const lost = { do: 'reply-lost', op: 'provider.send', entity: 'r0', nth: 1, phase: 'A' } as const;
  const sender = { provider: 'plain', sender: 'unknown-is-failed' } as const;
  const broken = { ...plan, setup: { ...plan.setup, ...sender }, faults: [lost] };
  test('what it breaks is the violation that it shows', async () => {
    const report = await replayPlan({ ...broken, expect: 'S1' });
    expect([report.verdict, report.doubts]).toEqual(['violation', []]);
  });

  test('something else is told so beside the violation', async () => {
    const report = await replayPlan({ ...broken, expect: 'L4' });
    expect(report.verdict).toBe('violation');
    expect(report.doubts).toEqual([expect.stringMatching(/^the plan expects L4, and .*S1.* broken instead/)]);
  });
});

describe('a producer', () => {
  const gone = { do: 'producer-gone', op: 'ledger.seal', entity: 'producer', nth: 60, phase: 'A' } as const;

  test('that dies while it publishes 100,000 leaves a listed notification and an empty mailbox', async () => {
    const { result, verdict } = await run({ recipients: 100_000 }, { faults: [gone] });
    expect(verdict).toBe('pass');
    expect(result.unsealed).toEqual([{ notificationId: expect.stringMatching(/^n_/) as string, targets: 30_000 }]);
    expect([result.requested, Object.values(result.tally).reduce((sum, each) => sum + each, 0)]).toEqual([0, 0]);
  });

  test('that comes back and publishes the same leaves nobody out', async () => {
    const { result, verdict } = await run(
      { recipients: 2_000, knobs: { page: 100 } },
      { faults: [{ ...gone, do: 'kill-producer', nth: 12 }] },
    );
    expect(verdict).toBe('pass');
    expect(result).toMatchObject({ unsealed: [], requested: 2_000, tally: { once: 2_000 } });
  });
});

describe('a self-test that somebody interrupts', () => {
  test('blames no sender whose search was cut short, and passes nothing', async () => {
    const controller = new AbortController();
    const onProgress = (): void => controller.abort();
    const senders = ['log-check', 'naive-lock'];
    const report = await selfTest({ seed: 's', senders, onProgress, signal: controller.signal });
    expect(report).toMatchObject({ passed: false, interrupted: true, rows: [{ caught: true }] });
    // The last one of all: nobody is left to show by its absence that the rest was cut off.
    const cut = new AbortController();
    const last = selfTest({ seed: 's', senders: ['naive-lock'], signal: cut.signal });
    cut.abort();
    expect(await last).toMatchObject({ passed: false, interrupted: true, rows: [] });
  });
});
