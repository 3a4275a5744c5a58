import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLASS_POLICIES, DELIVERY_CLASSES, type RetryPolicy } from '../../src/index.ts';
import { nextProvider, retryDelayMs } from '../../src/internal.ts';

const schedule: RetryPolicy = { schedule: [1_000, 10_000, 60_000] };
const exponential: RetryPolicy = { baseMs: 1_000, factor: 3, maxMs: 20_000 };

describe('the wait before a retry', () => {
  test.each([
    { policy: schedule, tries: 1, fullMs: 1_000 },
    { policy: schedule, tries: 2, fullMs: 10_000 },
    { policy: schedule, tries: 3, fullMs: 60_000 },
    { policy: schedule, tries: 9, fullMs: 60_000 },
    { policy: exponential, tries: 1, fullMs: 1_000 },
    { policy: exponential, tries: 2, fullMs: 3_000 },
    { policy: exponential, tries: 3, fullMs: 9_000 },
    { policy: exponential, tries: 4, fullMs: 20_000 },
    { policy: exponential, tries: 900, fullMs: 20_000 },
  ])('after $tries tries lies between half of $fullMs ms and all of it', ({ policy, tries, fullMs }) => {
    expect(retryDelayMs(policy, tries, 0)).toBe(fullMs / 2);
    expect(retryDelayMs(policy, tries, 1 - Number.EPSILON)).toBe(fullMs);
  });

  test('never shrinks while a schedule grows, whatever the draw', () => {
    const draws = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), draws, (tries, random) => {
        const ms = retryDelayMs(exponential, tries, random);
        expect(Number.isInteger(ms)).toBe(true);
        expect(retryDelayMs(exponential, tries + 1, random)).toBeGreaterThanOrEqual(ms);
      }),
    );
  });

  test.each(DELIVERY_CLASSES)('is more than nothing for %s', (of) => {
    expect(retryDelayMs(CLASS_POLICIES[of].retry, 1, 0)).toBeGreaterThan(0);
  });
});

describe('the next provider', () => {
  test.each([
    { order: ['a', 'b', 'c'], current: 'a', next: 'b' },
    { order: ['a', 'b', 'c'], current: 'c', next: 'a' },
    { order: ['a'], current: 'a', next: 'a' },
    { order: ['a', 'b'], current: 'gone', next: 'a' },
    { order: [], current: 'gone', next: 'gone' },
  ])('after $current in $order is $next', ({ order, current, next }) => {
    expect(nextProvider(order, current)).toBe(next);
  });
});
