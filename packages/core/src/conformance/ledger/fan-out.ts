import assert from 'node:assert/strict';
import type { Law } from '../contract.ts';
import { add, claim, delivery, NOTIFICATION, open } from './expanding.ts';
import { byIds, newNotification, NOTE, only, P0, target } from './requests.ts';
import type { LedgerSubject } from './subject.ts';

/** A delivery that nobody has claimed yet, but for its name, its target and its times. */
const UNTOUCHED = {
  v: 1,
  notificationId: NOTIFICATION,
  tenant: 'default',
  type: 'laws',
  class: 'transactional',
  generation: 0,
  state: 'queued',
  fence: 0,
  owner: null,
  requestId: null,
  leaseUntil: null,
  dispatchUntil: null,
  provider: P0,
  attempts: [],
  charged: 0,
  maxAttempts: 5,
  lapses: 0,
  failures: 0,
  declarations: [],
  topic: 'laws',
  message: null,
  forbidden: null,
  assumed: false,
  reason: null,
  settledAt: null,
  replaces: null,
  replacedBy: null,
  operator: null,
  forced: false,
  redrives: 0,
};

export const fanOutLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'makes one delivery per target, as they were given, and moves the cursor with them',
    async check(subject) {
      const { fence } = await open(subject, [[0, 1]]);
      const added = await add(subject, { fence, deliveries: [delivery(0), delivery(1)] });
      assert.ok(added.kind === 'added');
      assert.deepEqual(added.inserted, [delivery(0).id, delivery(1).id]);
      assert.deepEqual([added.record.cursor, added.record.deliveries, added.record.state], [1, 2, 'expanded']);
      const { createdAt, updatedAt, dueAt, expiresAt, ...record } = (await subject.ledger.find([delivery(1).id]))[0]!;
      assert.deepEqual(record, { ...UNTOUCHED, id: delivery(1).id, target: target(1) });
      assert.deepEqual([updatedAt, dueAt, expiresAt], [createdAt, createdAt, null]);
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
];
