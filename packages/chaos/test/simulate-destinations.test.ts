import { notification, type AddressRule, type Destinations, type NotifierConfig, type Provider } from '@sendonce/core';
import { manualClock, memoryLedger } from '@sendonce/core/memory';
import { describe, expect, test } from 'vitest';
import { faultNames } from '../src/index.ts';
import { simulate } from '../src/simulate.ts';
import { setupOf } from './support/setup.ts';

const called: string[] = [];
/** Whoever calls it has called a store of the user's own. */
const own = new Proxy({} as Destinations, {
  get: (_, name) => () => {
    called.push(String(name));
    throw new Error('a simulation asks nobody');
  },
});

const provider: Provider = {
  name: 'push',
  capabilities: { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: true },
  send: () => Promise.reject(new Error('a simulation sends nothing')),
  close: () => Promise.resolve(),
};

interface Order {
  readonly id: string;
}

function shop(
  destinations: Destinations | undefined,
  target: object = {},
  addresses: AddressRule = (to) => ({ kind: 'usable', to }),
): NotifierConfig {
  return {
    ledger: memoryLedger({ clock: manualClock() }),
    ...(destinations !== undefined && { destinations }),
    channels: { push: { providers: [provider] }, sms: { providers: [{ ...provider, name: 'sms' }], addresses } },
    notifications: {
      shipped: notification({
        class: 'transactional',
        key: ({ id }: Order) => id,
        route: ({ id }: Order) => [
          { channel: 'push', id: `ann of ${id}`, ...target },
          { channel: 'sms', id: `ann of ${id}` },
          { channel: 'sms', id: `bob of ${id}`, to: `+4917100${id.slice(2).padStart(6, '0')}` },
        ],
        content: ({ id }: Order) => ({ text: id }),
        sample: (i) => ({ id: `o-${i}` }),
      }),
    },
  };
}

const SAMPLES = 12;
const run = (config: NotifierConfig, more: Partial<Parameters<typeof simulate>[0]> = {}) =>
  simulate({
    setup: setupOf({ recipients: SAMPLES, workers: 3 }),
    seed: 'places',
    faults: [],
    workload: { kind: 'config', config, samples: SAMPLES, targets: null },
    explain: false,
    ...more,
  });

describe('a config with destinations', () => {
  test('reaches each device and address once that its recipients have in the virtual world, and asks no store of the user', async () => {
    const { result, verdict } = await run(shop(own));
    expect([result.violations, verdict]).toEqual([[], 'pass']);
    // An sms to each of two people, and a push to one device or two of one of them.
    const { requested, tally } = result;
    expect(tally.once).toBe(requested);
    expect(requested).toBeGreaterThan(3 * SAMPLES);
    expect(requested).toBeLessThan(4 * SAMPLES);
    expect(called).toEqual([]);
  });

  test('has the same history from the same seed, and another from another', async () => {
    const hash = async (seed: string) => (await run(shop(own), { seed, schedules: 3 })).traceHash;
    expect(await hash('a')).toBe(await hash('a'));
    expect(await hash('a')).not.toBe(await hash('b'));
  });

  test('keeps every invariant under all faults, with devices that providers refuse', async () => {
    const report = await run(shop(own), { profile: faultNames(), schedules: 40, seed: 'storm' });
    expect([report.result.violations, report.nondeterminism]).toEqual([[], null]);
    expect(report.verdict).toBe('pass');
  });

  test('sends to the one device that a target names, and fails a target whose device is not there', async () => {
    const first = await run(shop(own, { destinationId: 'd1' }));
    expect([first.result.requested, first.result.tally.once, first.verdict]).toEqual([36, 36, 'pass']);
    const absent = await run(shop(own, { destinationId: 'tablet' }));
    expect([absent.result.violations, absent.result.tally.once]).toEqual([[], 2 * SAMPLES]);
    expect(absent.result.notSent.length).toBe(SAMPLES);
  });

  test.each<[what: string, rule: AddressRule, reached: number]>([
    ['writes them in another form', (to) => ({ kind: 'usable', to: to.replace('+4917', '+4916') }), 3],
    ['refuses them', () => ({ kind: 'unusable', problem: 'no number' }), 1],
  ])('reads the addresses of the virtual world by its rule, which %s', async (_, rule, reached) => {
    const { result } = await run(shop(own, { destinationId: 'd1' }, rule));
    expect([result.violations, result.tally.once]).toEqual([[], reached * SAMPLES]);
    expect(result.notSent.length).toBe((3 - reached) * SAMPLES);
  });

  test('is another than one without: what names no address fails there, each with that reason', async () => {
    const without = await run(shop(undefined));
    expect([without.result.violations, without.result.tally.once]).toEqual([[], SAMPLES]);
    expect(without.result.notSent.length).toBe(2 * SAMPLES);
  });
});
