import type { NotifierConfig } from '@sendonce/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePlan } from '../../src/faults/parse.ts';
import type { SimulationSetup } from '../../src/plan.ts';
import { generatedCase } from '../../src/search/generated-case.ts';
import { kindsOf } from '../../src/search/kinds.ts';
import { faultKind } from '../../src/faults/index.ts';
import { knobsOf } from '../../src/world/knobs.ts';
import { limitsIn } from '../../src/world/limits.ts';
import { SETUP } from './support.ts';

const kinds = kindsOf(['all']);
const setups: fc.Arbitrary<SimulationSetup> = fc.record({
  recipients: fc.integer({ min: 1, max: 500 }),
  workers: fc.integer({ min: 1, max: 8 }),
  concurrency: fc.constant(10),
  provider: fc.constantFrom('keyed', 'lookup', 'plain'),
  class: fc.constantFrom('transactional', 'document'),
  onUnknown: fc.constant(null),
  queue: fc.boolean(),
  sender: fc.constant(null),
  knobs: fc.constant({}),
});

describe('a generated case', () => {
  test('is a plan that could have been read from a file, over knobs within their bounds', () => {
    fc.assert(
      fc.property(fc.string(), setups, fc.nat({ max: 10_000 }), (seed, setup, n) => {
        const { faults, setup: drawn } = generatedCase({ seed, setup, faults: [] }, n, kinds);
        expect(parsePlan(JSON.parse(JSON.stringify(faults)), limitsIn(drawn, null))).toEqual(faults);
        expect(() => knobsOf(drawn.knobs)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });

  const holds = [
    ['leaseMs', {}, [30_000, 5_000, 1_000]],
    ['leaseMs', { ledgerMostMs: 500 }, [30_000, 5_000]],
    // The fastest way counts where it is above the preset of the slowest.
    ['leaseMs', { ledgerLeastMs: 2_500 }, [30_000]],
    ['leaseMs', { ledgerMostMs: 400, leaseMs: 1_000 }, [1_000]],
    ['visibilityMs', {}, [30_000, 120_000, 1_000]],
    ['visibilityMs', { ledgerMostMs: 1_500 }, [30_000, 120_000]],
    ['visibilityMs', { queueMostMs: 500 }, [30_000, 120_000]],
    ['visibilityMs', { queueMostMs: 400, visibilityMs: 1_000 }, [1_000]],
    ['settleMs', { providerMostMs: 25 }, [60_000, 50, 300_000], 'lookup'],
    ['settleMs', { providerMostMs: 26 }, [60_000, 300_000], 'lookup'],
    ['settleMs', { providerMostMs: 26 }, [60_000, 50, 300_000], 'keyed'],
  ] as const;
  test.each(holds)(
    'has a %s with which somebody can be right where %j are given',
    (name, knobs, values, provider = 'keyed') => {
      const drawn = Array.from({ length: 1_000 }, (_, n) => {
        const { setup } = generatedCase({ seed: 'holds', setup: { ...SETUP, provider, knobs }, faults: [] }, n, kinds);
        return knobsOf(setup.knobs)[name];
      });
      expect(new Set(drawn)).toEqual(new Set(values));
    },
  );

  test('has no fault that is longer than the promises hold for in its own world', () => {
    fc.assert(
      fc.property(fc.string(), setups, fc.nat({ max: 10_000 }), (seed, setup, n) => {
        const { faults, setup: drawn } = generatedCase({ seed, setup, faults: [] }, n, kinds);
        const limits = limitsIn(drawn, null);
        for (const fault of faults) {
          const most = 'op' in fault ? (faultKind(fault.do, fault.op)?.ms?.(limits).most ?? Infinity) : Infinity;
          expect({ fault, tooLong: (fault.ms ?? 0) > most }).toEqual({ fault, tooLong: false });
        }
      }),
      { numRuns: 300 },
    );
  });

  test('measures faults by the user’s own providers and worker where there is a config', () => {
    const lookup = {
      kind: 'authoritative',
      settleMs: 2_000,
      horizonMs: 1e9,
      find: () => Promise.reject(new Error('never')),
    };
    const capabilities = { idempotency: { kind: 'none' }, lookup, correlation: 'none', coalesce: false };
    const provider = {
      name: 'own',
      capabilities,
      send: () => Promise.reject(new Error('never')),
      close: () => Promise.resolve(),
    };
    const config = {
      ledger: {},
      channels: { email: { providers: [provider] } },
      notifications: {},
      worker: { dispatchMs: 12_000 },
    };
    const workload = {
      kind: 'config',
      config: config as unknown as NotifierConfig,
      samples: 1,
      targets: null,
    } as const;
    const slow = kindsOf(['slow@provider.send']);
    const lengths = Array.from({ length: 200 }, (_, n) =>
      generatedCase({ seed: 'own', setup: SETUP, faults: [], workload }, n, slow),
    ).flatMap(({ faults }) => faults.map(({ ms }) => ms ?? 0));
    expect(Math.max(...lengths)).toBeGreaterThan(0);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1_000);
  });

  test('is the same for the same seed and number, whatever was asked for before', () => {
    fc.assert(
      fc.property(fc.string(), setups, fc.nat({ max: 100 }), (seed, setup, n) => {
        const source = { seed, setup, faults: [] };
        const first = generatedCase(source, n, kinds);
        generatedCase(source, n + 1, kinds);
        expect(generatedCase(source, n, kinds)).toEqual(first);
      }),
      { numRuns: 50 },
    );
  });

  test('names recipients and workers that there are, leaves one worker over, and has no queue faults without a queue', () => {
    fc.assert(
      fc.property(fc.string(), setups, fc.nat({ max: 10_000 }), (seed, setup, n) => {
        const { faults } = generatedCase(
          { seed, setup, faults: [] },
          n,
          kindsOf(['kill', 'gone', 'reply-lost', 'slow']),
        );
        const numbers = (letter: string): number[] =>
          faults.flatMap((each) =>
            'entity' in each && each.entity.startsWith(letter) && /\d$/.test(each.entity)
              ? [Number(each.entity.slice(1))]
              : [],
          );
        expect(numbers('r').every((number) => number < Number(setup.recipients))).toBe(true);
        expect(numbers('w').every((number) => number >= 1 && number <= setup.workers)).toBe(true);
        expect(faults.filter((each) => each.do === 'gone').length).toBeLessThan(Math.max(1, setup.workers));
        if (!setup.queue) expect(faults.filter((each) => 'op' in each && each.op.startsWith('queue.'))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('has the given faults first, and nothing else without kinds', () => {
    const given = { do: 'kill', acceptance: 5, moment: 'after-accept' } as const;
    const source = { seed: 'a', setup: SETUP, faults: [given] };
    expect(generatedCase(source, 0, [])).toEqual({ seed: 'a', setup: SETUP, faults: [given] });
    expect(generatedCase(source, 3, []).seed).toBe('a/3');
    expect(generatedCase(source, 3, kinds).faults[0]).toEqual(given);
  });

  test('mixes none, one, few and storms, and every kind is drawn sooner or later', () => {
    const cases = Array.from({ length: 600 }, (_, n) =>
      generatedCase({ seed: 'mix', setup: SETUP, faults: [] }, n, kinds),
    );
    const sizes = cases.map(({ faults }) => faults.length);
    expect(sizes).toContain(0);
    expect(sizes).toContain(1);
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(20);
    const drawn = new Set(cases.flatMap(({ faults }) => faults.map((each) => each.do)));
    expect(kinds.map((kind) => kind.do).filter((name) => !drawn.has(name))).toEqual([]);
  });
});
