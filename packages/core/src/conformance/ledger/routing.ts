import assert from 'node:assert/strict';
import type { Law } from '../contract.ts';
import { add, claim, delivery, NOTIFICATION, open } from './expanding.ts';
import { MESSAGE, newNotification, only, P0, target } from './requests.ts';
import { scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

export const routingLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'grants a notification to one of two claimers',
    async check(subject) {
      await subject.ledger.accept([newNotification('fan-out', { page: [target(0)] })]);
      const verdicts = await Promise.all([claim(subject), claim(subject)]);
      assert.deepEqual(verdicts.map(({ kind }) => kind).sort(), ['granted', 'held']);
    },
  },
  {
    law: 'repeats the claim of a notification under the same request without writing',
    async check(subject) {
      await subject.ledger.accept([newNotification('fan-out', { page: [target(0)] })]);
      const first = await claim(subject, 'the same');
      const second = await claim(subject, 'the same');
      assert.ok(first.kind === 'granted' && second.kind === 'granted');
      assert.deepEqual(second.record, first.record);
    },
  },
  {
    law: 'renews the lease of a notification for its holder alone',
    async check(subject) {
      const { fence } = await open(subject, [[0]]);
      const { ledger, unitMs, elapse } = subject;
      await elapse(unitMs * 6);
      assert.deepEqual(await ledger.renew([{ id: NOTIFICATION, fence }], unitMs * 10), [{ kind: 'ok' }]);
      await elapse(unitMs * 6);
      assert.equal((await claim(subject)).kind, 'held');
      assert.deepEqual(await ledger.renew([{ id: NOTIFICATION, fence: fence - 1 }], unitMs * 10), [{ kind: 'fenced' }]);
    },
  },
  {
    law: 'fails a notification whose route threw too often, with the reason',
    async check(subject) {
      await subject.ledger.accept([newNotification('fan-out', { recipients: 'route' })]);
      const answers: string[] = [];
      for (let i = 0; i < 20 && answers.at(-1) !== 'settled'; i += 1) {
        const claimed = await claim(subject);
        assert.ok(claimed.kind === 'granted');
        const request = { id: NOTIFICATION, fence: claimed.fence, delayMs: 0, failure: 'no such customer' };
        answers.push(only(await subject.ledger.release([request])).kind);
      }
      assert.deepEqual(answers, ['ok', 'ok', 'ok', 'ok', 'settled']);
      const record = only(await subject.ledger.findNotifications([NOTIFICATION]));
      assert.deepEqual([record?.state, record?.reason], ['failed', 'no such customer']);
      assert.equal((await claim(subject)).kind, 'settled');
    },
  },
  {
    law: 'fails a notification whose claims keep ending with their process',
    async check(subject) {
      await subject.ledger.accept([newNotification('fan-out', { recipients: 'route' })]);
      let grants = 0;
      for (; grants < 20 && (await claim(subject)).kind === 'granted'; grants += 1)
        await subject.elapse(subject.unitMs * 11);
      assert.equal(grants, 5);
      const record = only(await subject.ledger.findNotifications([NOTIFICATION]));
      assert.equal(record?.state, 'failed');
      assert.match(record?.reason ?? '', /poison/);
    },
  },
  {
    law: 'is done with a notification when each of its deliveries is settled, and tells a sweep',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      await s.fail(s.ids[0]);
      assert.equal((await s.notificationRecord()).state, 'expanded');
      await s.fail(s.ids[1]);
      const { ended } = await s.sweep();
      assert.equal((await s.notificationRecord()).state, 'done');
      assert.deepEqual(
        ended.map(({ id, state }) => [id, state]),
        [[s.notification, 'done']],
      );
      assert.deepEqual((await s.sweep()).ended, []);
    },
  },
  {
    law: 'is done with a notification that nobody receives',
    async check(subject) {
      const { fence } = await open(subject, [[]]);
      await add(subject, { fence, deliveries: [] });
      await subject.ledger.sweep({ max: 10, reconcileLeaseMs: 1 });
      assert.equal(only(await subject.ledger.findNotifications([NOTIFICATION]))?.state, 'done');
    },
  },
  {
    law: 'hands out the data of the notification with a grant until the message is frozen',
    async check(subject) {
      const s = await scene(subject);
      const granted = await s.grant();
      assert.deepEqual(granted.data, { key: 'law' });
      await s.mark(s.id, granted.fence, { message: MESSAGE });
      const marked = { id: s.id, fence: granted.fence, attempt: 1, provider: P0 };
      await s.settle(marked, { kind: 'not-sent', reason: 'refused' });
      const again = await s.grant();
      assert.equal(again.data, null);
      assert.deepEqual(again.record.message, MESSAGE);
    },
  },
  {
    law: 'takes a notification back at once when its holder releases it, once, and from nobody else',
    async check(subject) {
      const { fence } = await open(subject, [[0]]);
      const release = { id: NOTIFICATION, fence, delayMs: 0, failure: null };
      const kinds: string[] = [];
      for (const request of [{ ...release, fence: fence - 1 }, release, release])
        kinds.push(only(await subject.ledger.release([request])).kind);
      assert.deepEqual(kinds, ['fenced', 'ok', 'fenced']);
      assert.equal((await claim(subject)).kind, 'granted');
    },
  },
  {
    law: 'counts the failures and lapses of a notification only in a row: a page that was added begins anew',
    async check(subject) {
      await open(subject, [[0], [1]]);
      for (let page = 0; page < 2; page += 1) {
        await subject.elapse(subject.unitMs * 11);
        for (let i = 0; i < 3; i += 1) {
          assert.equal((await claim(subject)).kind, 'granted');
          await subject.elapse(subject.unitMs * 11);
        }
        const claimed = await claim(subject);
        assert.ok(claimed.kind === 'granted', `page ${page}: ${claimed.kind}`);
        const added = await add(subject, { fence: claimed.fence, page, deliveries: [delivery(page)] });
        assert.ok(added.kind === 'added');
        assert.deepEqual([added.record.lapses, added.record.failures], [0, 0]);
      }
    },
  },
];
