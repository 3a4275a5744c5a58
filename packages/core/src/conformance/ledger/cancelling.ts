import assert from 'node:assert/strict';
import type { Law } from '../contract.ts';
import { accepted, byIds, newNotification, NOT_SENT, NOTE, only, P0, target } from './requests.ts';
import { scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

export const cancellingLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'cancels at once what nobody has marked, and answers the same again',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const [queued = '', held = ''] = s.ids;
      const { fence } = await s.grant(held);
      for (const id of [queued, held, queued]) {
        const [verdict] = await s.ledger.cancel([{ id, ...NOTE }]);
        assert.deepEqual(verdict, { kind: 'cancelled', tooLate: [] });
      }
      assert.notEqual((await s.mark(held, fence)).kind, 'go');
      assert.deepEqual(
        (await s.ledger.find(s.ids)).map((record) => record?.state),
        ['cancelled', 'cancelled'],
      );
    },
  },
  {
    law: 'answers too late once an attempt is open, tries no more, and leaves it to its outcome',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      const marked = [];
      for (const id of s.ids) {
        marked.push(await s.begin(id));
        assert.equal(only(await s.ledger.cancel([{ id, ...NOTE }])).kind, 'too-late');
        const { state, forbidden } = await s.record(id);
        assert.deepEqual([state, forbidden], ['dispatching', 'cancelled']);
      }
      await s.settle(marked[0]!, accepted('m-0'));
      await s.settle(marked[1]!, NOT_SENT);
      await s.elapse(21);
      await s.sweep();
      await s.reconcile(s.ids[2] ?? '', { kind: 'replay', provider: P0, delayMs: 0 });
      const states = (await s.ledger.find(s.ids)).map((record) => record?.state);
      assert.deepEqual(states, ['sent', 'cancelled', 'parked']);
      assert.deepEqual(await s.claimDue(10), []);
    },
  },
  {
    law: 'cancels a notification with all its deliveries, and names those that it is too late for',
    async check(subject) {
      const s = await scene(subject, { recipients: 4 });
      const [waiting = '', open = '', sent = '', failed = ''] = s.ids;
      await s.begin(open);
      await s.settle(await s.begin(sent), accepted('m'));
      await s.fail(failed);
      const verdict = only(await s.ledger.cancel([{ id: s.notification, ...NOTE }]));
      assert.ok(verdict.kind === 'cancelled');
      assert.deepEqual([...verdict.tooLate].filter((id) => id !== failed).sort(), [open, sent].sort());
      assert.equal((await s.record(waiting)).state, 'cancelled');
      assert.equal((await s.notificationRecord()).state, 'cancelled');
      const again = only(await s.ledger.cancel([{ id: s.notification, ...NOTE }]));
      assert.deepEqual(again, verdict);
    },
  },
  {
    law: 'never expands a notification that was cancelled',
    async check({ ledger, unitMs }) {
      const request = newNotification('cancelled', { page: [target(0)] });
      await ledger.accept([request]);
      assert.deepEqual(await ledger.cancel([{ id: request.id, ...NOTE }]), [{ kind: 'cancelled', tooLate: [] }]);
      const lease = { owner: 'worker', requestId: 'cancelled', leaseMs: unitMs * 10 };
      assert.equal(only(await ledger.claimNotifications(byIds([request.id]), lease)).kind, 'settled');
      assert.deepEqual(await ledger.claimNotifications({ due: 10, lateMs: 0 }, { ...lease, requestId: 'due' }), []);
    },
  },
  {
    law: 'answers too late for a notification that is done, and absent for what it does not know',
    async check(subject) {
      const s = await scene(subject);
      await s.fail();
      await s.sweep();
      const verdicts = await s.ledger.cancel([s.notification, 'd_none', 'n_none'].map((id) => ({ id, ...NOTE })));
      assert.deepEqual(
        verdicts.map(({ kind }) => kind),
        ['too-late', 'absent', 'absent'],
      );
    },
  },
  {
    law: 'names with an opt-out the deliveries that may be out already, and no others',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const optOut = { tenant: 'default', topic: '*', channel: '*', suppressed: true, ...NOTE } as const;
      await s.begin(s.ids[0]);
      const verdicts = await s.ledger.suppress([
        { ...optOut, recipientId: 'r0@example.com' },
        { ...optOut, recipientId: 'r1@example.com' },
      ]);
      assert.deepEqual(verdicts, [{ tooLate: [s.ids[0]] }, { tooLate: [] }]);
    },
  },
  {
    law: 'tries no more after an opt-out, and leaves the open attempt to its outcome',
    async check(subject) {
      const s = await scene(subject);
      const marked = await s.begin();
      const optOut = { tenant: 'default', recipientId: 'r0@example.com', topic: 'laws', channel: '*' } as const;
      await s.ledger.suppress([{ ...optOut, suppressed: true, ...NOTE }]);
      await s.settle(marked, NOT_SENT);
      const granted = only(await s.claim());
      if (granted.kind === 'granted') assert.equal((await s.mark(s.id, granted.fence)).kind, 'suppressed');
      assert.equal((await s.record()).state, 'suppressed');
    },
  },
  {
    law: 'tries no more after a cancel, whichever way a reconciler wanted to try again',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const decisions = [
        { kind: 'replay', provider: P0, delayMs: 0 },
        { kind: 'declare', declaration: 'resend', provider: P0, delayMs: 0 },
      ] as const;
      for (const [i, decision] of decisions.entries()) {
        const id = s.ids[i] ?? '';
        await s.becomeUnknown(id);
        assert.equal(only(await s.ledger.cancel([{ id, ...NOTE }])).kind, 'too-late');
        await s.reconcile(id, decision);
        assert.equal((await s.record(id)).state, 'parked', decision.kind);
      }
    },
  },
  {
    law: 'answers a cancel of what is over by what became of it: too late, or as good as cancelled',
    async check(subject) {
      const s = await scene(subject, { recipients: 4, expiresInUnits: 200 });
      const [sent = '', failed = '', suppressed = '', expired = ''] = s.ids;
      await s.settle(await s.begin(sent), accepted('m'));
      await s.fail(failed);
      const optOut = { tenant: 'default', recipientId: 'r2@example.com', topic: '*', channel: '*', suppressed: true };
      const { fence } = await s.grant(suppressed);
      await s.ledger.suppress([{ ...optOut, channel: '*', ...NOTE }]);
      await s.mark(suppressed, fence);
      await s.elapse(201);
      await s.mark(expired, (await s.grant(expired)).fence);
      const verdicts = await s.ledger.cancel(s.ids.map((id) => ({ id, ...NOTE })));
      assert.deepEqual(
        verdicts.map(({ kind }) => kind),
        ['too-late', 'too-late', 'cancelled', 'cancelled'],
      );
    },
  },
];
