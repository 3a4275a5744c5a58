import assert from 'node:assert/strict';
import { providerKey } from '../../model/keys.ts';
import type { Law } from '../contract.ts';
import { MESSAGE, NOT_SENT, NOTE, P0, P1 } from './requests.ts';
import { scene, type Go } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

export const markingLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'has the attempt on record before it answers go',
    async check(subject) {
      const s = await scene(subject);
      const { fence } = await s.begin();
      const { state, attempts, charged, dispatchUntil, leaseUntil } = await s.record();
      assert.deepEqual([state, charged, leaseUntil, attempts.length], ['dispatching', 1, null, 1]);
      const [attempt] = attempts;
      const { markedAt = 0, sendDeadline = 0, ...rest } = attempt ?? {};
      const key = providerKey(s.id, P0);
      const fresh = { outcome: null, arrival: null, charged: true, presumed: false };
      assert.deepEqual(rest, { n: 1, provider: P0, key, fence, ...fresh });
      assert.equal(sendDeadline - markedAt, s.dispatchMs - subject.unitMs * 2);
      assert.equal((dispatchUntil ?? 0) - (attempt?.markedAt ?? 0), s.dispatchMs);
    },
  },
  {
    law: 'answers the same attempt when a mark is repeated, and counts one',
    async check(subject) {
      const s = await scene(subject);
      const { fence } = await s.grant();
      const verdicts = [await s.mark(s.id, fence), await s.mark(s.id, fence)];
      assert.deepEqual(
        verdicts.map((verdict) => verdict.kind === 'go' && verdict.attempt),
        [1, 1],
      );
      assert.equal((await s.record()).attempts.length, 1);
    },
  },
  {
    law: 'marks only what is held: not without a claim, not after the lease, not for another provider',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      const [a = '', b = '', c = ''] = s.ids;
      const lapsed = await s.grant(b);
      await s.elapse(11);
      const { fence } = await s.grant(c);
      const kinds = [
        await s.mark('d_none', 1),
        await s.mark(a, 0),
        await s.mark(b, lapsed.fence),
        await s.mark(c, fence + 1),
        await s.mark(c, fence, { provider: P1 }),
      ].map(({ kind }) => kind);
      assert.deepEqual(kinds, ['fenced', 'fenced', 'fenced', 'fenced', 'fenced']);
      for (const id of s.ids) assert.deepEqual((await s.record(id)).attempts, []);
    },
  },
  {
    law: 'leaves as long to send as the dispatch window less its margin, and never past the expiry',
    async check(subject) {
      const s = await scene(subject, { recipients: 2, expiresInUnits: 15 });
      const first = await s.mark(s.ids[0] ?? '', (await s.grant(s.ids[0])).fence, { dispatchMs: subject.unitMs * 8 });
      const second = await s.mark(s.ids[1] ?? '', (await s.grant(s.ids[1])).fence);
      assert.ok((first as Go).sendWithinMs <= subject.unitMs * 6, `within ${(first as Go).sendWithinMs}`);
      assert.ok((first as Go).sendWithinMs > subject.unitMs * 4, `within ${(first as Go).sendWithinMs}`);
      const { expiresAt, attempts } = await s.record(s.ids[1]);
      assert.equal(attempts[0]?.sendDeadline, expiresAt);
      assert.ok((second as Go).sendWithinMs <= subject.unitMs * 15);
    },
  },
  {
    law: 'freezes the message by the first mark: every later one hands out the same',
    async check(subject) {
      const s = await scene(subject);
      await s.settle(await s.begin(), NOT_SENT);
      const again = await s.mark(s.id, (await s.grant()).fence, { message: { subject: 'Another', text: 'thing' } });
      assert.deepEqual(again.kind === 'go' && again.message, MESSAGE);
      assert.deepEqual((await s.record()).message, MESSAGE);
    },
  },
  {
    law: 'never marks again what a provider has accepted',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'replay', provider: P0, delayMs: 0 });
      const { fence } = await s.grant();
      await s.settle(first, { kind: 'accepted', providerMessageId: 'late' });
      assert.equal((await s.mark(s.id, fence)).kind, 'settled');
      assert.deepEqual([(await s.record()).state, (await s.record()).attempts.length], ['sent', 1]);
    },
  },
  {
    law: 'marks beside an open attempt only with the same key inside its window, or with a declaration for that mark',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      for (const id of s.ids) await s.becomeUnknown(id);
      const [same = '', other = '', none = ''] = s.ids;
      for (const id of s.ids) await s.reconcile(id, { kind: 'replay', provider: P0, delayMs: 0 });
      const fences = new Map(
        (await s.claim()).map((verdict) => [verdict.id, verdict.kind === 'granted' ? verdict.fence : 0]),
      );
      const kinds = [
        await s.mark(same, fences.get(same) ?? 0),
        await s.mark(other, fences.get(other) ?? 0, { key: 'k_another' }),
        await s.mark(none, fences.get(none) ?? 0, { keyWindowMs: null }),
      ].map(({ kind }) => kind);
      assert.deepEqual(kinds, ['go', 'window-closed', 'window-closed']);
      assert.equal((await s.record(other)).state, 'unknown');
    },
  },
  {
    law: 'lets a declaration cover exactly one mark',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'declare', declaration: 'resend', provider: P0, delayMs: 0 });
      await s.begin(s.id, { keyWindowMs: null });
      await s.elapse(21);
      await s.sweep();
      await s.reconcile(s.id, { kind: 'replay', provider: P0, delayMs: 0 });
      assert.equal((await s.mark(s.id, (await s.grant()).fence, { keyWindowMs: null })).kind, 'window-closed');
    },
  },
  {
    law: 'answers marks in the order of the batch, each with its own verdict',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      const [a = '', b = '', c = ''] = s.ids;
      const grants = new Map(
        (await s.claim()).map((verdict) => [verdict.id, verdict.kind === 'granted' ? verdict.fence : 0]),
      );
      await s.ledger.cancel([{ id: b, ...NOTE }]);
      const requests = await Promise.all(
        [c, b, 'd_none', a, c].map(async (id) => ({
          id,
          fence: grants.get(id) ?? 0,
          provider: P0,
          key: `k_${id}`,
          keyWindowMs: null,
          message: { text: `for ${id}` },
          dispatchMs: s.dispatchMs,
          sendMarginMs: 0,
        })),
      );
      const verdicts = await s.ledger.mark(requests);
      assert.deepEqual(
        verdicts.map(({ id }) => id),
        [c, b, 'd_none', a, c],
      );
      assert.notEqual(verdicts[1]?.kind, 'go');
      assert.deepEqual(
        [verdicts[0], verdicts[2], verdicts[3], verdicts[4]].map((verdict) => verdict?.kind),
        ['go', 'fenced', 'go', 'go'],
      );
      assert.deepEqual(verdicts[0]?.kind === 'go' && verdicts[0].message, { text: `for ${c}` });
      assert.deepEqual((await s.record(c)).attempts.length, 1);
    },
  },
];
