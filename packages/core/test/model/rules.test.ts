import { describe, expect, test } from 'vitest';
import { steps } from '../../src/internal.ts';
import { ANY_PROVIDER, type DeliveryRecord, type DeliveryState } from '../../src/index.ts';
import { move } from '../../src/model/steps/move.ts';
import { attempt, delivery, T0, withAttempts } from '../support/record.ts';
import {
  accepted,
  deferred,
  DISPATCH_MS,
  KEY_MARGIN_MS,
  KEY_WINDOW_MS,
  LEASE_MS,
  notSent,
  rejected,
  SEND_MARGIN_MS,
  story,
  unknown,
} from '../support/story.ts';

/** PROTOCOL section 1, rule by rule, as far as a record alone shows it. The flow's share is in test/worker. */
describe('rule 1: lease expiry frees only `processing`', () => {
  test('a lapsed lease lets another worker claim, under a higher fence', () => {
    const it = story();
    it.claim();
    it.wait(LEASE_MS - 1);
    expect(it.claim()).toMatchObject({ kind: 'held', remainingMs: 1 });
    it.wait(1);
    expect(it.claim()).toMatchObject({ kind: 'granted', fence: 2 });
  });

  test('a marked record stays held until its dispatch window is over, whatever its lease', () => {
    const it = story();
    it.claim();
    it.mark();
    it.wait(DISPATCH_MS - 1);
    expect(it.claim()).toMatchObject({ kind: 'held', remainingMs: 1 });
    expect(it.sweep().state).toBe('dispatching');
  });

  test.each(['sweep', 'claim'] as const)('a marked record past its window becomes unknown at the %s', (by) => {
    const it = story();
    it.claim();
    it.mark();
    it.wait(DISPATCH_MS);
    if (by === 'sweep') it.sweep();
    else expect(it.claim()).toMatchObject({ kind: 'unknown' });
    expect(it.record).toMatchObject({ state: 'unknown', dueAt: it.now, fence: 1 });
    expect(it.record.attempts).toMatchObject([{ outcome: { kind: 'unknown' } }]);
  });

  test('a renewal moves the lease and never the dispatch window', () => {
    const it = story();
    it.claim();
    it.wait(10_000);
    expect(it.renew()).toEqual({ kind: 'ok' });
    expect(it.record.leaseUntil).toBe(it.now + LEASE_MS);
    it.mark();
    const { dispatchUntil } = it.record;
    expect(it.renew()).toEqual({ kind: 'fenced' });
    expect(it.record.dispatchUntil).toBe(dispatchUntil);
  });
});

describe('rule 2: the write-ahead mark', () => {
  test('writes the attempt before anything can leave', () => {
    const it = story();
    it.claim();
    const verdict = it.mark();
    expect(verdict).toMatchObject({ kind: 'go', attempt: 1, message: { text: 'hello' } });
    expect(it.record).toMatchObject({ state: 'dispatching', charged: 1, message: { text: 'hello' } });
    expect(it.record.attempts).toMatchObject([{ n: 1, fence: 1, outcome: null, markedAt: it.now }]);
  });

  const REFUSALS: readonly {
    readonly why: string;
    readonly verdict: string;
    readonly state: DeliveryState;
    readonly record?: Partial<DeliveryRecord>;
    readonly facts?: Partial<steps.MarkFacts>;
    readonly afterMs?: number;
    readonly fence?: number;
  }[] = [
    { why: 'an old fence', verdict: 'fenced', state: 'processing', fence: 0 },
    { why: 'a lapsed lease', verdict: 'fenced', state: 'processing', afterMs: LEASE_MS },
    {
      why: 'a cancelled notification',
      verdict: 'cancelled',
      state: 'cancelled',
      facts: { notificationCancelled: true },
    },
    { why: 'an opt-out', verdict: 'suppressed', state: 'suppressed', facts: { suppressed: true } },
    { why: 'the expiry', verdict: 'expired', state: 'expired', record: { expiresAt: T0 + 1_000 }, afterMs: 1_000 },
    { why: 'a block', verdict: 'blocked', state: 'queued', facts: { blocked: { scope: 'all', recheckMs: 9_000 } } },
    {
      why: 'an earlier generation that was sent',
      verdict: 'settled',
      state: 'cancelled',
      facts: { earlierSent: true },
    },
  ];
  test.each(REFUSALS)('is refused for $why', ({ verdict, state, record, facts, afterMs = 0, fence }) => {
    const it = story(record === undefined ? {} : { record });
    it.claim();
    it.wait(afterMs);
    expect(it.mark(fence === undefined ? {} : { fence }, facts)).toMatchObject({ kind: verdict });
    expect(it.record).toMatchObject({ state, attempts: [], charged: 0 });
  });

  test('is refused once any attempt is accepted', () => {
    const record = withAttempts([attempt({ outcome: accepted() })], { state: 'retry-scheduled', fence: 1 });
    const processing = { ...record, state: 'processing' as const, fence: 2, leaseUntil: T0 + LEASE_MS, requestId: 'r' };
    const it = story({ record: processing });
    expect(it.mark()).toMatchObject({ kind: 'settled', state: 'sent' });
    expect(it.record.attempts).toHaveLength(1);
  });

  test('is refused when it names another provider than the record', () => {
    const it = story();
    it.claim();
    expect(it.mark({ provider: 'p1' })).toMatchObject({ kind: 'fenced' });
  });

  test('blocks for as long as the block says, and charges nothing', () => {
    const it = story();
    it.claim();
    const facts = { blocked: { scope: 'provider:p0', recheckMs: 9_000 } };
    expect(it.mark({}, facts)).toMatchObject({ kind: 'blocked', dueInMs: 9_000, scope: 'provider:p0' });
    expect(it.claim()).toMatchObject({ kind: 'later', dueInMs: 9_000 });
    expect(it.record).toMatchObject({ reason: 'blocked: provider:p0', lapses: 0 });
  });

  test('gives time until the window less the send margin, or until the expiry if that is sooner', () => {
    const it = story();
    it.claim();
    expect(it.mark()).toMatchObject({ sendWithinMs: DISPATCH_MS - SEND_MARGIN_MS });
    const soon = story({ record: { expiresAt: T0 + 7_000 } });
    soon.claim();
    expect(soon.mark()).toMatchObject({ sendWithinMs: 7_000 });
  });

  test('repeated under the same fence answers the same attempt with the time that is left', () => {
    const it = story();
    it.claim();
    it.mark();
    const marked = it.record;
    it.wait(4_000);
    expect(it.mark()).toMatchObject({ kind: 'go', attempt: 1, sendWithinMs: DISPATCH_MS - SEND_MARGIN_MS - 4_000 });
    expect(it.record).toBe(marked);
  });

  test('freezes the message: a later mark sends the first one', () => {
    const it = story();
    it.claim();
    it.mark({ message: { text: 'first' } });
    it.settle(1, deferred);
    it.wait(60_000);
    it.claim();
    expect(it.mark({ message: { text: 'second' } })).toMatchObject({ kind: 'go', message: { text: 'first' } });
  });
});

describe('rule 3: every write carries the fence', () => {
  function afterTakeover(): ReturnType<typeof story> {
    const it = story();
    it.claim();
    it.wait(LEASE_MS);
    it.claim();
    return it;
  }

  test('a mark under an old fence is fenced', () => {
    const it = afterTakeover();
    expect(it.mark({ fence: 1 })).toMatchObject({ kind: 'fenced' });
    expect(it.record).toMatchObject({ state: 'processing', fence: 2, attempts: [] });
  });

  test('a renewal under an old fence is fenced', () => {
    const it = afterTakeover();
    const { leaseUntil } = it.record;
    it.wait(1_000);
    expect(it.renew(1)).toEqual({ kind: 'fenced' });
    expect(it.record.leaseUntil).toBe(leaseUntil);
  });

  test('a release under an old fence is fenced', () => {
    const it = afterTakeover();
    expect(it.release(null, 1)).toEqual({ kind: 'fenced' });
    expect(it.record).toMatchObject({ state: 'processing', fence: 2 });
  });

  test('a settle under an old fence is evidence of its own attempt and moves nothing else', () => {
    const it = story();
    it.becomeUnknown();
    it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 });
    it.claim();
    it.mark();
    expect(it.settle(1, notSent)).toMatchObject({ kind: 'evidence', state: 'dispatching' });
    expect(it.record).toMatchObject({ state: 'dispatching', fence: 2 });
    expect(it.record.attempts).toMatchObject([{ outcome: { kind: 'not-sent' } }, { outcome: null }]);
  });

  test('a settle of an attempt number under a fence that never marked it changes nothing', () => {
    const it = story();
    it.claim();
    it.mark();
    const before = it.record;
    expect(it.settle(1, notSent, { fence: 0 })).toMatchObject({ kind: 'evidence', state: 'dispatching' });
    expect(it.record).toBe(before);
  });

  test('a reconciliation under an old fence is fenced', () => {
    const it = story({ record: { state: 'unknown', fence: 7, attempts: [attempt({ fence: 7 })], charged: 1 } });
    expect(it.reconcile({ kind: 'park', reason: 'old' }, 6)).toMatchObject({ kind: 'fenced', state: 'unknown' });
    expect(it.record.state).toBe('unknown');
  });

  test('the fence rises with every grant, also above what the store mints next', () => {
    const record = delivery({ fence: 40 });
    const step = steps.claim(record, { owner: 'w', requestId: 'r', leaseMs: 1 }, T0, 12);
    expect(step.verdict).toMatchObject({ kind: 'granted', fence: 41 });
  });
});

describe('rule 4: claims replay safely', () => {
  test('a late copy of a claim that was granted and given back grants nothing', () => {
    const first = steps.claim(delivery(), { owner: 'w', requestId: 'r-1', leaseMs: LEASE_MS }, T0, 1);
    const request = { id: first.record.id, fence: first.record.fence, delayMs: 0, failure: null };
    const { record } = steps.release(first.record, request, T0);
    const late = steps.claim(record, { owner: 'w', requestId: 'r-1', leaseMs: LEASE_MS }, T0 + 1, 9);
    expect(late).toMatchObject({ record, verdict: { kind: 'held' } });
    expect(steps.claim(record, { owner: 'w', requestId: 'r-2', leaseMs: LEASE_MS }, T0 + 1, 9).verdict.kind).toBe(
      'granted',
    );
  });

  test('the same request again grants the same fence and writes nothing', () => {
    const it = story();
    it.claim('r1');
    const granted = it.record;
    it.wait(1_000);
    expect(it.claim('r1')).toMatchObject({ kind: 'granted', fence: 1 });
    expect(it.record).toBe(granted);
  });

  test('another request meanwhile is told that it is held, and for how long', () => {
    const it = story();
    it.claim('r1');
    it.wait(1_000);
    expect(it.claim('r2')).toMatchObject({ kind: 'held', remainingMs: LEASE_MS - 1_000 });
  });
});

describe('rule 6: evidence first', () => {
  const STATES: readonly DeliveryState[] = [
    'queued',
    'processing',
    'retry-scheduled',
    'dispatching',
    'unknown',
    'parked',
  ];
  const proven = { fence: 1, attempts: [attempt({ outcome: accepted() })], charged: 1 };
  const marked = { leaseUntil: T0 + LEASE_MS, dispatchUntil: T0, requestId: 'r0' };

  test.each(STATES)('an accepted attempt makes a %s record sent when the outcome comes late', (state) => {
    const it = story({ record: { ...proven, ...marked, state, fence: 2, attempts: [attempt({ fence: 1 })] } });
    expect(it.settle(1, accepted())).toMatchObject({ kind: 'evidence', state: 'sent' });
  });

  test('a claim finds it sent', () => {
    const it = story({ record: { ...proven, state: 'retry-scheduled' } });
    expect(it.claim()).toMatchObject({ kind: 'settled', state: 'sent' });
  });

  test('the sweeper finds it sent', () => {
    const it = story({ record: { ...proven, ...marked, state: 'dispatching' } });
    expect(it.sweep().state).toBe('sent');
  });

  test('the reconciler finds it sent, whatever it had decided', () => {
    const it = story({ record: { ...proven, state: 'unknown' } });
    expect(it.reconcile({ kind: 'park', reason: 'no idea' })).toMatchObject({ kind: 'moved', state: 'sent' });
  });

  test('two accepted attempts are one recorded duplicate, once', () => {
    const it = story({ has: 'nothing', record: { class: 'security' } });
    it.becomeUnknown();
    it.reconcile({ kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 });
    it.claim();
    it.mark();
    expect(it.settle(2, accepted('m-2'))).toMatchObject({ state: 'sent', duplicate: false });
    expect(it.settle(1, accepted('m-1'))).toMatchObject({ state: 'sent', duplicate: true });
    expect(it.settle(1, accepted('m-1'))).toMatchObject({ state: 'sent', duplicate: false });
  });

  test('an acceptance of an attempt that a lookup had counted absent is still the truth', () => {
    const it = story({ has: 'lookup' });
    it.becomeUnknown();
    const next = { kind: 'retry', delayMs: 0, provider: 'p0', reason: 'absent' } as const;
    it.reconcile({ kind: 'absent', provider: 'p0', next });
    expect(it.record.state).toBe('retry-scheduled');
    expect(it.settle(1, accepted())).toMatchObject({ kind: 'evidence', state: 'sent' });
  });
});

describe('rule 7: an outcome speaks for its own attempt', () => {
  const OUTCOMES = [
    { outcome: rejected('message'), alone: 'failed' },
    { outcome: rejected('provider'), alone: 'retry-scheduled' },
    { outcome: deferred, alone: 'retry-scheduled' },
    { outcome: notSent, alone: 'retry-scheduled' },
    { outcome: unknown, alone: 'unknown' },
  ] as const;

  function replaying(maxAttempts = 5): ReturnType<typeof story> {
    const it = story({ record: { maxAttempts } });
    it.becomeUnknown();
    it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 });
    it.claim();
    it.mark();
    return it;
  }

  test.each(OUTCOMES)('$outcome.kind alone leads to $alone', ({ outcome, alone }) => {
    const it = story();
    it.claim();
    it.mark();
    expect(it.settle(1, outcome)).toMatchObject({ kind: 'settled', state: alone });
  });

  test.each(OUTCOMES)('$outcome.kind beside an open attempt leads to unknown', ({ outcome }) => {
    const it = replaying();
    expect(it.settle(2, outcome)).toMatchObject({ kind: 'settled', state: 'unknown' });
    expect(it.record.provider).toBe('p0');
  });

  test('attempts spent beside an open attempt lead to unknown, not to dead', () => {
    const it = replaying(2);
    expect(it.settle(2, notSent)).toMatchObject({ state: 'unknown' });
    expect(it.record.charged).toBe(2);
  });

  test.each([
    { outcome: notSent, then: 'dead' },
    { outcome: rejected('message'), then: 'failed' },
  ])(
    'evidence that closes the last open attempt moves the record as its settle would: $outcome.kind',
    ({ outcome, then }) => {
      const it = replaying(2);
      it.settle(2, notSent);
      expect(it.settle(1, outcome)).toMatchObject({ kind: 'evidence', state: then });
    },
  );

  test.each([
    { outcome: notSent, then: 'dead' },
    { outcome: rejected('message'), then: 'failed' },
    { outcome: accepted(), then: 'sent' },
  ])('evidence about a parked record moves it: $outcome.kind makes it $then', ({ outcome, then }) => {
    const it = story({ has: 'nothing' });
    it.becomeUnknown();
    it.reconcile({ kind: 'park', reason: 'nothing can tell' });
    expect(it.settle(1, outcome)).toMatchObject({ kind: 'evidence', state: then });
  });
});

describe('rule 8: cancel, opt-out and expiry', () => {
  test.each(['queued', 'processing', 'retry-scheduled'] as const)('a cancel of a %s record succeeds', (state) => {
    const leaseUntil = state === 'processing' ? T0 + LEASE_MS : null;
    const it = story({ record: { state, leaseUntil } });
    expect(it.cancel()).toBe('cancelled');
    expect(it.cancel()).toBe('cancelled');
    expect(it.record.state).toBe('cancelled');
  });

  test('a cancel while an attempt is open is too late, and forbids a new attempt', () => {
    const it = story();
    it.becomeUnknown();
    expect(it.cancel()).toBe('too-late');
    expect(it.record).toMatchObject({ state: 'unknown', forbidden: 'cancelled' });
    expect(it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 })).toMatchObject({ state: 'parked' });
  });

  test('a cancel of a replay that is not marked yet takes it back to the reconciler', () => {
    const it = story();
    it.becomeUnknown();
    it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 });
    it.claim();
    expect(it.cancel()).toBe('too-late');
    expect(it.mark()).toMatchObject({ kind: 'fenced' });
    expect(it.record).toMatchObject({ state: 'unknown', forbidden: 'cancelled', charged: 1 });
  });

  const ASKED: readonly {
    readonly facts: Partial<steps.MarkFacts>;
    readonly as: 'cancelled' | 'suppressed' | 'expired';
  }[] = [
    { facts: { notificationCancelled: true }, as: 'cancelled' },
    { facts: { suppressed: true }, as: 'suppressed' },
    { facts: {}, as: 'expired' },
  ];
  test.each(ASKED)('a mark that meets $as beside an open attempt leaves it to evidence', ({ facts, as }) => {
    const it = story({ record: { expiresAt: T0 + 100_000 } });
    it.becomeUnknown();
    it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 });
    if (as === 'expired') it.wait(40_000);
    it.claim();
    expect(it.mark({}, facts)).toMatchObject({ kind: as, state: 'unknown' });
    expect(it.record).toMatchObject({ forbidden: as, charged: 1 });
    expect(it.decide()).toMatchObject({ kind: 'park' });
    expect(it.settle(1, notSent)).toMatchObject({ kind: 'evidence', state: as });
  });

  test.each(['sent', 'delivered', 'bounced', 'failed', 'dead', 'parked'] as const)(
    'a cancel of a %s record is too late',
    (state) => {
      const it = story({ record: { state } });
      expect(it.cancel()).toBe('too-late');
      expect(it.record.state).toBe(state);
    },
  );

  test.each(['expired', 'suppressed'] as const)(
    'a cancel of an %s record is granted: nothing will be sent',
    (state) => {
      const it = story({ record: { state } });
      expect(it.cancel()).toBe('cancelled');
      expect(it.record.state).toBe(state);
    },
  );
});

describe('rule 9: stable identity', () => {
  test('a replay is covered while every open attempt has its key and the provider remembers it from the first on', () => {
    const record = withAttempts([attempt(), attempt({ n: 2, markedAt: T0 + 100_000 })], { state: 'processing' });
    const request = { provider: 'p0', key: record.attempts[0]?.key ?? '', keyWindowMs: KEY_WINDOW_MS - KEY_MARGIN_MS };
    expect(steps.isCovered(record, request, T0 + request.keyWindowMs - 1)).toBe(true);
    expect(steps.isCovered(record, request, T0 + request.keyWindowMs)).toBe(false);
    expect(steps.isCovered(record, { ...request, keyWindowMs: null }, T0)).toBe(false);
  });

  test('a replay is not covered beside an open attempt at another provider', () => {
    const record = withAttempts([attempt(), attempt({ n: 2, provider: 'p1' })], {
      state: 'processing',
      provider: 'p1',
    });
    const request = { provider: 'p1', key: record.attempts[1]?.key ?? '', keyWindowMs: KEY_WINDOW_MS };
    expect(steps.isCovered(record, request, T0)).toBe(false);
  });

  test('a declaration covers exactly the next mark, at the provider it names', () => {
    const declared = (afterAttempt: number, provider: string) =>
      withAttempts([attempt({ outcome: unknown })], {
        state: 'processing',
        declarations: [{ kind: 'resend', afterAttempt, provider, at: T0 }],
      });
    const request = { provider: 'p0', key: 'k', keyWindowMs: null };
    expect(steps.isCovered(declared(1, 'p0'), request, T0)).toBe(true);
    expect(steps.isCovered(declared(0, 'p0'), request, T0)).toBe(false);
    expect(steps.isCovered(declared(1, 'p1'), request, T0)).toBe(false);
  });
});

describe('rule 10: a counted "not found"', () => {
  const next = { kind: 'retry', delayMs: 0, provider: 'p0', reason: 'absent' } as const;

  test('closes every open attempt at that provider as not sent', () => {
    const it = story({ record: withAttempts([attempt(), attempt({ n: 2 })], { state: 'unknown' }) });
    expect(it.reconcile({ kind: 'absent', provider: 'p0', next })).toMatchObject({ state: 'retry-scheduled' });
    expect(it.record.attempts).toMatchObject([{ outcome: { kind: 'not-sent' } }, { outcome: { kind: 'not-sent' } }]);
  });

  test("leaves another provider's open attempt open", () => {
    const it = story({ record: withAttempts([attempt(), attempt({ n: 2, provider: 'p1' })], { state: 'unknown' }) });
    expect(it.reconcile({ kind: 'absent', provider: 'p0', next })).toMatchObject({ state: 'unknown' });
    expect(it.record.attempts).toMatchObject([{ outcome: { kind: 'not-sent' } }, { outcome: null }]);
  });

  test('at the cap of charged attempts makes it dead', () => {
    const it = story({ record: withAttempts([attempt()], { state: 'unknown', maxAttempts: 1 }) });
    expect(it.reconcile({ kind: 'absent', provider: 'p0', next })).toMatchObject({ state: 'dead' });
  });
});

describe('rule 11: states never regress', () => {
  const CASES: readonly { readonly first: Arrival; readonly second: Arrival; readonly state: DeliveryState }[] = [
    { first: 'delivered', second: 'bounced', state: 'bounced' },
    { first: 'bounced', second: 'delivered', state: 'bounced' },
    { first: 'delivered', second: 'undeliverable', state: 'undeliverable' },
    { first: 'delivered', second: 'accepted', state: 'delivered' },
    { first: 'bounced', second: 'accepted', state: 'bounced' },
    { first: 'delivered', second: 'rejected', state: 'delivered' },
    { first: 'accepted', second: 'rejected', state: 'sent' },
    { first: 'accepted', second: 'other', state: 'sent' },
  ];
  type Arrival = 'accepted' | 'rejected' | 'delivered' | 'bounced' | 'undeliverable' | 'other';

  test.each(CASES)('$first then $second about one message leaves it $state', ({ first, second, state }) => {
    const it = story();
    it.claim();
    it.mark();
    it.settle(1, accepted('m-1'));
    it.witness({ kind: first, providerMessageId: 'm-1' });
    it.witness({ kind: second, providerMessageId: 'm-1' });
    expect(it.record.state).toBe(state);
  });

  test('a webhook before our own settle stands, and the settle adds nothing', () => {
    const it = story();
    it.claim();
    it.mark();
    expect(it.witness({ kind: 'delivered', providerMessageId: 'm-1' })).toMatchObject({
      kind: 'moved',
      state: 'delivered',
    });
    expect(it.settle(1, accepted('m-1'))).toMatchObject({ kind: 'evidence', state: 'delivered', duplicate: false });
  });

  test('a bounce proves that its attempt was accepted: no new attempt begins', () => {
    const it = story();
    it.becomeUnknown();
    it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 });
    it.witness({ kind: 'bounced', providerMessageId: 'm-1' });
    expect(it.record.state).toBe('bounced');
    expect(it.claim()).toMatchObject({ kind: 'settled', state: 'bounced' });
  });

  test('an unknown kind of event changes nothing', () => {
    const it = story();
    it.claim();
    it.mark();
    const before = it.record;
    expect(it.witness({ kind: 'other', providerMessageId: 'm-1' })).toMatchObject({ kind: 'noted' });
    expect(it.record).toBe(before);
  });

  test('an event about an attempt that we do not know of still proves a send', () => {
    const it = story();
    expect(it.witness({ kind: 'delivered', providerMessageId: 'm-9' })).toMatchObject({
      kind: 'moved',
      state: 'delivered',
    });
    expect(it.record.attempts).toMatchObject([{ presumed: true, charged: false, arrival: 'delivered' }]);
  });

  test('a rejection closes the last open attempt of an unknown record as failed', () => {
    const it = story();
    it.becomeUnknown();
    const rejection = { kind: 'rejected', detail: 'blocked by policy' } as const;
    expect(it.witness(rejection)).toMatchObject({ kind: 'moved', state: 'failed' });
    expect(it.record.reason).toBe('blocked by policy');
  });
});

describe('rule 12: amnesia is rollback', () => {
  test.each(['queued', 'processing', 'retry-scheduled', 'dispatching', 'unknown'] as const)(
    'a %s record counts as unknown with one open attempt, wherever it was',
    (state) => {
      const leaseUntil = state === 'processing' ? T0 + LEASE_MS : null;
      const presumed = steps.presume(delivery({ state, leaseUntil, updatedAt: T0 - 5_000 }), T0);
      expect(presumed).toMatchObject({ state: 'unknown', dueAt: T0, charged: 0 });
      // Dated by what survived, so that a key window counted from it closes early, never late.
      expect(presumed.attempts).toMatchObject([
        { presumed: true, provider: ANY_PROVIDER, outcome: null, charged: false, markedAt: T0 - 5_000 },
      ]);
    },
  );

  test.each(['sent', 'parked', 'cancelled'] as const)('a %s record stays as it is', (state) => {
    const record = delivery({ state });
    expect(steps.presume(record, T0)).toBe(record);
  });

  test('an acceptance of an attempt that the store forgot is kept all the same', () => {
    const it = story({ record: { state: 'retry-scheduled', fence: 9 } });
    const { key } = attempt();
    expect(it.settle(3, accepted(), { fence: 4, key, provider: 'p0' })).toMatchObject({
      kind: 'evidence',
      state: 'sent',
    });
    expect(it.record.attempts).toMatchObject([{ presumed: true, outcome: { kind: 'accepted' } }]);
  });

  test('a lesser outcome of an attempt that the store forgot is worth nothing', () => {
    const it = story({ record: { state: 'retry-scheduled', fence: 9 } });
    const before = it.record;
    it.settle(3, notSent, { fence: 4, key: attempt().key, provider: 'p0' });
    expect(it.record).toBe(before);
  });
});

describe('rule 13: counting', () => {
  test('a deferral is refunded, everything else is charged', () => {
    const it = story();
    it.claim();
    it.mark();
    it.settle(1, deferred);
    expect(it.record).toMatchObject({ state: 'retry-scheduled', charged: 0 });
    it.wait(60_000);
    it.claim();
    it.mark();
    it.settle(2, notSent);
    expect(it.record).toMatchObject({ charged: 1 });
    expect(it.record.attempts).toMatchObject([{ charged: false }, { charged: true }]);
  });

  test('as many charged marks as allowed make it dead, and say so', () => {
    const it = story({ record: { maxAttempts: 2 } });
    it.claim();
    it.mark();
    expect(it.settle(1, notSent)).toMatchObject({ state: 'retry-scheduled' });
    it.wait(60_000);
    it.claim();
    it.mark();
    expect(it.settle(2, notSent)).toMatchObject({ state: 'dead' });
    expect(it.record.reason).toBe('attempts spent (2): connection refused');
  });

  test('endless deferral ends as expired', () => {
    const it = story({ record: { expiresAt: T0 + 300_000 } });
    let marks = 0;
    while (it.record.state !== 'expired' && marks < 100) {
      it.wait(Math.max(0, it.record.dueAt - it.now));
      it.claim();
      if (it.mark().kind !== 'go') continue;
      marks += 1;
      it.settle(marks, { kind: 'deferred', reason: '429', retryAfterMs: 60_000 });
    }
    expect(it.record).toMatchObject({ state: 'expired', charged: 0 });
    expect(marks).toBe(5);
  });

  test(`${steps.POISON_LAPSES} claims in a row that end with their process make it dead as poison`, () => {
    const it = story();
    it.claim();
    for (let lapses = 1; lapses < steps.POISON_LAPSES; lapses += 1) {
      it.wait(LEASE_MS);
      expect(it.claim()).toMatchObject({ kind: 'granted' });
    }
    it.wait(LEASE_MS);
    expect(it.claim()).toMatchObject({ kind: 'settled', state: 'dead' });
    expect(it.record.reason).toMatch(/^poison/);
  });

  test.each(['release', 'mark that is refused', 'mark'] as const)('a %s ends the row of lapses', (by) => {
    const it = story();
    it.claim();
    it.wait(LEASE_MS);
    it.claim();
    expect(it.record.lapses).toBe(1);
    if (by === 'release') it.release();
    else it.mark({}, by === 'mark' ? {} : { blocked: { scope: 'all', recheckMs: 1 } });
    expect(it.record.lapses).toBe(0);
  });

  test('poison beside an open attempt is unknown, then parked: it may have been sent', () => {
    const record = withAttempts([attempt({ outcome: unknown })], {
      state: 'processing',
      leaseUntil: T0,
      lapses: 4,
      fence: 4,
    });
    const it = story({ record, has: 'nothing' });
    expect(it.claim()).toMatchObject({ kind: 'unknown' });
    expect(it.decide()).toMatchObject({ kind: 'park' });
  });

  test('content that throws counts on its own, and at the cap the delivery is failed with its reason', () => {
    const it = story({ record: { maxAttempts: 2 } });
    it.claim();
    expect(it.release('content threw TypeError')).toEqual({ kind: 'ok' });
    expect(it.record).toMatchObject({ state: 'queued', failures: 1, charged: 0 });
    it.claim();
    expect(it.release('content threw TypeError')).toEqual({ kind: 'settled', state: 'failed' });
    expect(it.record).toMatchObject({ state: 'failed', reason: 'content threw TypeError' });
  });
});

describe('rule 14: generations', () => {
  test('a replay names the one it replaces and starts afresh', () => {
    const it = story({ record: { state: 'dead', charged: 1, attempts: [attempt({ outcome: notSent })] } });
    const outcome = it.replay();
    if (outcome.kind !== 'replayed') throw new Error(outcome.kind);
    expect(outcome.old).toMatchObject({ state: 'dead', replacedBy: outcome.next.id });
    expect(outcome.next).toMatchObject({
      generation: 1,
      state: 'queued',
      charged: 0,
      attempts: [],
      replaces: it.record.id,
    });
    expect(outcome.next.operator).toEqual({ by: 'ops', why: 'asked to' });
    expect(outcome.possibleDuplicate).toBe(false);
  });

  test('a repeated replay is the same one', () => {
    const it = story({ record: { state: 'dead' } });
    const first = it.replay();
    if (first.kind !== 'replayed') throw new Error(first.kind);
    expect(it.replay()).toEqual({ kind: 'repeated', id: first.next.id });
  });

  test('a replay beside an open attempt declares the possible duplicate first', () => {
    const it = story({ record: withAttempts([attempt({ outcome: unknown })], { state: 'parked' }) });
    const outcome = it.replay();
    if (outcome.kind !== 'replayed') throw new Error(outcome.kind);
    expect(outcome.possibleDuplicate).toBe(true);
    expect(outcome.next.declarations).toMatchObject([{ kind: 'replay-generation', afterAttempt: 0 }]);
  });

  test.each(['queued', 'dispatching', 'unknown', 'sent', 'delivered', 'cancelled', 'expired', 'suppressed'] as const)(
    'a %s record is not replayed',
    (state) => expect(story({ record: { state } }).replay()).toMatchObject({ kind: 'refused' }),
  );

  test.each([
    { why: 'the recipient opted out', facts: { suppressed: true, notificationCancelled: false } },
    { why: 'its notification was cancelled', facts: { suppressed: false, notificationCancelled: true } },
  ])('is refused because $why', ({ why, facts }) => {
    const request = { id: 'd', by: 'ops', why: 'test', forced: false, automatic: false };
    expect(steps.replay(delivery({ state: 'dead' }), request, facts, T0)).toEqual({ kind: 'refused', reason: why });
  });
});

describe('the transitions', () => {
  test('a move that the table does not declare is refused', () => {
    expect(() => move(delivery({ state: 'cancelled' }), 'processing', T0)).toThrow(steps.RefusedMove);
    expect(() => move(delivery({ state: 'cancelled' }), 'processing', T0)).toThrow(
      'may not move from cancelled to processing',
    );
  });
});
