import assert from 'node:assert/strict';
import type { Law } from '../contract.ts';
import { byIds, only } from './requests.ts';
import { scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

export const claimingLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'grants each delivery to one of two claimers',
    async check(subject) {
      const s = await scene(subject, { recipients: 10 });
      const both = await Promise.all([s.claim(), s.claim([...s.ids].reverse())]);
      const granted = both.flat().filter(({ kind }) => kind === 'granted');
      assert.deepEqual(granted.map(({ id }) => id).sort(), [...s.ids].sort());
      assert.equal(both.flat().filter(({ kind }) => kind === 'held').length, 10);
    },
  },
  {
    law: 'answers claims in the order of the request, whatever their order and their doubles',
    async check(subject) {
      const s = await scene(subject, { recipients: 4 });
      const [a = '', b = '', c = '', d = ''] = s.ids;
      const asked = [d, b, 'd_none', b, a, d, c];
      const verdicts = await s.claim(asked);
      assert.deepEqual(
        verdicts.map(({ id }) => id),
        asked,
      );
      assert.deepEqual(verdicts[3], verdicts[1]);
      assert.deepEqual(verdicts[5], verdicts[0]);
      assert.equal(verdicts[2]?.kind, 'absent');
    },
  },
  {
    law: 'gives every grant a higher fence than any before it on that delivery',
    async check(subject) {
      const s = await scene(subject);
      let last = -1;
      for (let i = 0; i < 5; i += 1) {
        const { fence } = await s.grant();
        assert.ok(Number.isSafeInteger(fence) && fence > last, `fence ${fence} after ${last}`);
        last = fence;
        await s.ledger.release([{ id: s.id, fence, delayMs: 0, failure: null }]);
      }
    },
  },
  {
    law: 'grants nothing to a late copy of a claim that was granted and given back',
    async check(subject) {
      const s = await scene(subject);
      const lease = { owner: 'w', requestId: 'once', leaseMs: subject.unitMs * 100 };
      const selector = { ids: [s.id], agesMs: [0], strayAfterMs: subject.unitMs * 100 };
      const first = only(await s.ledger.claim(selector, lease));
      assert.ok(first.kind === 'granted', first.kind);
      await s.ledger.release([{ id: s.id, fence: first.fence, delayMs: 0, failure: null }]);
      const late = only(await s.ledger.claim(selector, lease));
      assert.notEqual(late.kind, 'granted');
      assert.equal((await s.record()).fence, first.fence);
      await s.grant();
    },
  },
  {
    law: 'says when a delivery is due later, and grants it then',
    async check(subject) {
      const s = await scene(subject);
      const { fence } = await s.grant();
      await s.ledger.release([{ id: s.id, fence, delayMs: subject.unitMs * 10, failure: null }]);
      const later = only(await s.claim());
      assert.ok(
        later.kind === 'later' && later.dueInMs > 0 && later.dueInMs <= subject.unitMs * 10,
        JSON.stringify(later),
      );
      await s.elapse(11);
      await s.grant();
    },
  },
  {
    law: 'says what is settled, unknown or being sent, and grants none of it',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      const [a = '', b = '', c = ''] = s.ids;
      await s.fail(a);
      await s.becomeUnknown(b);
      await s.begin(c);
      assert.deepEqual(
        (await s.claim()).map(({ kind }) => kind),
        ['settled', 'unknown', 'held'],
      );
    },
  },
  {
    law: 'lists a wake without a record as stray, but only once it is older than an add can take',
    async check(subject) {
      const { ledger } = subject;
      const lease = { owner: 'worker', requestId: 'strays', leaseMs: 1_000 };
      const selector = { ids: ['d_young', 'd_old'], strayAfterMs: 500, agesMs: [100, 501] };
      const verdicts = await ledger.claim(selector, lease);
      assert.deepEqual(
        verdicts.map(({ kind }) => kind),
        ['absent', 'stray'],
      );
      await ledger.claim(selector, { ...lease, requestId: 'strays again' });
      assert.equal((await ledger.count()).strays, 1);
    },
  },
  {
    law: 'repeats a claim under the same request without writing: the same grant, the same fence, the same lease',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      const first = await s.claim(s.ids, 'the same');
      await s.elapse(2);
      const second = await s.claim(s.ids, 'the same');
      assert.deepEqual(second, first);
    },
  },
  {
    law: 'grants nothing to a late copy of a claim once the delivery was marked, settled or taken over',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      const [a = '', b = '', c = ''] = s.ids;
      await s.claim(s.ids, 'the same');
      const records = await s.ledger.find(s.ids);
      const fences = records.map((record) => record?.fence ?? 0);
      await s.mark(a, fences[0] ?? 0);
      await s.mark(b, fences[1] ?? 0);
      await s.settle(
        { id: b, fence: fences[1] ?? 0, attempt: 1, provider: 'first' },
        { kind: 'accepted', providerMessageId: 'm' },
      );
      await s.elapse(11);
      const taken = await s.grant(c, 'another');
      const before = await s.ledger.find(s.ids);
      const kinds = (await s.claim(s.ids, 'the same')).map(({ kind }) => kind);
      assert.deepEqual(kinds, ['held', 'settled', 'held']);
      assert.deepEqual(await s.ledger.find(s.ids), before);
      assert.equal((await s.mark(c, taken.fence)).kind, 'go');
    },
  },
  {
    law: 'takes no more suspects with a repeat of a claim than the claim took itself',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      for (let i = 0; i < 2; i += 1) {
        await s.claim();
        await s.elapse(11);
      }
      const first = await s.claim(s.ids, 'the same');
      assert.deepEqual(await s.claim(s.ids, 'the same'), first);
    },
  },
  {
    law: 'takes empty batches',
    async check({ ledger }) {
      const lease = { owner: 'worker', requestId: 'nothing', leaseMs: 1_000 };
      assert.deepEqual(await ledger.claim(byIds([]), lease), []);
      assert.deepEqual(await ledger.renew([], 1_000), []);
      assert.deepEqual(await ledger.release([]), []);
      assert.deepEqual(await ledger.mark([]), []);
      assert.deepEqual(await ledger.settle([]), []);
      assert.deepEqual(await ledger.reconcile([]), []);
      assert.deepEqual(await ledger.record([]), []);
      assert.deepEqual(await ledger.find([]), []);
    },
  },
];
