import assert from 'node:assert/strict';
import type { ReplayRequest, ReplayVerdict } from '../../ports/ledger.ts';
import type { Law } from '../contract.ts';
import { accepted, NOTE, only, target } from './requests.ts';
import { scene, type Scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

export const replayLaws: readonly Law<LedgerSubject>[] = [
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
      const { lapses, failures, forbidden, assumed, reason, replacedBy, settledAt, owner } = next ?? {};
      assert.deepEqual([lapses, failures, forbidden, assumed, reason], [0, 0, null, false, null]);
      assert.deepEqual([replacedBy, settledAt, owner], [null, null, null]);
      assert.ok((next?.createdAt ?? 0) >= (old?.settledAt ?? Infinity));
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
  {
    law: 'replays a poisonous delivery with a clean record, and nothing of a notification that was cancelled',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const [poison = '', other = ''] = s.ids;
      for (let i = 0; i < 5; i += 1) {
        await s.grant(poison);
        await s.elapse(11);
      }
      await s.claim([poison]);
      const verdict = await replay(s, poison);
      assert.ok(verdict.kind === 'replayed');
      assert.deepEqual([(await s.record(poison)).lapses, (await s.record(verdict.id)).lapses], [5, 0]);
      await s.fail(other);
      await s.ledger.cancel([{ id: s.notification, ...NOTE }]);
      assert.equal((await replay(s, other)).kind, 'refused');
    },
  },
];

async function replay(s: Scene, id = s.id, patch: Partial<ReplayRequest> = {}): Promise<ReplayVerdict> {
  return only(await s.ledger.replay([{ id, forced: false, automatic: false, ...NOTE, ...patch }]));
}
