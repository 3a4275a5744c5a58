import assert from 'node:assert/strict';
import type { DeliveryVerdict } from '../../ports/ledger.ts';
import type { Law } from '../contract.ts';
import { accepted, byIds, NOT_SENT, only, scene, type LedgerSubject, type Scene } from './scene.ts';

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
    law: 'says that a delivery is held and for how long, and grants it again once the lease has lapsed',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.grant();
      const held = only(await s.claim());
      assert.ok(held.kind === 'held' && held.remainingMs > 0 && held.remainingMs <= s.leaseMs, JSON.stringify(held));
      await s.elapse(11);
      const second = await s.grant();
      assert.ok(second.fence > first.fence);
    },
  },
  {
    law: 'fences off whoever lost the lease: no mark, renewal or release of theirs is taken',
    async check(subject) {
      const s = await scene(subject);
      const { fence } = await s.grant();
      await s.elapse(11);
      const second = await s.grant();
      const before = await s.record();
      assert.equal((await s.mark(s.id, fence)).kind, 'fenced');
      assert.equal(only(await s.ledger.renew([{ id: s.id, fence }], s.leaseMs)).kind, 'fenced');
      assert.equal(only(await s.ledger.release([{ id: s.id, fence, delayMs: 0, failure: null }])).kind, 'fenced');
      assert.deepEqual(await s.record(), before);
      assert.equal((await s.mark(s.id, second.fence)).kind, 'go');
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
    law: 'hands out due work without being told ids, the longest due first, and no more than asked',
    async check(subject) {
      const s = await scene(subject, { recipients: 4 });
      const delays = [30, 10, 40, 20];
      for (const [i, id] of s.ids.entries())
        await s.ledger.release([
          { id, fence: (await s.grant(id)).fence, delayMs: subject.unitMs * (delays[i] ?? 0), failure: null },
        ]);
      assert.deepEqual(await s.claimDue(10), []);
      await s.elapse(35);
      assert.deepEqual(
        (await s.claimDue(2)).map(({ id }) => id),
        [s.ids[1], s.ids[3]],
      );
      assert.deepEqual(
        (await s.claimDue(10)).map(({ id }) => id),
        [s.ids[0]],
      );
    },
  },
  {
    law: 'leaves alone what has not been due for as long as was asked',
    async check(subject) {
      const s = await scene(subject);
      assert.deepEqual(await s.claimDue(10, { lateMs: subject.unitMs * 5 }), []);
      await s.elapse(6);
      assert.equal((await s.claimDue(10, { lateMs: subject.unitMs * 5 })).length, 1);
    },
  },
  {
    law: 'hands out again, as due work, what a dead worker left behind',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      await s.claimDue(10);
      assert.deepEqual(await s.claimDue(10), []);
      await s.elapse(11);
      assert.deepEqual((await s.claimDue(10)).map(({ id }) => id).sort(), [...s.ids].sort());
    },
  },
  {
    law: 'shares due work between claimers without an overlap or a rest',
    async check(subject) {
      const s = await scene(subject, { recipients: 20 });
      const batches = await Promise.all([s.claimDue(7), s.claimDue(7), s.claimDue(7)]);
      const granted = batches.flat().map(({ id }) => id);
      // A claimer may pass over what another is just taking, so what is left is asked for once more.
      granted.push(...(await s.claimDue(20)).map(({ id }) => id));
      assert.deepEqual(granted.sort(), [...s.ids].sort());
    },
  },
  {
    law: 'repeats a claim of due work under the same request: what it granted before, nothing new',
    async check(subject) {
      const s = await scene(subject, { recipients: 4 });
      const first = await s.claimDue(2, { requestId: 'the same' });
      const second = await s.claimDue(2, { requestId: 'the same' });
      const byId = (verdicts: typeof first) => [...verdicts].sort((x, y) => (x.id < y.id ? -1 : 1));
      assert.deepEqual(byId(second), byId(first));
      assert.equal((await s.claimDue(10)).length, 2);
    },
  },
  {
    law: 'renews a lease from now on, for its holder',
    async check(subject) {
      const s = await scene(subject);
      const { fence } = await s.grant();
      await s.elapse(6);
      assert.equal(only(await s.ledger.renew([{ id: s.id, fence }], s.leaseMs)).kind, 'ok');
      await s.elapse(6);
      assert.equal(only(await s.claim()).kind, 'held');
      assert.equal((await s.mark(s.id, fence)).kind, 'go');
    },
  },
  {
    law: 'never moves the dispatch window by a renewal',
    async check(subject) {
      const s = await scene(subject);
      const { fence } = await s.begin();
      const before = await s.record();
      assert.equal(only(await s.ledger.renew([{ id: s.id, fence }], s.leaseMs * 100)).kind, 'fenced');
      assert.deepEqual(await s.record(), before);
    },
  },
  {
    law: 'takes work back at once when it is released, and a second release is fenced',
    async check(subject) {
      const s = await scene(subject);
      const { fence } = await s.grant();
      const release = { id: s.id, fence, delayMs: 0, failure: null };
      assert.equal(only(await s.ledger.release([release])).kind, 'ok');
      assert.equal(only(await s.ledger.release([release])).kind, 'fenced');
      assert.ok((await s.grant()).fence > fence);
    },
  },
  {
    law: 'fails a delivery whose content threw as often as it may be tried, with the reason',
    async check(subject) {
      const s = await scene(subject, { maxAttempts: 3 });
      const answers: string[] = [];
      for (let i = 0; i < 3; i += 1) {
        const { fence } = await s.grant();
        const release = { id: s.id, fence, delayMs: 0, failure: 'the template is broken' };
        answers.push(only(await s.ledger.release([release])).kind);
      }
      assert.deepEqual(answers, ['ok', 'ok', 'settled']);
      const { state, reason, attempts } = await s.record();
      assert.deepEqual([state, reason, attempts.length], ['failed', 'the template is broken', 0]);
    },
  },
  {
    law: 'ends a delivery that keeps killing its process as dead, reason poison, and delays nobody else',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const [poison = '', other = ''] = s.ids;
      let grants = 0;
      for (; grants < 20 && only(await s.claim([poison])).kind === 'granted'; grants += 1) await s.elapse(11);
      assert.equal(grants, 5);
      const { state, reason } = await s.record(poison);
      assert.equal(state, 'dead');
      assert.match(reason ?? '', /poison/);
      await s.grant(other);
    },
  },
  {
    law: 'condemns nobody for its neighbour: what shares a batch with a poisonous delivery is sent all the same',
    async check(subject) {
      const s = await scene(subject, { recipients: 12 });
      const [poison = '', ...others] = s.ids;
      for (let rounds = 0; rounds < 60 && (await s.record(poison)).state !== 'dead'; rounds += 1) {
        const granted = await s.claimDue(20);
        // Whoever holds the poison dies with all that it holds.
        if (granted.some(({ id }) => id === poison)) await s.elapse(11);
        else if (granted.length === 0) await s.elapse(2);
        else await sendAll(s, granted);
      }
      assert.match((await s.record(poison)).reason ?? '', /poison/);
      await s.elapse(11);
      for (let rounds = 0; rounds < 20; rounds += 1) await sendAll(s, await s.claimDue(20));
      const states = (await s.ledger.find(others)).map((record) => record?.state);
      assert.deepEqual(
        states,
        others.map(() => 'sent'),
      );
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
    law: 'does not count a lease that was released or marked towards poison',
    async check(subject) {
      const s = await scene(subject, { maxAttempts: 20 });
      for (let i = 0; i < 4; i += 1) {
        await s.grant();
        await s.elapse(11);
      }
      const { fence } = await s.grant();
      await s.ledger.release([{ id: s.id, fence, delayMs: 0, failure: null }]);
      for (let i = 0; i < 4; i += 1) {
        await s.grant();
        await s.elapse(11);
      }
      await s.settle(await s.begin(), NOT_SENT);
      await s.grant();
      assert.equal((await s.record()).lapses, 0);
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

async function sendAll(s: Scene, verdicts: readonly DeliveryVerdict[]): Promise<void> {
  for (const verdict of verdicts) {
    if (verdict.kind !== 'granted') continue;
    const { id, fence } = verdict;
    const marked = await s.mark(id, fence);
    if (marked.kind === 'go')
      await s.settle({ id, fence, attempt: marked.attempt, provider: 'first' }, accepted(`m-${id}`));
  }
}
