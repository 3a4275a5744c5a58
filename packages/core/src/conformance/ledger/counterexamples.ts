import assert from 'node:assert/strict';
import type { Law } from '../contract.ts';
import { accepted, NOT_SENT, NOTE, only, P0, P1, REJECTED } from './requests.ts';
import { scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

/**
 * Histories that broke one protocol or another, found by a model checker or in public incidents. U = claim, mark, send, the
 * dispatch window passes, the sweeper makes it `unknown`, and the first attempt's request is still in flight.
 */
export const counterexampleLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'survives a late copy of the claim after the mark (1)',
    async check(subject) {
      const s = await scene(subject);
      const { fence } = await s.grant(s.id, 'in flight');
      await s.mark(s.id, fence);
      assert.notEqual(only(await s.claim([s.id], 'in flight')).kind, 'granted');
      assert.deepEqual([(await s.record()).state, (await s.record()).fence], ['dispatching', fence]);
      await s.settle({ id: s.id, fence, attempt: 1, provider: P0 }, accepted('m'));
      await s.claim([s.id], 'in flight');
      assert.deepEqual([(await s.record()).state, (await s.record()).attempts.length], ['sent', 1]);
    },
  },
  {
    law: 'survives U, a replay, the first attempt accepted and the second refused (2)',
    async check(subject) {
      for (const order of [
        ['first', 'second'],
        ['second', 'first'],
      ] as const) {
        const s = await scene(subject, { key: order.join() });
        const first = await s.becomeUnknown();
        await s.reconcile(s.id, { kind: 'replay', provider: P0, delayMs: 0 });
        const second = await s.begin();
        const next = { kind: 'retry', delayMs: 0, provider: P1, reason: 'unauthorised here' } as const;
        for (const which of order)
          if (which === 'first') await s.settle(first, accepted('m'));
          else await s.settle(second, REJECTED, { next });
        assert.equal((await s.record()).state, 'sent', order.join(' before '));
        assert.equal(only(await s.claim()).kind, 'settled');
      }
    },
  },
  {
    law: 'survives U, a replay scheduled, and the key window closing before its mark (3)',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'replay', provider: P0, delayMs: 0 });
      await s.elapse(180);
      const { fence } = await s.grant();
      assert.equal((await s.mark(s.id, fence)).kind, 'window-closed');
      assert.deepEqual([(await s.record()).state, (await s.record()).attempts.length], ['unknown', 1]);
    },
  },
  {
    law: 'survives U, a declared resend, the first attempt accepted late and the second not sent (4)',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'declare', declaration: 'resend', provider: P0, delayMs: 0 });
      const second = await s.begin(s.id, { keyWindowMs: null });
      await s.settle(first, accepted('late'));
      await s.settle(second, NOT_SENT);
      assert.deepEqual([(await s.record()).state, (await s.record()).attempts.length], ['sent', 2]);
      assert.equal(only(await s.claim()).kind, 'settled');
    },
  },
  {
    law: 'survives a cancel, or the expiry, between the mark and the acceptance (5)',
    async check(subject) {
      const s = await scene(subject, { recipients: 2, expiresInUnits: 5 });
      const [cancelled, expired] = [await s.begin(s.ids[0]), await s.begin(s.ids[1])];
      assert.equal(only(await s.ledger.cancel([{ id: cancelled.id, ...NOTE }])).kind, 'too-late');
      await s.elapse(6);
      for (const marked of [cancelled, expired]) {
        await s.settle(marked, accepted(`m-${marked.id}`));
        assert.equal((await s.record(marked.id)).state, 'sent');
      }
    },
  },
  {
    law: 'keeps apart what one lookup and what a later one has proved (6)',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      const retry = { kind: 'retry', delayMs: 0, provider: P0, reason: 'never arrived' } as const;
      const { fence: read } = await s.record();
      await s.reconcile(s.id, { kind: 'absent', provider: P0, next: retry }, read);
      const second = await s.becomeUnknown();
      assert.equal(await s.reconcile(s.id, { kind: 'absent', provider: P0, next: retry }, read), 'fenced');
      const { state, attempts } = await s.record();
      assert.deepEqual([state, attempts.map(({ outcome }) => outcome?.kind)], ['unknown', ['not-sent', 'unknown']]);
      // The settle time of a lookup counts from here.
      assert.ok((attempts[1]?.sendDeadline ?? 0) > (attempts[0]?.sendDeadline ?? 0));
      await s.settle(second, accepted('m'));
      assert.equal((await s.record()).state, 'sent');
    },
  },
  {
    law: 'fences off the slower of two reconcilers (7)',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      const { fence: read } = await s.record();
      await s.reconcile(s.id, { kind: 'replay', provider: P0, delayMs: 0 }, read);
      await s.begin();
      const before = await s.record();
      const stale = [
        { kind: 'park', reason: 'stale' },
        { kind: 'found', attempt: 1, providerMessageId: 'm' },
      ] as const;
      for (const decision of stale) assert.equal(await s.reconcile(s.id, decision, read), 'fenced');
      assert.deepEqual(await s.record(), before);
      await s.elapse(21);
      await s.sweep();
      assert.equal(await s.reconcile(s.id, { kind: 'park', reason: 'stale' }, read), 'fenced');
    },
  },
  {
    law: 'survives a claim that is lost in a failover: of two holders at most one may send (8)',
    needs: 'amnesia',
    async check(subject) {
      const s = await scene(subject);
      await s.elapse(5);
      const first = await s.grant();
      await subject.loseMemory?.({ lastMs: subject.unitMs * 2, evict: [], quarantineMs: subject.unitMs * 30 });
      const second = only(await s.claim());
      assert.equal(second.kind, 'held');
      assert.equal((await s.mark(s.id, first.fence)).kind, 'fenced');
      await s.elapse(31);
      assert.equal((await s.mark(s.id, first.fence)).kind, 'fenced');
      assert.equal(only(await s.claim()).kind, 'unknown');
    },
  },
  {
    law: 'survives U, parked, replayed as a generation, and the first generation accepted late (9)',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'park', reason: 'nobody can tell' });
      const replayed = only(await s.ledger.replay([{ id: s.id, forced: false, automatic: false, ...NOTE }]));
      assert.ok(replayed.kind === 'replayed');
      const { fence } = await s.grant(replayed.id);
      await s.settle(first, accepted('late'));
      assert.equal((await s.record()).state, 'sent');
      assert.notEqual((await s.mark(replayed.id, fence)).kind, 'go');
      assert.deepEqual((await s.record(replayed.id)).attempts, []);
      assert.notEqual(only(await s.claim([replayed.id])).kind, 'granted');
    },
  },
  {
    law: 'survives a declared failover of which both attempts are accepted and the first bounces (10)',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'declare', declaration: 'failover', provider: P1, delayMs: 0 });
      const second = await s.begin(s.id, { provider: P1 });
      await s.settle(first, accepted('m-0'));
      await s.settle(second, accepted('m-1'));
      const bounce = { deliveryId: s.id, kind: 'bounced', at: 0, detail: null } as const;
      await s.ledger.record([{ ...bounce, provider: P0, providerMessageId: 'm-0' }]);
      assert.equal((await s.record()).state, 'sent');
      await s.ledger.record([{ ...bounce, provider: P1, providerMessageId: 'm-1' }]);
      assert.equal((await s.record()).state, 'bounced');
    },
  },
  {
    law: 'hands out again, when it is due, what was not sent, with no wake left anywhere (11)',
    async check(subject) {
      const s = await scene(subject);
      const next = { kind: 'retry', delayMs: subject.unitMs * 5, provider: P0, reason: 'refused' } as const;
      await s.settle(await s.begin(), NOT_SENT, { next });
      assert.deepEqual(await s.claimDue(10), []);
      await s.elapse(6);
      const due = only(await s.claimDue(10));
      assert.ok(due.kind === 'granted');
      assert.equal((await s.mark(due.id, due.fence)).kind, 'go');
    },
  },
];
