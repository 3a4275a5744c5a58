import { describe, expect, test } from 'vitest';
import {
  accepted,
  DISPATCH_MS,
  KEY_MARGIN_MS,
  KEY_WINDOW_MS,
  LEASE_MS,
  notSent,
  rejected,
  SETTLE_MS,
  story,
  unknown,
} from '../support/story.ts';
import { steps } from '../../src/internal.ts';

/** The stories of PROTOCOL section 6, told by the pure steps that every ledger applies. Times are the store's. */
describe('the ledger steps', () => {
  test('counterexample 1: a late copy of a claim does not un-mark what was marked or sent since', () => {
    const it = story();
    it.claim('r1');
    expect(it.claim('r1')).toMatchObject({ kind: 'granted', fence: 1 });
    expect(it.mark()).toMatchObject({ kind: 'go', attempt: 1 });
    const marked = it.record;
    expect(it.claim('r1')).toMatchObject({ kind: 'held' });
    expect(it.record).toBe(marked);
    it.settle(1, accepted());
    const sent = it.record;
    expect(it.claim('r1')).toMatchObject({ kind: 'settled', state: 'sent' });
    expect(it.record).toBe(sent);
    expect(it.record).toMatchObject({ state: 'sent', fence: 1, charged: 1 });
  });

  test('counterexample 1: a late copy of a claim whose lease is over grants nothing and counts nothing', () => {
    const it = story();
    it.claim('r1');
    it.wait(LEASE_MS);
    const lapsed = it.record;
    expect(it.claim('r1')).toEqual({ kind: 'held', id: it.record.id, remainingMs: 0 });
    expect(it.record).toBe(lapsed);
  });

  test('counterexample 2: a rejection of the replay does not lead away from an acceptance of the first attempt', () => {
    const it = story();
    it.becomeUnknown();
    it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 });
    it.claim();
    expect(it.mark()).toMatchObject({ kind: 'go', attempt: 2 });
    expect(it.settle(1, accepted())).toMatchObject({ kind: 'evidence', state: 'sent' });
    expect(it.settle(2, rejected('provider'))).toMatchObject({ kind: 'evidence', state: 'sent' });
    expect(it.record).toMatchObject({ state: 'sent', provider: 'p0' });
  });

  test('counterexample 2: a rejection of the replay decides nothing while the first attempt is open', () => {
    const it = story();
    it.becomeUnknown();
    it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 });
    it.claim();
    it.mark();
    expect(it.settle(2, rejected('provider'))).toMatchObject({ kind: 'settled', state: 'unknown' });
    expect(it.settle(1, accepted())).toMatchObject({ kind: 'evidence', state: 'sent' });
  });

  test('counterexample 3: a replay that meets a closed key window is not marked', () => {
    const it = story();
    it.becomeUnknown();
    it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 });
    it.wait(KEY_WINDOW_MS - KEY_MARGIN_MS - DISPATCH_MS);
    it.claim();
    expect(it.mark()).toMatchObject({ kind: 'window-closed' });
    expect(it.record).toMatchObject({ state: 'unknown', charged: 1 });
    expect(it.record.attempts).toHaveLength(1);
  });

  test('counterexample 3: a replay one moment before the key window closes is marked', () => {
    const it = story();
    it.becomeUnknown();
    it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 });
    it.wait(KEY_WINDOW_MS - KEY_MARGIN_MS - DISPATCH_MS - 1);
    it.claim();
    expect(it.mark()).toMatchObject({ kind: 'go', attempt: 2 });
  });

  test('counterexample 4: a late acceptance beats the resend that did not leave, and no third attempt begins', () => {
    const it = story({ has: 'nothing', record: { class: 'security' } });
    it.becomeUnknown();
    expect(it.decide()).toMatchObject({ kind: 'declare', declaration: 'resend' });
    it.reconcile({ kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 });
    it.claim();
    expect(it.mark()).toMatchObject({ kind: 'go', attempt: 2 });
    expect(it.settle(1, accepted())).toMatchObject({ kind: 'evidence', state: 'sent', duplicate: false });
    expect(it.settle(2, notSent)).toMatchObject({ state: 'sent' });
    expect(it.claim()).toMatchObject({ kind: 'settled', state: 'sent' });
    expect(it.record.attempts).toHaveLength(2);
  });

  test('counterexample 5: a cancel after the mark is too late, and the acceptance still counts', () => {
    const it = story();
    it.claim();
    it.mark();
    expect(it.cancel()).toBe('too-late');
    expect(it.record.state).toBe('dispatching');
    expect(it.settle(1, accepted())).toMatchObject({ kind: 'settled', state: 'sent' });
    expect(it.record.forbidden).toBeNull();
  });

  test('counterexample 5: a cancel after the mark is carried out when the message turns out not to have left', () => {
    const it = story();
    it.claim();
    it.mark();
    expect(it.cancel()).toBe('too-late');
    expect(it.settle(1, notSent)).toMatchObject({ kind: 'settled', state: 'cancelled' });
  });

  test('counterexample 5: an expiry after the mark leaves the acceptance standing', () => {
    const it = story({ record: { expiresAt: 1_700_000_000_000 + 10_000 } });
    it.claim();
    expect(it.mark()).toMatchObject({ kind: 'go', sendWithinMs: 10_000 });
    it.wait(10_000);
    expect(it.settle(1, accepted())).toMatchObject({ kind: 'settled', state: 'sent' });
  });

  test('counterexample 5: an expiry after the mark ends what turns out not to have left, as expired', () => {
    const it = story({ record: { expiresAt: 1_700_000_000_000 + 10_000 } });
    it.claim();
    it.mark();
    it.wait(10_000);
    expect(it.settle(1, notSent)).toMatchObject({ kind: 'settled', state: 'expired' });
  });

  test('counterexample 6: "absent" counts only after the settle time of the last attempt', () => {
    const it = story({ has: 'lookup' });
    it.becomeUnknown();
    expect(it.decide()).toMatchObject({ kind: 'ask' });
    it.wait(SETTLE_MS);
    const next = it.decide({ kind: 'absent' });
    expect(next).toMatchObject({ kind: 'absent', provider: 'p0', next: { kind: 'retry' } });
    it.reconcile(next as Extract<typeof next, { kind: 'absent' }>);
    expect(it.record.state).toBe('retry-scheduled');
    it.claim();
    it.mark();
    expect(it.settle(2, unknown)).toMatchObject({ state: 'unknown' });
    const atOnce = it.decide({ kind: 'absent' });
    expect(atOnce).toEqual({ kind: 'wait', delayMs: DISPATCH_MS - 5_000 + SETTLE_MS });
    it.wait(DISPATCH_MS - 5_000 + SETTLE_MS);
    expect(it.decide({ kind: 'absent' })).toMatchObject({ kind: 'absent' });
  });

  test('counterexample 7: a reconciler that read an older fence is fenced off', () => {
    const it = story();
    it.becomeUnknown();
    const stale = it.record.fence;
    it.reconcile({ kind: 'replay', provider: 'p0', delayMs: 0 });
    it.claim();
    it.mark();
    it.settle(2, unknown);
    expect(it.record).toMatchObject({ state: 'unknown', fence: 2 });
    const before = it.record;
    expect(it.reconcile({ kind: 'park', reason: 'stale' }, stale)).toMatchObject({ kind: 'fenced', state: 'unknown' });
    expect(it.record).toBe(before);
  });

  test('counterexample 8: of two claims of which a failover lost one, the forgotten one is never marked', () => {
    const it = story();
    const forgotten = it.claim('r1');
    expect(forgotten).toMatchObject({ kind: 'granted', fence: 1 });
    // The store lost that write: as a rolled-back record, claimed by somebody else under a fence of the new epoch.
    const rolledBack = story({ record: { fence: 1_000 } });
    rolledBack.claim('r2');
    expect(rolledBack.mark({ fence: 1 })).toMatchObject({ kind: 'fenced' });
    expect(rolledBack.mark()).toMatchObject({ kind: 'go' });
    expect(rolledBack.mark({ fence: 1 })).toMatchObject({ kind: 'fenced' });
  });

  test('counterexample 8: after the store lost its memory, what looks unmarked counts as one open attempt', () => {
    const it = story();
    it.wait(1_000);
    const presumed = steps.presume(it.record, it.now);
    expect(presumed).toMatchObject({ state: 'unknown', charged: 0 });
    expect(presumed.attempts).toMatchObject([{ presumed: true, outcome: null, markedAt: it.record.updatedAt }]);
  });

  test('counterexample 9: once generation 0 is accepted late, the mark of generation 1 is refused', () => {
    const it = story({ has: 'nothing' });
    it.becomeUnknown();
    it.reconcile({ kind: 'park', reason: 'nothing can tell' });
    const replayed = it.replay();
    expect(replayed).toMatchObject({ kind: 'replayed', possibleDuplicate: true });
    expect(it.settle(1, accepted())).toMatchObject({ kind: 'evidence', state: 'sent' });
    if (replayed.kind !== 'replayed') return;
    const next = story({ record: replayed.next, has: 'nothing' });
    next.wait(DISPATCH_MS);
    next.claim();
    expect(next.mark({}, { earlierSent: true })).toMatchObject({ kind: 'settled', state: 'cancelled' });
    expect(next.record.attempts).toHaveLength(0);
    expect(next.record.reason).toBe('an earlier generation was sent after all');
  });

  test('counterexample 9: an operator who forces it gets the mark of generation 1', () => {
    const it = story({ has: 'nothing' });
    it.becomeUnknown();
    it.reconcile({ kind: 'park', reason: 'nothing can tell' });
    const replayed = it.replay({ forced: true });
    if (replayed.kind !== 'replayed') throw new Error('not replayed');
    const next = story({ record: replayed.next, has: 'nothing' });
    next.wait(DISPATCH_MS);
    next.claim();
    expect(next.mark({}, { earlierSent: true })).toMatchObject({ kind: 'go' });
  });

  test('counterexample 10: a bounce of one message does not hide the other one that was accepted', () => {
    const it = story({ has: 'nothing', record: { class: 'document' } });
    it.becomeUnknown();
    expect(it.decide()).toMatchObject({ kind: 'declare', declaration: 'failover', provider: 'p1' });
    it.reconcile({ kind: 'declare', declaration: 'failover', provider: 'p1', delayMs: 0 });
    it.claim();
    expect(it.mark()).toMatchObject({ kind: 'go', attempt: 2 });
    it.settle(2, accepted('m-p1'));
    expect(it.settle(1, accepted('m-p0'))).toMatchObject({ kind: 'evidence', state: 'sent', duplicate: true });
    it.witness({ provider: 'p0', providerMessageId: 'm-p0', kind: 'bounced' });
    expect(it.record.state).toBe('sent');
    it.witness({ provider: 'p1', providerMessageId: 'm-p1', kind: 'bounced' });
    expect(it.record.state).toBe('bounced');
  });

  test('counterexample 11: what was not sent is claimed again when it is due, without any wake', () => {
    const it = story({ policy: { failoverOnNotSent: false } });
    it.claim();
    it.mark();
    expect(it.settle(1, notSent)).toMatchObject({ kind: 'settled', state: 'retry-scheduled' });
    const dueInMs = it.record.dueAt - it.now;
    expect(dueInMs).toBeGreaterThan(0);
    expect(it.claim()).toMatchObject({ kind: 'later', dueInMs });
    it.wait(dueInMs);
    expect(it.claim()).toMatchObject({ kind: 'granted' });
    expect(it.mark()).toMatchObject({ kind: 'go', attempt: 2 });
  });
});
