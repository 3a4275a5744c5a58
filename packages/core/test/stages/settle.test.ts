import { describe, expect, test } from 'vitest';
import { CLASS_POLICIES, type ClassPolicy, type Next, type Outcome } from '../../src/index.ts';
import { settle } from '../../src/internal.ts';
import { attempt, withAttempts } from '../support/record.ts';
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
  { what: 'deferred again: waits longer', outcome: deferred, before: 1, next: retry('p0', 5_000, '429'), refund: true },
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
    ({ outcome, next, refund = false, before = 0, order = ['p0', 'p1'], policy: of = policy }) => {
      const attempts = Array.from({ length: before }, (_, i) => attempt({ n: i + 1, outcome: notSent }));
      const facts = { record: withAttempts(attempts), provider: 'p0', order, policy: of, random: 0 };
      expect(settle(outcome, facts)).toEqual({ next, refund });
    },
  );
});
