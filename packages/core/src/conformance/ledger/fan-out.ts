import assert from 'node:assert/strict';
import type { AddRequest, AddVerdict, NewDelivery, NotificationVerdict } from '../../ports/ledger.ts';
import type { Law } from '../contract.ts';
import {
  byIds,
  MESSAGE,
  newDelivery,
  newNotification,
  NOTE,
  only,
  P0,
  scene,
  target,
  type LedgerSubject,
} from './scene.ts';

const { id: NOTIFICATION } = newNotification('fan-out');

export const fanOutLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'makes one delivery per target, as they were given, and moves the cursor with them',
    async check(subject) {
      const { fence } = await open(subject, [[0, 1]]);
      const added = await add(subject, { fence, deliveries: [delivery(0), delivery(1)] });
      assert.ok(added.kind === 'added');
      assert.deepEqual(added.inserted, [delivery(0).id, delivery(1).id]);
      assert.deepEqual([added.record.cursor, added.record.deliveries, added.record.state], [1, 2, 'expanded']);
      const record = only(await subject.ledger.find([delivery(1).id]));
      assert.deepEqual(
        [record?.state, record?.target, record?.provider, record?.generation],
        ['queued', target(1), P0, 0],
      );
    },
  },
  {
    law: 'adds a page once: a repeat says so and writes nothing',
    async check(subject) {
      const { fence } = await open(subject, [[0], [1]]);
      await add(subject, { fence, deliveries: [delivery(0)] });
      const again = await add(subject, { fence, deliveries: [delivery(0)] });
      assert.ok(again.kind === 'repeated');
      assert.deepEqual([again.record.cursor, again.record.deliveries], [1, 1]);
      assert.deepEqual(again.next, [target(1)]);
    },
  },
  {
    law: 'makes one delivery of two targets that are the same, on one page or on two',
    async check(subject) {
      const { fence } = await open(subject, [
        [0, 0],
        [0, 1],
      ]);
      const first = await add(subject, { fence, deliveries: [delivery(0), delivery(0)] });
      const second = await add(subject, { fence, page: 1, deliveries: [delivery(0), delivery(1)] });
      assert.ok(first.kind === 'added' && second.kind === 'added');
      assert.deepEqual([first.inserted, second.inserted], [[delivery(0).id], [delivery(1).id]]);
      assert.deepEqual([second.record.targets, second.record.deliveries], [4, 2]);
    },
  },
  {
    law: 'hands out the next page with the verdict while the lease is kept, and none when it is given back',
    async check(subject) {
      const { fence } = await open(subject, [[0], [1], [2]]);
      const kept = await add(subject, { fence, deliveries: [delivery(0)] });
      assert.deepEqual(kept.kind === 'added' && kept.next, [target(1)]);
      const given = await add(subject, { fence, page: 1, deliveries: [delivery(1)], leaseMs: 0 });
      assert.equal(given.kind === 'added' && given.next, null);
      const next = await claim(subject);
      assert.ok(next.kind === 'granted');
      assert.deepEqual(next.page, [target(2)]);
    },
  },
  {
    law: 'goes on at the cursor after a crash, and fences the crashed worker off',
    async check(subject) {
      const { fence: old } = await open(subject, [[0], [1]]);
      await add(subject, { fence: old, deliveries: [delivery(0)] });
      await subject.elapse(subject.unitMs * 11);
      const second = await claim(subject);
      assert.ok(second.kind === 'granted' && second.fence > old);
      assert.deepEqual([second.record.cursor, second.page], [1, [target(1)]]);
      assert.equal((await add(subject, { fence: old, page: 1, deliveries: [delivery(1)] })).kind, 'fenced');
      assert.equal(only(await subject.ledger.find([delivery(1).id])), null);
    },
  },
  {
    law: 'refuses a page that is not the one under the cursor',
    async check(subject) {
      const { fence } = await open(subject, [[0], [1]]);
      assert.equal((await add(subject, { fence, page: 1, deliveries: [delivery(1)] })).kind, 'fenced');
    },
  },
  {
    law: "freezes a route's single page together with its deliveries",
    async check(subject) {
      const { ledger } = subject;
      await ledger.accept([newNotification('fan-out', { recipients: 'route' })]);
      const claimed = await claim(subject);
      assert.ok(claimed.kind === 'granted' && claimed.page === null);
      const request = { fence: claimed.fence, deliveries: [delivery(0), delivery(1)], sealTargets: 2 };
      const added = await add(subject, request);
      assert.ok(added.kind === 'added');
      const { sealed, pages, targets, deliveries, state } = added.record;
      assert.deepEqual([sealed, pages, targets, deliveries, state], [true, 1, 2, 2, 'expanded']);
      assert.equal((await add(subject, request)).kind, 'repeated');
    },
  },
  {
    law: 'adds nothing that is neither sealed nor sealed by the same call',
    async check(subject) {
      await subject.ledger.accept([newNotification('fan-out', { recipients: 'route' })]);
      const claimed = await claim(subject);
      assert.ok(claimed.kind === 'granted');
      assert.equal((await add(subject, { fence: claimed.fence, deliveries: [delivery(0)] })).kind, 'fenced');
    },
  },
  {
    law: 'adds nothing to a cancelled or an unknown notification',
    async check(subject) {
      assert.equal((await add(subject, { deliveries: [delivery(0)] })).kind, 'absent');
      const { fence } = await open(subject, [[0]]);
      await subject.ledger.cancel([{ id: NOTIFICATION, ...NOTE }]);
      assert.equal((await add(subject, { fence, deliveries: [delivery(0)] })).kind, 'cancelled');
      assert.equal(only(await subject.ledger.find([delivery(0).id])), null);
    },
  },
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
      assert.equal(answers.at(-1), 'settled');
      const record = only(await subject.ledger.findNotifications([NOTIFICATION]));
      assert.deepEqual([record?.state, record?.reason], ['failed', 'no such customer']);
      assert.equal((await claim(subject)).kind, 'settled');
    },
  },
  {
    law: 'fails a notification whose claims keep ending with their process',
    async check(subject) {
      await subject.ledger.accept([newNotification('fan-out', { recipients: 'route' })]);
      for (let i = 0; i < 20 && (await claim(subject)).kind === 'granted'; i += 1)
        await subject.elapse(subject.unitMs * 11);
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
    law: 'keeps a delivery that was born failed where it can be seen, and never hands it out',
    async check(subject) {
      const { fence } = await open(subject, [[0]]);
      await add(subject, { fence, deliveries: [{ ...delivery(0), failed: 'no such address' }] });
      const lease = { owner: 'worker', requestId: 'born-failed', leaseMs: 1_000 };
      const verdict = only(await subject.ledger.claim(byIds([delivery(0).id]), lease));
      assert.deepEqual([verdict.kind, verdict.kind === 'settled' && verdict.state], ['settled', 'failed']);
      const { items } = await subject.ledger.list({ states: ['failed'] });
      assert.deepEqual(
        items.map(({ reason }) => reason),
        ['no such address'],
      );
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
];

function delivery(i: number): NewDelivery {
  return newDelivery(NOTIFICATION, target(i));
}

/** Accepts a notification with these pages of recipients and claims it. */
async function open(subject: LedgerSubject, pages: readonly (readonly number[])[]): Promise<{ fence: number }> {
  const { ledger } = subject;
  await ledger.accept([newNotification('fan-out')]);
  for (const [page, recipients] of pages.entries()) {
    const last = page === pages.length - 1;
    await ledger.seal([{ notificationId: NOTIFICATION, page, targets: recipients.map(target), last, fence: null }]);
  }
  const claimed = await claim(subject);
  assert.equal(claimed.kind, 'granted');
  return claimed;
}

let claims = 0;

async function claim(
  { ledger, unitMs }: LedgerSubject,
  requestId = `fan-out-${(claims += 1)}`,
): Promise<NotificationVerdict> {
  return only(
    await ledger.claimNotifications(byIds([NOTIFICATION]), { owner: 'worker', requestId, leaseMs: unitMs * 10 }),
  );
}

async function add({ ledger, unitMs }: LedgerSubject, patch: Partial<AddRequest>): Promise<AddVerdict> {
  const request = {
    notificationId: NOTIFICATION,
    fence: 0,
    page: 0,
    deliveries: [],
    sealTargets: null,
    leaseMs: unitMs * 10,
  };
  return only(await ledger.add([{ ...request, ...patch }]));
}
