import assert from 'node:assert/strict';
import type { Law } from '../contract.ts';
import { NOT_SENT, only } from './requests.ts';
import { scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

export const leaseLaws: readonly Law<LedgerSubject>[] = [
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
      assert.equal((await s.record()).state, 'queued');
      await s.settle(await s.begin(), NOT_SENT);
      const again = await s.grant();
      assert.ok(again.fence > fence);
      await s.ledger.release([{ ...release, fence: again.fence }]);
      assert.equal((await s.record()).state, 'retry-scheduled');
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
];
