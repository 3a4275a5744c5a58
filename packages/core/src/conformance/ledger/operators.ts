import assert from 'node:assert/strict';
import type { ReplayRequest, ReplayVerdict } from '../../ports/ledger.ts';
import type { Law } from '../contract.ts';
import {
  accepted,
  byIds,
  newNotification,
  NOT_SENT,
  NOTE,
  only,
  P0,
  scene,
  target,
  type LedgerSubject,
  type Scene,
} from './scene.ts';

export const operatorLaws: readonly Law<LedgerSubject>[] = [
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
    law: 'replays a dead letter as the next generation, which names the one it replaces, and by whom and why',
    async check(subject) {
      const s = await scene(subject);
      await s.fail();
      const verdict = await replay(s);
      assert.ok(verdict.kind === 'replayed');
      assert.equal(verdict.possibleDuplicate, false);
      const [old, next] = await s.ledger.find([s.id, verdict.id]);
      assert.equal(old?.replacedBy, verdict.id);
      const { generation, replaces, operator, state, attempts, charged } = next ?? {};
      assert.deepEqual([generation, replaces, operator, state], [1, s.id, NOTE, 'queued']);
      assert.deepEqual([attempts, charged, next?.target], [[], 0, target(0)]);
      await s.settle(await s.begin(verdict.id), accepted('m'));
      assert.equal((await s.record(verdict.id)).state, 'sent');
    },
  },
  {
    law: 'makes one generation of a replay that is asked for twice, one after the other or at once',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const [a = '', b = ''] = s.ids;
      for (const id of s.ids) await s.fail(id);
      const verdicts = [await replay(s, a), await replay(s, a), ...(await Promise.all([replay(s, b), replay(s, b)]))];
      assert.deepEqual(verdicts.map(({ kind }) => kind).sort(), ['repeated', 'repeated', 'replayed', 'replayed']);
      const ids = verdicts.map((verdict) => ('id' in verdict ? verdict.id : ''));
      assert.deepEqual([ids[0], ids[2]], [ids[1], ids[3]]);
      assert.equal((await s.ledger.count()).deliveries.queued, 2);
    },
  },
  {
    law: 'declares a possible duplicate when it replays a delivery with an open attempt',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'park', reason: 'nobody can tell' });
      const verdict = await replay(s);
      assert.ok(verdict.kind === 'replayed' && verdict.possibleDuplicate);
      assert.deepEqual(
        (await s.record(verdict.id)).declarations.map(({ kind }) => kind),
        ['replay-generation'],
      );
    },
  },
  {
    law: 'refuses to replay what is no dead letter, cancelled, opted out of or expired',
    async check(subject) {
      const s = await scene(subject, { recipients: 4, expiresInUnits: 50 });
      const [queued = '', sent = '', optedOut = '', expired = ''] = s.ids;
      await s.settle(await s.begin(sent), accepted('m'));
      await s.fail(optedOut);
      await s.fail(expired);
      await s.ledger.suppress([
        { tenant: 'default', recipientId: 'r2@example.com', topic: '*', channel: '*', suppressed: true, ...NOTE },
      ]);
      for (const id of [queued, sent, optedOut]) assert.equal((await replay(s, id)).kind, 'refused', id);
      await s.elapse(51);
      assert.equal((await replay(s, expired)).kind, 'refused');
      assert.equal((await replay(s, 'd_none')).kind, 'absent');
    },
  },
  {
    law: 'counts automatic redrives along the line of generations',
    async check(subject) {
      const s = await scene(subject);
      await s.fail();
      const first = await replay(s, s.id, { automatic: true });
      assert.ok(first.kind === 'replayed');
      await s.fail(first.id);
      const second = await replay(s, first.id, { automatic: true });
      assert.ok(second.kind === 'replayed');
      assert.deepEqual([(await s.record(first.id)).redrives, (await s.record(second.id)).redrives], [1, 2]);
    },
  },
  {
    law: 'sends a forced generation although an earlier one was sent, and no other',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const kinds: string[] = [];
      for (const [i, forced] of [false, true].entries()) {
        const id = s.ids[i] ?? '';
        const first = await s.becomeUnknown(id);
        await s.reconcile(id, { kind: 'park', reason: 'nobody can tell' });
        const replayed = await replay(s, id, { forced });
        assert.ok(replayed.kind === 'replayed');
        await s.settle(first, accepted(`late-${i}`));
        kinds.push((await s.mark(replayed.id, (await s.grant(replayed.id)).fence)).kind);
      }
      assert.notEqual(kinds[0], 'go');
      assert.equal(kinds[1], 'go');
    },
  },
];

async function replay(s: Scene, id = s.id, patch: Partial<ReplayRequest> = {}): Promise<ReplayVerdict> {
  return only(await s.ledger.replay([{ id, forced: false, automatic: false, ...NOTE, ...patch }]));
}
