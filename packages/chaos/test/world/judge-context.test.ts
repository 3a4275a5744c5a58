import { describe, expect, test } from 'vitest';
import type { CallFault } from '../../src/plan.ts';
import { longestHold } from '../../src/world/judge-context.ts';
import { replayPlan } from '../../src/simulate.ts';
import { setupOf } from '../support/setup.ts';

const HOUR_MS = 3_600_000;
const slow = (changes: Partial<CallFault> = {}): CallFault => ({
  do: 'slow',
  op: 'provider.send',
  entity: 'r0',
  nth: 1,
  phase: 'D',
  ms: 1_000,
  ...changes,
});

describe('how long a plan can hold a send', () => {
  const plans: readonly (readonly [words: string, faults: readonly CallFault[], ms: number])[] = [
    ['nothing without faults', [], 0],
    ['the fault’s length', [slow()], 1_000],
    ['its preset where it has none', [{ do: 'slow', op: 'provider.send', entity: 'r0', nth: 1, phase: 'D' }], 7],
    ['the sum of two on the same send', [slow(), slow({ ms: 300 })], 1_300],
    ['the longer of two on different recipients', [slow(), slow({ entity: 'r1', ms: 300 })], 1_000],
    ['the longer of two at different times', [slow(), slow({ nth: 2, ms: 300 })], 1_000],
    [
      'the sum over recipient, worker, provider and anybody',
      ['r0', 'w1', 'p0', '*'].map((entity) => slow({ entity })),
      4_000,
    ],
    ['the longer of two workers', [slow({ entity: 'w1' }), slow({ entity: 'w2', ms: 300 })], 1_000],
    [
      'every pause, which stops a whole process',
      [slow(), slow({ do: 'pause', entity: 'r5', ms: 20 }), slow({ do: 'pause', entity: 'r6', ms: 30 })],
      1_050,
    ],
  ];
  test.each(plans)('is %s', (_words, faults, ms) => {
    expect(longestHold(faults, 7)).toBe(ms);
  });

  test('excuses a send that two faults held, and no other lateness', async () => {
    const setup = setupOf({ recipients: [0], workers: 1, provider: 'plain' });
    const faults = [slow({ ms: 492_000 }), slow({ ms: HOUR_MS })];
    const { result } = await replayPlan({
      schema: 'sendonce.plan/1',
      title: 'held twice',
      seed: 'a seed',
      setup,
      faults,
    });
    expect([result.fired, result.violations]).toEqual([[true, true], []]);
  });
});
