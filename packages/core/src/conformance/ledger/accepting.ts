import assert from 'node:assert/strict';
import type { NotificationVerdict, SealRequest, SealVerdict } from '../../ports/ledger.ts';
import type { Law } from '../contract.ts';
import { byIds, newNotification, NOTE, only, target } from './requests.ts';
import type { LedgerSubject } from './subject.ts';

/** A notification with one sealed page that nobody has claimed yet, but for what its producer said and when. */
const UNTOUCHED = {
  v: 1,
  state: 'expanding',
  sealed: true,
  pages: 1,
  cursor: 0,
  deliveries: 0,
  fence: 0,
  leaseUntil: null,
  owner: null,
  requestId: null,
  failures: 0,
  lapses: 0,
  reason: null,
};

export const acceptingLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'accepts a notification once, however often it is asked',
    async check({ ledger }) {
      const request = newNotification('a', { page: [target(0)] });
      const first = only(await ledger.accept([request]));
      const second = only(await ledger.accept([request]));
      assert.deepEqual([first.kind, second.kind], ['accepted', 'repeated']);
      assert.deepEqual(second.record, first.record);
      const { acceptedAt, dueAt, ...record } = first.record;
      assert.equal(dueAt, acceptedAt);
      const { page, expiresInMs, ...asked } = request;
      assert.deepEqual(record, { ...UNTOUCHED, ...asked, targets: page?.length, expiresAt: expiresInMs });
    },
  },
  {
    law: 'answers a conflict for another body under the same key, and writes nothing',
    async check({ ledger }) {
      const request = newNotification('a', { page: [target(0)] });
      const first = only(await ledger.accept([request]));
      const other = only(await ledger.accept([{ ...request, fingerprint: 'another', data: { other: true } }]));
      assert.equal(other.kind, 'conflict');
      assert.deepEqual(only(await ledger.findNotifications([request.id])), first.record);
    },
  },
  {
    law: 'makes one notification of a batch that names it twice',
    async check({ ledger }) {
      const request = newNotification('a', { page: [target(0)] });
      const verdicts = await ledger.accept([request, request]);
      assert.deepEqual(verdicts.map(({ kind }) => kind).sort(), ['accepted', 'repeated']);
      assert.equal((await ledger.count()).notifications.expanding, 1);
    },
  },
  {
    law: 'answers accepts in the order of the batch',
    async check({ ledger }) {
      await ledger.accept([newNotification('b')]);
      const verdicts = await ledger.accept(['c', 'b', 'a'].map((key) => newNotification(key)));
      assert.deepEqual(
        verdicts.map(({ kind, record }) => [kind, record.key]),
        [
          ['accepted', 'c'],
          ['repeated', 'b'],
          ['accepted', 'a'],
        ],
      );
    },
  },
  {
    law: 'keeps the data of a notification as they were given',
    async check({ ledger }) {
      const data = { text: 'Ünïcödé “quoted”\n', number: 1.5, list: [null, true, { deep: [] }] };
      const request = newNotification('a', { data });
      await ledger.accept([request]);
      assert.deepEqual(only(await ledger.findNotifications([request.id]))?.data, data);
    },
  },
  {
    law: 'counts an expiry from the time to send, else from the acceptance',
    async check({ ledger, unitMs }) {
      const sendAt = (await now(ledger)) + unitMs * 100;
      const verdicts = await ledger.accept([
        newNotification('a', { expiresInMs: unitMs * 10 }),
        newNotification('b', { expiresInMs: unitMs * 10, sendAt }),
        newNotification('c'),
      ]);
      const [a, b, c] = verdicts.map(({ record }) => record);
      assert.deepEqual(
        [a?.expiresAt, b?.expiresAt, c?.expiresAt],
        [(a?.acceptedAt ?? 0) + unitMs * 10, sendAt + unitMs * 10, null],
      );
    },
  },
  {
    law: 'does not hand out a notification before its time to send',
    async check({ ledger, unitMs, elapse }) {
      const request = newNotification('a', { page: [target(0)], sendAt: (await now(ledger)) + unitMs * 10 });
      await ledger.accept([request]);
      const early = await claim({ ledger, unitMs }, request.id);
      assert.equal(early.kind, 'later');
      assert.deepEqual(await ledger.claimNotifications({ due: 10, lateMs: 0 }, lease(unitMs)), []);
      await elapse(unitMs * 11);
      assert.equal((await claim({ ledger, unitMs }, request.id)).kind, 'granted');
    },
  },
  {
    law: 'hands out nothing of a notification whose producer has not finished, and counts it',
    async check({ ledger, unitMs }) {
      const request = newNotification('a');
      await ledger.accept([request]);
      await seal(ledger, { page: 0, last: false });
      assert.notEqual((await claim({ ledger, unitMs }, request.id)).kind, 'granted');
      assert.deepEqual(await ledger.claimNotifications({ due: 10, lateMs: 0 }, lease(unitMs)), []);
      assert.equal((await ledger.count()).unsealed, 1);
      const listed = await ledger.listNotifications({ sealed: false });
      assert.deepEqual(
        listed.items.map(({ id }) => id),
        [request.id],
      );
    },
  },
  {
    law: 'hands out pages in order once they are sealed',
    async check({ ledger, unitMs }) {
      await ledger.accept([newNotification('a')]);
      await seal(ledger, { page: 0, last: false, targets: [target(0), target(1)] });
      const sealed = await seal(ledger, { page: 1, last: true, targets: [target(2)] });
      assert.ok(sealed.kind === 'stored');
      assert.deepEqual([sealed.record.sealed, sealed.record.pages, sealed.record.targets], [true, 2, 3]);
      const claimed = await claim({ ledger, unitMs }, sealed.record.id);
      assert.ok(claimed.kind === 'granted');
      assert.deepEqual(claimed.page, [target(0), target(1)]);
    },
  },
  {
    law: 'lets a page be stored again until the seal, and drops the pages after it',
    async check({ ledger }) {
      await ledger.accept([newNotification('a')]);
      for (const page of [0, 1, 2]) await seal(ledger, { page, last: false, targets: [target(page)] });
      await seal(ledger, { page: 0, last: false, targets: [target(7)] });
      const sealed = await seal(ledger, { page: 1, last: true, targets: [target(8), target(9)] });
      assert.ok(sealed.kind === 'stored');
      assert.deepEqual([sealed.record.pages, sealed.record.targets], [2, 3]);
    },
  },
  {
    law: 'refuses a page that leaves a gap',
    async check({ ledger }) {
      await ledger.accept([newNotification('a')]);
      assert.equal((await seal(ledger, { page: 1, last: true })).kind, 'fenced');
    },
  },
  {
    law: 'changes nothing after the seal, and tells whether the page is what was sealed',
    async check({ ledger }) {
      await ledger.accept([newNotification('a')]);
      await seal(ledger, { page: 0, last: true, targets: [target(0)] });
      const same = await seal(ledger, { page: 0, last: true, targets: [target(0)] });
      const other = await seal(ledger, { page: 0, last: true, targets: [target(1)] });
      const more = await seal(ledger, { page: 1, last: true, targets: [target(1)] });
      assert.deepEqual(
        [same, other, more].map((verdict) => verdict.kind === 'sealed' && verdict.same),
        [true, false, false],
      );
      assert.equal(only(await ledger.findNotifications([newNotification('a').id]))?.targets, 1);
    },
  },
  {
    law: 'takes no page for a cancelled or an unknown notification',
    async check({ ledger }) {
      assert.equal((await seal(ledger, { page: 0, last: true })).kind, 'absent');
      await ledger.accept([newNotification('a')]);
      await ledger.cancel([{ id: newNotification('a').id, ...NOTE }]);
      assert.equal((await seal(ledger, { page: 0, last: true })).kind, 'cancelled');
    },
  },
  {
    law: 'takes the pages of a route only from the router that holds its lease',
    async check({ ledger, unitMs, elapse }) {
      const request = newNotification('a', { recipients: 'route' });
      await ledger.accept([request]);
      const first = await claim({ ledger, unitMs }, request.id);
      assert.ok(first.kind === 'granted');
      assert.equal(first.page, null);
      assert.equal((await seal(ledger, { page: 0, last: false, fence: null })).kind, 'fenced');
      assert.equal((await seal(ledger, { page: 0, last: false, fence: first.fence })).kind, 'stored');
      await elapse(unitMs * 11);
      const second = await claim({ ledger, unitMs }, request.id);
      assert.ok(second.kind === 'granted' && second.fence > first.fence);
      assert.equal((await seal(ledger, { page: 0, last: true, fence: first.fence })).kind, 'fenced');
      assert.equal((await seal(ledger, { page: 0, last: true, fence: second.fence })).kind, 'stored');
    },
  },
];

type Ledger = LedgerSubject['ledger'];

async function seal(ledger: Ledger, patch: Partial<SealRequest>): Promise<SealVerdict> {
  const { id } = newNotification('a');
  const request = { notificationId: id, page: 0, targets: [target(0)], last: true, fence: null, ...patch };
  return only(await ledger.seal([request]));
}

async function claim(
  { ledger, unitMs }: Pick<LedgerSubject, 'ledger' | 'unitMs'>,
  id: string,
): Promise<NotificationVerdict> {
  return only(await ledger.claimNotifications(byIds([id]), lease(unitMs)));
}

let claims = 0;
function lease(unitMs: number): { owner: string; requestId: string; leaseMs: number } {
  claims += 1;
  return { owner: 'router', requestId: `routing-${claims}`, leaseMs: unitMs * 10 };
}

async function now(ledger: Ledger): Promise<number> {
  return (await ledger.sweep({ max: 1, reconcileLeaseMs: 1 })).nowMs;
}
