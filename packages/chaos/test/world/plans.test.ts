import { describe, expect, test } from 'vitest';
import type { Fault, SimulationSetup } from '../../src/plan.ts';
import { runSchedule } from '../../src/schedule.ts';
import { setupOf } from '../support/setup.ts';

const ONE: SimulationSetup = setupOf({ recipients: [0], workers: 1, concurrency: 50 });
const TIGHT = {
  leaseMs: 1_000,
  dispatchMs: 12_000,
  retryCapMs: 1_000,
  sweepMs: 2_500,
  keyWindowMs: 600_000,
  settleMs: 50,
};

interface Plan {
  readonly about: string;
  /** With and without a queue. @defaultValue both */
  readonly queues?: readonly boolean[];
  readonly seed: string;
  readonly setup: SimulationSetup;
  /** @defaultValue null: nothing is broken at all */
  readonly fault?: Fault;
}

/** Each was red once although the worker was sound. */
const PLANS: readonly Plan[] = [
  {
    about: 'the store forgets in the very instant in which somebody finds everything settled',
    seed: '--/61',
    setup: ONE,
    fault: { do: 'amnesia', op: 'ledger.sweep', entity: 'w1', nth: 1, phase: 'A', ms: 11_543 },
  },
  {
    about: 'a worker is killed at its start again and again, for more than an hour in all',
    seed: 'sw-a-1/57',
    setup: { ...ONE, recipients: 1, concurrency: 1, class: 'security' },
    fault: { do: 'kill-loop', op: 'worker.start', entity: 'w1', nth: 1, phase: 'A', ms: 2_051_933, amount: 3 },
  },
  {
    about: 'eight workers ask in vain for hours while the provider is away',
    queues: [false],
    seed: 'sw-a-2/117',
    setup: { ...ONE, recipients: 2, workers: 8, concurrency: 1, provider: 'lookup', queue: false, knobs: TIGHT },
    fault: { do: 'key-forgotten', op: 'provider.send', entity: 'r0', nth: 1, phase: 'A', ms: 22_000_000 },
  },
  {
    about: 'the provider says to come back after a day',
    seed: 'a day',
    setup: ONE,
    fault: { do: 'throttle', op: 'provider.send', entity: 'r0', nth: 1, phase: 'E', ms: 86_400_000 },
  },
  {
    about:
      'an operator’s replay of all dead letters dies, and is begun again ten minutes later, while a send is about to leave',
    seed: 'NaN/9',
    setup: { ...ONE, provider: 'lookup', class: 'marketing', knobs: { restartMs: 600_000 } },
    fault: { do: 'replay-killed', op: 'provider.send', entity: 'r0', nth: 1, phase: 'B' },
  },
  {
    about: 'every reply to a claim is lost, for as long as it takes to count as poison',
    queues: [false],
    seed: 'NaN594/7',
    setup: {
      ...ONE,
      provider: 'lookup',
      class: 'legal',
      knobs: {
        batch: 1,
        page: 1,
        queueBatch: 1,
        keyWindowMs: 600_000,
        dispatchMs: 12_000,
        retryCapMs: 1,
        visibilityMs: 120_000,
      },
    },
    fault: { do: 'partition-all', op: 'ledger.claim', entity: 'r0', nth: 1, phase: 'A', ms: 301_964 },
  },
  {
    about: 'the only worker hears of no claim for as long',
    queues: [false],
    seed: 'a644/5',
    setup: {
      ...ONE,
      provider: 'lookup',
      class: 'security',
      knobs: { maxAttempts: 100, retryCapMs: 1_000, dispatchMs: 20_000, sweepMs: 30_000, settleMs: 300_000 },
    },
    fault: { do: 'partition', op: 'ledger.claim', entity: 'r0', nth: 1, phase: 'A', ms: 536_295 },
  },
  ...(['plain', 'lookup', 'keyed'] as const).flatMap((provider) =>
    (['alert', 'legal', 'marketing', 'security'] as const).map((name) => ({
      about: `a ${provider} provider answers class ${name} more slowly than anybody waits`,
      seed: 'seed\n"\\815/5',
      setup: {
        ...ONE,
        recipients: [6],
        concurrency: 3,
        provider,
        class: name,
        knobs: {
          providerLeastMs: 1_000,
          providerMostMs: provider === 'lookup' ? 4_999 : 5_000,
          batch: 3,
          dispatchMs: 12_000,
          keyWindowMs: 180_000,
        },
      },
    })),
  ),
  {
    about: 'many wait for a slow provider until they are about to expire',
    seed: 'about to expire',
    setup: {
      ...ONE,
      recipients: 40,
      concurrency: 2,
      provider: 'plain',
      knobs: { providerLeastMs: 1_000, providerMostMs: 3_000, expiresInMs: 60_000 },
    },
  },
  {
    about: 'the send deadline passes while the answer to a mark is on its way',
    seed: 'slow ledger',
    setup: {
      ...ONE,
      recipients: 5,
      class: 'document',
      knobs: { ledgerLeastMs: 3_000, ledgerMostMs: 6_000, dispatchMs: 8_000 },
    },
  },
  {
    about: 'the clock jumps ahead while a mark is on its way to a slow ledger',
    queues: [true],
    seed: `${'x'.repeat(10_000)}104/7`,
    setup: {
      ...ONE,
      workers: 2,
      provider: 'plain',
      class: 'document',
      knobs: { ledgerLeastMs: 100, ledgerMostMs: 499, leaseMs: 1_000 },
    },
    fault: { do: 'step-over-lease', op: 'ledger.mark', entity: 'r0', nth: 1, phase: 'B', amount: 83_813 },
  },
];

describe('a sound worker passes', () => {
  test.each(PLANS.flatMap((plan) => (plan.queues ?? [true, false]).map((queue) => ({ ...plan, queue }))))(
    'when $about (queue: $queue)',
    async ({ seed, setup, fault, queue }) => {
      const of = { seed, setup: { ...setup, queue }, faults: fault === undefined ? [] : [fault] };
      const { result } = await runSchedule(of, { workload: null, covered: false, record: false, trace: false });
      expect(result.violations).toEqual([]);
      expect(result.fired).toEqual(of.faults.map(() => true));
    },
  );
});
