import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLASS_POLICIES, DELIVERY_CLASSES, type ClassPolicy, type Next, type Outcome } from '../../src/index.ts';
import { settle } from '../../src/internal.ts';
import { attempt, delivery, T0, withAttempts } from '../support/record.ts';
import { accepted, deferred, notSent, rejected, unknown } from '../support/story.ts';

const policy: ClassPolicy = { ...CLASS_POLICIES.transactional, retry: { schedule: [1_000, 10_000] } };
const stays: ClassPolicy = { ...policy, failoverOnNotSent: false };
const retry = (provider: string, delayMs: number, reason: string): Next => ({
  kind: 'retry',
  delayMs,
  provider,
  reason,
});

/** DESIGN section 6, for the `before + 1`st attempt at p0 of two providers. */
const TABLE: readonly {
  readonly what: string;
  readonly outcome: Outcome;
  readonly next: Next;
  readonly refund?: boolean;
  readonly before?: number;
  /** Of the attempts before. @defaultValue not sent */
  readonly earlier?: Outcome;
  readonly order?: readonly string[];
  readonly policy?: ClassPolicy;
}[] = [
  { what: 'accepted', outcome: accepted(), next: { kind: 'sent' } },
  { what: 'a bad message', outcome: rejected('message'), next: { kind: 'failed', reason: 'the message is bad' } },
  {
    what: 'a bad destination',
    outcome: rejected('destination'),
    next: { kind: 'failed', reason: 'the destination is bad' },
  },
  {
    what: 'a provider that cannot: the next at once',
    outcome: rejected('provider'),
    next: retry('p1', 0, 'the provider is bad'),
  },
  {
    what: 'a provider that cannot, once each had its turn: the next, after a wait',
    outcome: rejected('provider'),
    before: 1,
    next: retry('p1', 5_000, 'the provider is bad'),
  },
  {
    what: 'a provider that cannot, where it is the only one: it again, after a wait',
    outcome: rejected('provider'),
    order: ['p0'],
    next: retry('p0', 500, 'the provider is bad'),
  },
  { what: 'deferred: the same provider, refunded', outcome: deferred, next: retry('p0', 1_000, '429'), refund: true },
  {
    what: 'deferred for no time at all: a second, since nothing else would end the loop',
    outcome: { kind: 'deferred', reason: '429', retryAfterMs: 0 },
    next: retry('p0', 1_000, '429'),
    refund: true,
  },
  {
    what: 'deferred, with a time from the provider',
    outcome: { kind: 'deferred', reason: '429', retryAfterMs: 42_000 },
    next: retry('p0', 42_000, '429'),
    refund: true,
  },
  {
    what: 'deferred again: waits longer',
    outcome: deferred,
    before: 1,
    earlier: deferred,
    next: retry('p0', 5_000, '429'),
    refund: true,
  },
  {
    what: 'deferred again, with a shorter time from the provider: as long as the class would wait',
    outcome: { kind: 'deferred', reason: '429', retryAfterMs: 2_000 },
    before: 1,
    earlier: deferred,
    next: retry('p0', 5_000, '429'),
    refund: true,
  },
  {
    what: 'deferred again, with a longer time from the provider: that',
    outcome: { kind: 'deferred', reason: '429', retryAfterMs: 42_000 },
    before: 1,
    earlier: deferred,
    next: retry('p0', 42_000, '429'),
    refund: true,
  },
  {
    what: 'deferred after something else: exactly as the provider asks',
    outcome: { kind: 'deferred', reason: '429', retryAfterMs: 2_000 },
    before: 3,
    next: retry('p0', 2_000, '429'),
    refund: true,
  },
  { what: 'not sent: the next at once', outcome: notSent, next: retry('p1', 0, 'connection refused') },
  {
    what: 'not sent, where the policy stays: the same after a wait',
    outcome: notSent,
    policy: stays,
    next: retry('p0', 500, 'connection refused'),
  },
  {
    what: 'unknown: the reconciler, never a retry',
    outcome: unknown,
    next: { kind: 'unknown', reconcileInMs: 0, reason: 'timeout' },
  },
];

describe('what follows an outcome', () => {
  test.each(TABLE)(
    '$what',
    ({ outcome, next, refund = false, before = 0, earlier = notSent, order = ['p0', 'p1'], policy: of = policy }) => {
      const attempts = Array.from({ length: before }, (_, i) => attempt({ n: i + 1, outcome: earlier }));
      const facts = { record: withAttempts(attempts), provider: 'p0', order, policy: of, random: 0 };
      expect(settle(outcome, facts)).toEqual({ next, refund });
    },
  );
});

describe('a delivery that is deferred for ever', () => {
  /** Attempts until it expires, when the provider names these waits in turn, round and round. */
  function attemptsUntilExpiry(
    of: ClassPolicy,
    expiresInMs: number,
    waits: readonly (number | null)[],
    random: number,
  ): number {
    const expiresAt = T0 + expiresInMs;
    let now = T0;
    let record = delivery({ expiresAt });
    while (now < expiresAt) {
      const wait = waits[record.attempts.length % waits.length] ?? null;
      const outcome: Outcome = { kind: 'deferred', reason: '429', ...(wait === null ? {} : { retryAfterMs: wait }) };
      const { next, refund } = settle(outcome, { record, provider: 'p0', order: ['p0'], policy: of, random });
      if (next.kind !== 'retry') throw new Error(`not retried: ${next.kind}`);
      expect(refund).toBe(true);
      const attempts = [...record.attempts, attempt({ n: record.attempts.length + 1, outcome, markedAt: now })];
      record = { ...record, attempts };
      now += next.delayMs;
    }
    return record.attempts.length;
  }

  const waits = fc.array(fc.option(fc.integer({ min: 0, max: 7_200_000 })), { minLength: 1, maxLength: 5 });
  const random = fc.double({ min: 0, max: 0.999, noNaN: true });

  test.each(DELIVERY_CLASSES)('of class %s makes at most a few dozen attempts before it expires', (name) => {
    const of = CLASS_POLICIES[name];
    fc.assert(
      fc.property(waits, random, (each, drawn) => {
        expect(attemptsUntilExpiry(of, of.expiresInMs ?? 604_800_000, each, drawn)).toBeLessThanOrEqual(48);
      }),
    );
  });

  test('does so whatever its type says about waits and expiry', () => {
    const retryPolicy = fc.oneof(
      fc.record({ schedule: fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 5 }) }),
      fc.record({
        baseMs: fc.integer({ min: 1, max: 1_000 }),
        factor: fc.integer({ min: 1, max: 3 }),
        maxMs: fc.constant(5_000),
      }),
    );
    const expiry = fc.integer({ min: 1, max: 2_592_000_000 });
    fc.assert(
      fc.property(retryPolicy, expiry, waits, random, (retry_, expiresInMs, each, drawn) => {
        expect(attemptsUntilExpiry({ ...policy, retry: retry_ }, expiresInMs, each, drawn)).toBeLessThanOrEqual(48);
      }),
    );
  });
});
