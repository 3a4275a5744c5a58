import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DELIVERY_CLASSES,
  isSettled,
  TRANSITIONS,
  type DeliveryRecord,
  type Evidence,
  type Outcome,
} from '../../src/index.ts';
import { isAccepted, isOpen, openAttempts } from '../../src/internal.ts';
import { T0 } from '../support/record.ts';
import {
  accepted,
  deferred,
  DISPATCH_MS,
  KEY_MARGIN_MS,
  KEY_WINDOW_MS,
  LEASE_MS,
  notSent,
  rejected,
  SETTLE_MS,
  story,
  unknown,
  type Story,
} from '../support/story.ts';

/** One thing that may happen to a delivery. Which requests are stale, repeated or out of order is left to chance. */
type Happening =
  | { readonly kind: 'claim'; readonly repeats: boolean }
  | {
      readonly kind: 'mark';
      readonly stale: boolean;
      readonly fact: 'none' | 'cancelled' | 'suppressed' | 'blocked' | 'earlier';
    }
  | { readonly kind: 'settle'; readonly n: number; readonly outcome: Outcome }
  | {
      readonly kind: 'evidence';
      readonly says: Evidence['kind'];
      readonly message: string | null;
      readonly provider: string;
    }
  | { readonly kind: 'reconcile'; readonly stale: boolean; readonly answer: 'found' | 'absent' | 'cannot-tell' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'release'; readonly stale: boolean; readonly failure: string | null }
  | { readonly kind: 'sweep' | 'cancel' | 'renew' };

const oneOf = fc.constantFrom;
const OUTCOMES = [
  accepted('m-1'),
  accepted('m-2'),
  notSent,
  deferred,
  unknown,
  rejected('message'),
  rejected('provider'),
];
const SAYS = ['accepted', 'rejected', 'delivered', 'bounced', 'undeliverable', 'other'] as const;
const MOMENTS = [1, LEASE_MS, DISPATCH_MS, KEY_WINDOW_MS - KEY_MARGIN_MS, SETTLE_MS, 86_400_000];

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: oneOf('claim' as const), repeats: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: oneOf('mark' as const),
      stale: oneOf(false, false, false, true),
      fact: oneOf('none', 'none', 'none', 'none', 'cancelled', 'suppressed', 'blocked', 'earlier'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: oneOf('settle' as const),
      n: fc.integer({ min: 1, max: 4 }),
      outcome: oneOf(...OUTCOMES),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: oneOf('evidence' as const),
      says: oneOf(...SAYS),
      message: oneOf('m-1', 'm-2', null),
      provider: oneOf('p0', 'p1'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: oneOf('reconcile' as const),
      stale: oneOf(false, false, true),
      answer: oneOf('found', 'absent', 'cannot-tell'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: oneOf('wait' as const), ms: oneOf(...MOMENTS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: oneOf('release' as const),
      stale: fc.boolean(),
      failure: oneOf('content threw', null),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: oneOf('sweep' as const, 'sweep' as const, 'cancel' as const, 'renew' as const) }),
  },
);

const FACTS = {
  none: {},
  cancelled: { notificationCancelled: true },
  suppressed: { suppressed: true },
  blocked: { blocked: { scope: 'all', recheckMs: 1 } },
  earlier: { earlierSent: true },
};

function happen(to: Story, of: Happening): void {
  const fence = 'stale' in of && of.stale ? to.record.fence - 1 : to.record.fence;
  switch (of.kind) {
    case 'claim':
      to.claim(of.repeats ? (to.record.requestId ?? undefined) : undefined);
      return;
    case 'mark':
      to.mark({ fence }, FACTS[of.fact]);
      return;
    case 'settle':
      to.settle(of.n, of.outcome);
      return;
    case 'evidence':
      to.witness({ kind: of.says, providerMessageId: of.message, provider: of.provider });
      return;
    case 'reconcile':
      reconcile(to, of.answer, fence);
      return;
    case 'wait':
      to.wait(of.ms);
      return;
    case 'release':
      to.release(of.failure, fence);
      return;
    case 'sweep':
      to.sweep();
      return;
    case 'cancel':
      to.cancel();
      return;
    case 'renew':
      to.renew();
  }
}

function reconcile(to: Story, answer: 'found' | 'absent' | 'cannot-tell', fence: number): void {
  if (to.record.state !== 'unknown') return;
  const decision = to.decide(
    answer === 'found'
      ? { kind: 'found', providerMessageId: 'm-1' }
      : answer === 'absent'
        ? { kind: 'absent' }
        : { kind: 'cannot-tell', reason: '' },
  );
  if (decision.kind !== 'ask') to.reconcile(decision, fence);
}

const SURE = ['failed', 'dead', 'expired', 'cancelled', 'suppressed'];
const ARRIVED = ['sent', 'delivered', 'bounced', 'undeliverable'];

/** What must hold of every record, whatever happened to it. */
function expectSound(record: DeliveryRecord): void {
  const { state, attempts } = record;
  expect(record.charged).toBe(attempts.filter(({ charged }) => charged).length);
  expect(record.leaseUntil !== null).toBe(state === 'processing');
  expect(record.dispatchUntil !== null).toBe(state === 'dispatching');
  expect(record.settledAt !== null).toBe(isSettled(state));
  expect(attempts.map(({ n }) => n)).toEqual(attempts.map((_, i) => i + 1));
  // Rule 6: what is accepted shows.
  if (attempts.some(isAccepted)) expect(ARRIVED).toContain(state);
  if (state === 'sent' && !record.assumed) expect(attempts.some(isAccepted)).toBe(true);
  // Rules 7 and 8: nothing is said for certain while an attempt is open.
  if (SURE.includes(state)) expect(openAttempts(record)).toEqual([]);
}

/** What must hold between one moment and the next. */
function expectStep(before: DeliveryRecord, after: DeliveryRecord, of: Happening): void {
  if (after.state !== before.state) expect(TRANSITIONS[before.state]).toContain(after.state);
  expect(after.fence).toBeGreaterThanOrEqual(before.fence);
  if (after.fence > before.fence) expect(of.kind).toBe('claim');
  for (const [at, old] of before.attempts.entries())
    if (isAccepted(old)) expect(after.attempts[at]?.outcome).toEqual(old.outcome);
  const began = after.attempts.slice(before.attempts.length).filter(({ presumed }) => !presumed);
  if (began.length === 0) return;
  // A new attempt: by a mark, one, not after an acceptance, and beside an open one only where that is covered (rules 2, 6, 9).
  expect(of.kind).toBe('mark');
  expect(began).toHaveLength(1);
  expect(before.attempts.some(isAccepted)).toBe(false);
  expect(before.forbidden).toBeNull();
  const open = before.attempts.filter(isOpen);
  const declared = before.declarations.at(-1)?.afterAttempt === before.attempts.length;
  const [attempt] = began;
  const replays =
    open.every(({ key }) => key === attempt?.key) &&
    (attempt?.markedAt ?? 0) < (open[0]?.markedAt ?? 0) + KEY_WINDOW_MS - KEY_MARGIN_MS;
  if (open.length > 0) expect(declared || replays).toBe(true);
}

describe.each(['key', 'lookup', 'positive-only', 'nothing'] as const)('a delivery at a provider with %s', (has) => {
  test('is sound after whatever happens to it, in whatever order', () => {
    const options = fc.record({
      class: oneOf(...DELIVERY_CLASSES),
      expiresAt: oneOf(null, T0 + 3_600_000),
      maxAttempts: oneOf(1, 2, 5),
    });
    fc.assert(
      fc.property(options, fc.array(happening, { maxLength: 40 }), (record, happenings) => {
        const it = story({ record, has });
        for (const each of happenings) {
          const before = it.record;
          happen(it, each);
          expectSound(it.record);
          expectStep(before, it.record, each);
        }
      }),
      { numRuns: 1_500 },
    );
  });
});
