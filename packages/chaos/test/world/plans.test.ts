import { describe, expect, test } from 'vitest';
import type { Fault, SimulationSetup } from '../../src/plan.ts';
import { runSchedule } from '../../src/schedule.ts';

const ONE: SimulationSetup = {
  recipients: [0],
  workers: 1,
  concurrency: 50,
  provider: 'keyed',
  class: 'transactional',
  onUnknown: null,
  queue: true,
  sender: null,
  knobs: {},
};
const TIGHT = {
  leaseMs: 1_000,
  dispatchMs: 12_000,
  retryCapMs: 1_000,
  sweepMs: 2_500,
  keyWindowMs: 600_000,
  settleMs: 1,
};

interface Plan {
  readonly about: string;
  /** With and without a queue. @defaultValue both */
  readonly queues?: readonly boolean[];
  readonly seed: string;
  readonly setup: SimulationSetup;
  readonly fault: Fault;
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
];

describe('a sound worker passes', () => {
  test.each(PLANS.flatMap((plan) => (plan.queues ?? [true, false]).map((queue) => ({ ...plan, queue }))))(
    'when $about (queue: $queue)',
    async ({ seed, setup, fault, queue }) => {
      const of = { seed, setup: { ...setup, queue }, faults: [fault] };
      const { result } = await runSchedule(of, { workload: null, coverage: null, record: false, trace: false });
      expect(result.violations).toEqual([]);
      expect(result.fired).toEqual([true]);
    },
  );
});
