import assert from 'node:assert/strict';
import type { ReconcileDecision } from '../../ports/ledger.ts';
import type { Law } from '../contract.ts';
import { accepted, MESSAGE, NOT_SENT, only, P0, P1, UNKNOWN } from './requests.ts';
import { scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

const RETRY = { kind: 'retry', delayMs: 0, provider: P0, reason: 'never arrived' } as const;
const DECISIONS: readonly (readonly [ReconcileDecision, string])[] = [
  [{ kind: 'found', attempt: 1, providerMessageId: 'm-1' }, 'sent'],
  [{ kind: 'absent', provider: P0, next: RETRY }, 'retry-scheduled'],
  [{ kind: 'absent', provider: P0, next: { kind: 'failed', reason: 'enough' } }, 'failed'],
  [{ kind: 'replay', provider: P0, delayMs: 0 }, 'retry-scheduled'],
  [{ kind: 'declare', declaration: 'failover', provider: P1, delayMs: 0 }, 'retry-scheduled'],
  [{ kind: 'assume-sent', reason: 'the class says so' }, 'sent'],
  [{ kind: 'park', reason: 'nobody can tell' }, 'parked'],
  [{ kind: 'wait', delayMs: 1_000_000 }, 'unknown'],
];

export const unknownLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'calls a delivery unknown when its dispatch window passed without an outcome, not before, and never sends it blindly',
    async check(subject) {
      const s = await scene(subject);
      await s.begin();
      await s.elapse(15);
      assert.deepEqual((await s.sweep()).moved, []);
      assert.equal(only(await s.claim()).kind, 'held');
      await s.elapse(6);
      assert.deepEqual(
        (await s.sweep()).moved.map(({ id, state }) => [id, state]),
        [[s.id, 'unknown']],
      );
      assert.equal(only(await s.claim()).kind, 'unknown');
      assert.deepEqual(await s.claimDue(10), []);
    },
  },
  {
    law: 'hands out in the end whatever its sweep called unknown, at whichever moment that came',
    async check(subject) {
      // Around the end of the window, that very moment included: an index by time may not lose what is due when it is looked at.
      for (const units of [19, 20, 21]) {
        const s = await scene(subject, { key: `window-${units}` });
        await s.begin();
        await s.elapse(units);
        const seen = [await s.sweep()];
        await s.elapse(40);
        seen.push(await s.sweep(), await s.sweep());
        assert.ok(
          seen.some(({ unknown }) => unknown.some(({ id }) => id === s.id)),
          `never handed out after a sweep ${units} units into the window of 20`,
        );
      }
    },
  },
  {
    law: 'moves each lapsed window in one of two sweeps',
    async check(subject) {
      const s = await scene(subject, { recipients: 6 });
      for (const id of s.ids) await s.begin(id);
      await s.elapse(21);
      const results = await Promise.all([s.sweep(), s.sweep()]);
      const moved = results.flatMap((result) => result.moved.map(({ id }) => id));
      assert.deepEqual(moved.sort(), [...s.ids].sort());
    },
  },
  {
    law: 'hands an unknown delivery to one reconciler at a time, and again when it did not decide',
    async check(subject) {
      const s = await scene(subject);
      await s.begin();
      await s.elapse(21);
      const first = await s.sweep();
      const handedOut = first.unknown.length > 0 ? first.unknown : (await s.sweep()).unknown;
      assert.deepEqual(
        handedOut.map(({ id }) => id),
        [s.id],
      );
      await s.elapse(2);
      assert.deepEqual((await s.sweep()).unknown, []);
      await s.elapse(11);
      assert.deepEqual(
        (await s.sweep()).unknown.map(({ id }) => id),
        [s.id],
      );
    },
  },
  {
    law: 'moves and hands out no more than was asked for, and the rest with the next sweep',
    async check(subject) {
      const s = await scene(subject, { recipients: 7 });
      for (const id of s.ids) await s.begin(id);
      await s.elapse(21);
      const seen = { moved: new Set<string>(), unknown: new Set<string>() };
      for (let i = 0; i < 20; i += 1) {
        const { moved, unknown } = await s.sweep(2);
        assert.ok(moved.length <= 2 && unknown.length <= 2, `moved ${moved.length}, handed out ${unknown.length}`);
        for (const { id } of moved) seen.moved.add(id);
        for (const { id } of unknown) seen.unknown.add(id);
      }
      assert.deepEqual([seen.moved.size, seen.unknown.size], [7, 7]);
    },
  },
  {
    law: 'gives each decision of a reconciler its effect, under the fence that was read',
    async check(subject) {
      const s = await scene(subject, { recipients: DECISIONS.length });
      for (const [i, [decision, state]] of DECISIONS.entries()) {
        const id = s.ids[i] ?? '';
        await s.becomeUnknown(id);
        assert.equal(await s.reconcile(id, decision, (await s.record(id)).fence - 1), 'fenced');
        assert.equal((await s.record(id)).state, 'unknown');
        assert.equal(await s.reconcile(id, decision), 'moved');
        assert.equal((await s.record(id)).state, state, decision.kind);
      }
    },
  },
  {
    law: 'takes a decision once: a repeat is fenced and changes nothing',
    async check(subject) {
      const s = await scene(subject, { recipients: DECISIONS.length });
      for (const [i, [decision]] of DECISIONS.entries()) {
        if (decision.kind === 'wait') continue;
        const id = s.ids[i] ?? '';
        await s.becomeUnknown(id);
        const { fence } = await s.record(id);
        await s.reconcile(id, decision, fence);
        const before = await s.record(id);
        assert.equal(await s.reconcile(id, decision, fence), 'fenced', decision.kind);
        assert.deepEqual(await s.record(id), before);
      }
    },
  },
  {
    law: 'keeps the open attempt open and the message frozen through a replay',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'replay', provider: P0, delayMs: 0 });
      const { attempts } = await s.record();
      assert.notEqual(attempts[0]?.outcome?.kind, 'not-sent');
      const verdict = await s.mark(s.id, (await s.grant()).fence, { message: { text: 'another' } });
      assert.deepEqual(verdict.kind === 'go' && [verdict.attempt, verdict.message], [2, MESSAGE]);
    },
  },
  {
    law: 'writes a possible duplicate down before it can happen',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'declare', declaration: 'failover', provider: P1, delayMs: 0 });
      const { declarations, attempts, provider } = await s.record();
      assert.deepEqual(
        declarations.map(({ kind, afterAttempt, provider: to }) => [kind, afterAttempt, to]),
        [['failover', 1, P1]],
      );
      assert.deepEqual([attempts.length, provider], [1, P1]);
      await s.begin(s.id, { provider: P1, keyWindowMs: null });
    },
  },
  {
    law: 'closes by a counted absence the attempts at that provider alone',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'declare', declaration: 'failover', provider: P1, delayMs: 0 });
      await s.settle(await s.begin(s.id, { provider: P1 }), UNKNOWN);
      await s.reconcile(s.id, { kind: 'absent', provider: P0, next: RETRY });
      const { state, attempts } = await s.record();
      assert.deepEqual([state, attempts.map(({ outcome }) => outcome?.kind)], ['unknown', ['not-sent', 'unknown']]);
      await s.reconcile(s.id, { kind: 'absent', provider: P1, next: RETRY });
      assert.equal((await s.record()).state, 'retry-scheduled');
    },
  },
  {
    law: 'lets a late acceptance correct a counted absence',
    async check(subject) {
      const s = await scene(subject, { maxAttempts: 1 });
      const first = await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'absent', provider: P0, next: RETRY });
      assert.equal((await s.record()).state, 'dead');
      await s.settle(first, accepted('late'));
      assert.equal((await s.record()).state, 'sent');
    },
  },
  {
    law: 'counts what it assumed apart, until somebody proves it',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'assume-sent', reason: 'the class says so' });
      assert.deepEqual([(await s.record()).assumed, (await s.ledger.count()).assumed], [true, 1]);
      await s.settle(first, accepted('proof'));
      assert.deepEqual([(await s.record()).assumed, (await s.ledger.count()).assumed], [false, 0]);
    },
  },
  {
    law: 'moves on an unknown delivery when its last open attempt is closed by evidence',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.becomeUnknown();
      await s.settle(first, NOT_SENT);
      assert.equal((await s.record()).state, 'retry-scheduled');
      await s.begin();
    },
  },
  {
    law: 'tells the time and whether it ever lost its memory with each sweep',
    async check(subject) {
      const s = await scene(subject);
      const { nowMs, epochChangedAt } = await s.sweep();
      await s.elapse(2);
      const passed = (await s.sweep()).nowMs - nowMs;
      assert.ok(passed >= subject.unitMs, `${passed} ms passed`);
      assert.equal(epochChangedAt, null);
    },
  },
  {
    law: 'is not moved by a find that names an attempt which was never made',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'found', attempt: 7, providerMessageId: 'm-7' });
      const { state, attempts } = await s.record();
      assert.deepEqual([state, attempts.length], ['unknown', 1]);
    },
  },
];
