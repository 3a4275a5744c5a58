import type { NotifierConfig, Provider } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { simulate } from '../../src/simulate.ts';
import { SETUP } from './support.ts';

const provider = {
  name: 'mail',
  capabilities: { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: false },
  send: () => Promise.reject(new Error('a simulation sends nothing')),
  close: () => Promise.resolve(),
} as unknown as Provider;

const toAll = ({ id }: { readonly id: string }) => [{ channel: 'email', to: `${id}@shop.example` }];

/** One type, whose route is given, and what else it has. */
function shop(route: (order: { readonly id: string }) => unknown = toAll, more: object = {}): NotifierConfig {
  const sample = (i: number): { readonly id: string } => ({ id: `o-${i}` });
  const order = {
    class: 'document',
    key: ({ id }: { readonly id: string }) => id,
    route,
    content: () => ({ text: 'x' }),
    sample,
    ...more,
  };
  return { channels: { email: { providers: [provider] } }, notifications: { order } } as unknown as NotifierConfig;
}

type More = Partial<Parameters<typeof simulate>[0]>;
const run = (more: More) =>
  simulate({ setup: { ...SETUP, recipients: 3, workers: 2 }, seed: 'nobody', faults: [], ...more });
const of = (config: NotifierConfig): More => ({ workload: { kind: 'config', config, samples: 3, targets: null } });
const fails = of(
  shop(() => {
    throw new Error('no such warehouse');
  }),
);
const gone = { do: 'producer-gone', op: 'ledger.accept', entity: 'producer', nth: 1, phase: 'B' } as const;

describe('a run in which nobody was to be written to', () => {
  const vacuous: readonly (readonly [about: string, more: More, doubt: RegExp])[] = [
    [
      'every route throws',
      fails,
      /^nobody was to be written to: every route gave up, the first of order o-\d: .*no such warehouse/,
    ],
    [
      'every route throws in every schedule of a search',
      { ...fails, schedules: 3, profile: ['slow'] },
      /^nobody .*no such warehouse/,
    ],
    ['no route names anybody', of(shop(() => [])), /^nobody was to be written to: nothing was published, or no route/],
    [
      'the producer dies before it publishes',
      { faults: [gone] },
      /^nobody was to be written to: nothing was published/,
    ],
  ];
  test.each(vacuous)('proves nothing: %s', async (_about, more, doubt) => {
    const report = await run(more);
    expect(report.totals.requested).toBe(0);
    expect(report.doubts).toContainEqual(expect.stringMatching(doubt));
    expect(report.verdict).toBe('inconclusive');
  });

  test('is none when a route reaches somebody', async () => {
    const half = shop(({ id }) => {
      if (id === 'o-0') throw new Error('no such warehouse');
      return [{ channel: 'email', to: `${id}@shop.example` }];
    });
    expect((await run(of(half))).doubts).toEqual([]);
  });

  test('is none when its producer stopped half-way: that is listed', async () => {
    const faults = [{ ...gone, op: 'ledger.seal', nth: 2, phase: 'A' } as const];
    const report = await run({ setup: { ...SETUP, recipients: 2_000, knobs: { page: 100 } }, faults });
    expect([report.totals.requested, report.result.unsealed.length, report.verdict]).toEqual([0, 1, 'pass']);
  });
});

describe('a run in which nobody could be reached', () => {
  const thrown = () => {
    throw new Error('no such template');
  };
  const broken = shop(toAll, { content: thrown });
  const unreachable: readonly (readonly [about: string, more: More, doubt: RegExp])[] = [
    [
      'every content throws',
      of(broken),
      /^nobody got a message.*the first, r\d+: failed, content threw.*no such template/,
    ],
    [
      'every content is never ready',
      of(shop(toAll, { content: () => new Promise(() => {}) })),
      /^nobody got a message.*content took longer than 30000 ms/,
    ],
    ['every address is none', of(shop(() => [{ channel: 'email', to: 'nowhere' }])), /^nobody got a message.*failed, /],
    ['everything has expired at once', of(shop(toAll, { expiresInMs: 1 })), /^nobody got a message/],
    [
      'every content throws beside faults',
      { ...of(broken), profile: ['kill', 'slow', 'reorder'], schedules: 4 },
      /^nobody got a message/,
    ],
  ];
  test.each(unreachable)('proves nothing: %s', async (_about, more, doubt) => {
    const report = await run(more);
    expect(report.totals.requested).toBeGreaterThan(0);
    expect(report.doubts).toEqual([expect.stringMatching(doubt)]);
    expect([report.verdict, report.result.violations]).toEqual(['inconclusive', []]);
  });

  test('is found soon: a search ends after a few schedules, and blames no fault that had nothing to strike', async () => {
    const kill = { do: 'kill', acceptance: 1, moment: 'after-accept' } as const;
    const search = await run({ ...of(broken), profile: ['all'], schedules: 100 });
    expect([search.schedules, search.verdict]).toEqual([3, 'inconclusive']);
    const routeless = await run({ ...fails, profile: ['slow'], schedules: 100 });
    expect([routeless.schedules, routeless.verdict]).toEqual([3, 'inconclusive']);
    expect((await run({ ...of(broken), faults: [kill] })).doubts).toEqual([expect.stringMatching(/^nobody got/)]);
  });

  test('is none when somebody is reached', async () => {
    const half = shop(toAll, {
      content: ({ id }: { readonly id: string }) => (id === 'o-0' ? thrown() : { text: id }),
    });
    const report = await run(of(half));
    expect([report.verdict, report.totals.tally.failed, report.doubts]).toEqual(['pass', 1, []]);
    expect(report.result.notSent).toHaveLength(1);
  });

  test('is none when a fault kept it from them', async () => {
    const reject = { do: 'reject', op: 'provider.send', entity: 'r0', nth: 1, phase: 'E' } as const;
    const report = await run({ setup: { ...SETUP, recipients: 1, workers: 1 }, faults: [reject] });
    expect([report.verdict, report.totals.tally.failed]).toEqual(['pass', 1]);
  });
});

describe('a time that is over at once', () => {
  test.each([{ profile: null }, { profile: ['all'] }])('still runs one schedule ($profile)', async ({ profile }) => {
    const report = await run({ forMs: 0.001, profile });
    expect(report.schedules).toBe(1);
    expect(report.totals.requested).toBe(3);
  });
});
