import { DELIVERY_STATES, isSettled, NOTIFICATION_STATES, type Counts } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { isAtRest, patienceOf, settledIn } from '../../src/processes/patience.ts';
import { knobsOf } from '../../src/world/knobs.ts';

function counts(deliveries: object, notifications: object = {}, unsealed = 0): Counts {
  const none = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, 0]));
  return {
    deliveries: { ...none(DELIVERY_STATES), ...deliveries } as Counts['deliveries'],
    notifications: { ...none(NOTIFICATION_STATES), ...notifications } as Counts['notifications'],
    unsealed,
    forgotten: 0,
    strays: 0,
    assumed: 0,
    refusedMoves: 0,
    oldestDueMs: 0,
    unreadable: 0,
  };
}

describe('isAtRest', () => {
  test.each(DELIVERY_STATES)('a delivery that is %s', (state) => {
    expect(isAtRest(counts({ [state]: 1 }, { done: 1 }))).toBe(isSettled(state));
  });

  test.each(NOTIFICATION_STATES)('a notification that is %s', (state) => {
    expect(isAtRest(counts({}, { [state]: 1 }))).toBe(['done', 'cancelled', 'failed'].includes(state));
  });

  test('a notification that its producer has not finished', () => {
    expect(isAtRest(counts({ sent: 1 }, { done: 1 }, 1))).toBe(false);
  });

  test('settled deliveries are counted whatever became of them', () => {
    expect(settledIn(counts({ sent: 2, parked: 1, dead: 1, dispatching: 5 }))).toBe(4);
  });
});

describe('patienceOf', () => {
  const options = { boundMs: 100_000, recipients: 10, speed: 1, waits: 2 };

  test('is longer than every wait of a worker, one after the other', () => {
    const knobs = knobsOf({});
    const { quietMs } = patienceOf(knobs, options);
    expect(quietMs).toBeGreaterThan(knobs.leaseMs + knobs.dispatchMs + knobs.visibilityMs + knobs.settleMs);
  });

  test.each([
    [{ visibilityMs: 1_000, leaseMs: 2_000 }, 1, 5_000],
    [{ visibilityMs: 30_000, leaseMs: 30_000 }, 20, 5_000],
    [{ visibilityMs: 600_000, leaseMs: 30_000 }, 1, 8_000],
  ])('waits for the queue of %j at speed %d no longer than %d ms', (knobs, speed, ms) => {
    expect(patienceOf(knobsOf(knobs), { ...options, speed }).drainMs).toBe(ms);
  });

  test('is shorter where the clock is faster, and longer for more people', () => {
    const knobs = knobsOf({});
    const [calm, fast] = [patienceOf(knobs, options), patienceOf(knobs, { ...options, speed: 20 })];
    expect(fast.quietMs).toBeLessThan(calm.quietMs / 10);
    expect(fast.mostMs).toBeLessThan(calm.mostMs);
    expect(patienceOf(knobs, { ...options, recipients: 1_000 }).mostMs).toBeGreaterThan(calm.mostMs);
  });
});
