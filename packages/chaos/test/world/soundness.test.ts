import type { NotifierConfig } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import type { Fault, SimulationSetup } from '../../src/plan.ts';
import { runOnce } from '../../src/run.ts';
import { runSchedule } from '../../src/schedule.ts';
import { unsoundness } from '../../src/world/soundness.ts';
import { SMALL } from './simulate.ts';

type Provider = SimulationSetup['provider'];
const world = (knobs: SimulationSetup['knobs'], provider: Provider = 'keyed'): SimulationSetup => ({
  ...SMALL,
  provider,
  knobs,
});
const gone = (nth: number): Fault => ({ do: 'gone', op: 'ledger.claim', entity: '*', nth, phase: 'A' });

/** Each by the last value at which a sender can be right, and the first at which none can. */
const EDGES: readonly (readonly [
  words: string,
  right: SimulationSetup['knobs'],
  wrong: SimulationSetup['knobs'],
  why: RegExp,
  provider: Provider,
])[] = [
  [
    'a lease that ends before its work begins',
    { ledgerLeastMs: 1_000, leaseMs: 2_001 },
    { ledgerLeastMs: 1_000, leaseMs: 2_000 },
    /leaseMs must be at least 2001/,
    'keyed',
  ],
  [
    'a wake that comes again before it is acknowledged',
    { queueLeastMs: 1_000, visibilityMs: 2_008 },
    { queueLeastMs: 1_000, visibilityMs: 2_007 },
    /visibilityMs must be at least 2008/,
    'plain',
  ],
  [
    'lookups that nobody hears',
    { providerLeastMs: 4_999 },
    { providerLeastMs: 5_000 },
    /a lookup takes up to 10000 ms and is waited for only 10000 ms/,
    'lookup',
  ],
  [
    'lookups for which the adapter waits too short',
    { sendTimeoutMs: 49 },
    { sendTimeoutMs: 48 },
    /takes up to 48 ms and is waited for only 48 ms/,
    'lookup',
  ],
  ['lookups that show too late', { settleMs: 48 }, { settleMs: 47 }, /settleMs must be at least 48/, 'lookup'],
  [
    'keys that are forgotten while their repeat is on its way',
    { dispatchMs: 12_000, keyMarginMs: 12_025 },
    { dispatchMs: 12_000, keyMarginMs: 12_024 },
    /keyMarginMs, now 12024, must be more than 12024/,
    'keyed',
  ],
];

describe('a world', () => {
  test.each(EDGES)('with %s is refused, and the one beside it passes', async (_words, right, wrong, why, provider) => {
    expect(unsoundness(world(wrong, provider), null, [])?.why).toMatch(why);
    await expect(runOnce({ setup: world(wrong, provider), seed: 's', faults: [] })).rejects.toMatchObject({
      code: 'PLAN_INVALID',
      message: expect.stringMatching(why) as string,
    });
    const of = { seed: 's', setup: world(right, provider), faults: [] };
    const { result } = await runSchedule(of, { workload: null, covered: false, record: false, trace: false });
    expect(result.violations).toEqual([]);
  });

  test('in which nobody is left to do the work is refused', () => {
    const { workers } = SMALL;
    const all = Array.from({ length: workers }, (_, at) => gone(at + 1));
    expect(unsoundness(SMALL, null, all)?.why).toMatch(/nobody would be left to do the work/);
    expect(unsoundness(SMALL, null, all.slice(1))).toBeNull();
  });

  test("goes by what the user's own providers can do", () => {
    const lookup = { kind: 'authoritative', settleMs: 40, horizonMs: 1_000_000 };
    const capabilities = { idempotency: { kind: 'none' }, lookup, correlation: 'none', coalesce: false };
    const config = { channels: { sms: { providers: [{ name: 'mine', capabilities }] } } } as unknown as NotifierConfig;
    const of = (knobs: SimulationSetup['knobs']) =>
      unsoundness(world(knobs), { kind: 'config', config, samples: 1, targets: null }, [])?.why;
    expect(of({})).toMatch(/settleMs must be at least 48/);
    expect(of({ providerMostMs: 20 })).toBeUndefined();
  });
});
