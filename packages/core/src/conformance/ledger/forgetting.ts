import assert from 'node:assert/strict';
import type { ForgetVerdict } from '../../ports/ledger.ts';
import type { Law } from '../contract.ts';
import { accepted, byIds, newDelivery, newNotification, NOTE, only, P0, target, UNKNOWN } from './requests.ts';
import { scene, type Scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

/** How long something has to have been over in these laws, units. */
const OVER_UNITS = 5;

/** What may be given up, what must not, and what is still known of it. */
export const forgettingLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'forgets a notification that is over with all that came of it, and leaves a tombstone that says what it was',
    async check(subject) {
      const s = await over(subject, { recipients: 3 });
      const other = await over(subject, { key: 'another' });
      const before = await s.notificationRecord();
      const verdict = only(await forget(subject, [s.notification]));
      assert.ok(verdict.kind === 'forgotten', JSON.stringify(verdict));
      const { forgottenAt = 0, ...tombstone } = await s.notificationRecord();
      assert.deepEqual(verdict.record, { ...tombstone, forgottenAt });
      assert.ok(forgottenAt >= before.acceptedAt + OVER_UNITS * subject.unitMs, `${forgottenAt}`);
      const { id, tenant, type, key, fingerprint, acceptedAt, deliveries } = before;
      assert.deepEqual(
        { ...tombstone, ...{ id, tenant, type, key, fingerprint, acceptedAt, deliveries }, state: 'done', data: null },
        tombstone,
      );
      assert.deepEqual(await s.ledger.find(s.ids), [null, null, null]);
      assert.deepEqual(await s.ledger.history(s.id), []);
      assert.deepEqual((await s.ledger.list({ notificationId: s.notification })).items, []);
      assert.deepEqual(
        (await s.ledger.list({})).items.map((each) => each.id),
        other.ids,
      );
      assert.deepEqual(
        (await s.ledger.listNotifications({})).items.map((each) => each.id),
        [other.notification],
      );
      assert.equal((await other.record()).state, 'sent');
    },
  },
  {
    law: 'takes what it forgets out of every number, and counts the tombstone apart',
    async check(subject) {
      const s = await scene(subject, { recipients: 4 });
      const [a, b, c, d] = s.ids;
      await s.settle(await s.begin(a), accepted('m'));
      await s.fail(b);
      await s.ledger.cancel([{ id: c ?? '', ...NOTE }]);
      await s.becomeUnknown(d);
      await s.reconcile(d ?? '', { kind: 'assume-sent', reason: 'a law' });
      await s.elapse(OVER_UNITS + 1);
      const { notifications } = await s.ledger.count();
      assert.equal(notifications.done, 1);
      await forget(subject, [s.notification]);
      const counts = await s.ledger.count();
      for (const [name, n] of Object.entries({ ...counts.deliveries, ...counts.notifications }))
        assert.equal(n, 0, name);
      assert.deepEqual([counts.forgotten, counts.assumed, counts.unreadable, counts.oldestDueMs], [1, 0, 0, 0]);
    },
  },
  {
    law: 'forgets again what it has forgotten without writing, and says absent of what it does not know',
    async check(subject) {
      const s = await over(subject, {});
      const first = only(await forget(subject, [s.notification]));
      await s.elapse(1);
      const [again, nobody] = await forget(subject, [s.notification, 'n_none']);
      assert.deepEqual(again, first);
      assert.deepEqual(nobody, { kind: 'absent' });
      assert.equal((await s.ledger.count()).forgotten, 1);
    },
  },
  {
    law: 'answers each of a batch for itself, in its order',
    async check(subject) {
      const ready = await over(subject, { key: 'ready', recipients: 2 });
      const held = await scene(subject, { key: 'held' });
      const verdicts = await forget(subject, [held.notification, 'n_none', ready.notification, ready.notification]);
      assert.deepEqual(
        verdicts.map(({ kind }) => kind),
        ['open', 'absent', 'forgotten', 'forgotten'],
      );
      assert.deepEqual(await ready.ledger.find(ready.ids), [null, null]);
      assert.equal((await held.record()).state, 'queued');
    },
  },
  {
    law: 'forgets nothing that is not over for so long, that is parked, or that is being sent again; and says what holds it',
    async check(subject) {
      const cases: readonly (readonly [key: string, hold: string, act: (s: Scene) => Promise<string | null>])[] = [
        ['not over', 'not-over', () => Promise.resolve(null)],
        [
          'in flight',
          'not-over',
          async (s) => {
            await s.begin();
            return null;
          },
        ],
        [
          'recent',
          'recent',
          async (s) => {
            await s.elapse(OVER_UNITS + 1);
            await s.settle(await s.begin(), accepted('m'));
            return s.id;
          },
        ],
        [
          'recent evidence',
          'recent',
          async (s) => {
            await s.settle(await s.begin(), accepted('late'));
            await s.elapse(OVER_UNITS + 1);
            const about = { provider: P0, providerMessageId: 'late', at: 0, detail: null };
            await s.ledger.record([{ deliveryId: s.id, kind: 'delivered', ...about }]);
            return s.id;
          },
        ],
        [
          'parked',
          'parked',
          async (s) => {
            await s.settle(await s.begin(), UNKNOWN);
            await s.reconcile(s.id, { kind: 'park', reason: 'a law' });
            await s.elapse(OVER_UNITS + 1);
            return s.id;
          },
        ],
        [
          'sent again',
          'unsettled',
          async (s) => {
            await s.fail();
            await s.elapse(OVER_UNITS + 1);
            const verdict = only(await s.ledger.replay([{ id: s.id, forced: false, automatic: false, ...NOTE }]));
            await s.elapse(OVER_UNITS + 1);
            return verdict.kind === 'replayed' ? verdict.id : null;
          },
        ],
      ];
      for (const [key, hold, act] of cases) {
        const s = await scene(subject, { key });
        const deliveryId = await act(s);
        const before = [await s.record(), await s.notificationRecord()];
        // A replaced letter may be looked at first, and is as recent as its replacement.
        const verdict = only(await forget(subject, [s.notification]));
        assert.deepEqual(verdict, { kind: 'open', hold, deliveryId }, key);
        assert.deepEqual([await s.record(), await s.notificationRecord()], before, key);
      }
    },
  },
  {
    law: 'forgets a parked delivery once it was sent again and that is over too',
    async check(subject) {
      const s = await scene(subject);
      await s.settle(await s.begin(), UNKNOWN);
      await s.reconcile(s.id, { kind: 'park', reason: 'a law' });
      const verdict = only(await s.ledger.replay([{ id: s.id, forced: false, automatic: false, ...NOTE }]));
      assert.ok(verdict.kind === 'replayed');
      await s.settle(await s.begin(verdict.id), accepted('again'));
      await s.elapse(OVER_UNITS + 1);
      assert.equal(only(await forget(subject, [s.notification])).kind, 'forgotten');
      assert.deepEqual(await s.ledger.find([s.id, verdict.id]), [null, null]);
    },
  },
  {
    law: 'knows what was forgotten: the same publish is repeated, another body a conflict, and nobody is told again',
    async check(subject) {
      const s = await over(subject, {});
      await forget(subject, [s.notification]);
      const request = newNotification('law', { page: [target(0)] });
      const [same, other] = await s.ledger.accept([request, { ...request, fingerprint: 'another' }]);
      assert.deepEqual([same?.kind, other?.kind], ['repeated', 'conflict']);
      assert.deepEqual(same?.record, await s.notificationRecord());
      const lease = { owner: 'worker', requestId: 'after it was forgotten', leaseMs: s.leaseMs };
      assert.deepEqual(await s.ledger.claimNotifications({ due: 10, lateMs: 0 }, lease), []);
      assert.deepEqual(await s.claimDue(10), []);
      assert.deepEqual(await s.ledger.find(s.ids), [null]);
    },
  },
  {
    law: 'takes nothing from whoever still holds something of what was forgotten',
    async check(subject) {
      const { ledger, unitMs } = subject;
      const s = await scene(subject);
      const routed = await s.notificationRecord();
      const marked = await s.begin();
      await s.settle(marked, accepted('m'));
      await s.elapse(OVER_UNITS + 1);
      await forget(subject, [s.notification]);
      const { id, fence } = marked;
      const tombstone = await s.notificationRecord();
      assert.equal((await s.mark(id, fence)).kind, 'fenced');
      assert.equal((await s.settle(marked, accepted('m'))).kind, 'absent');
      const held = [marked, { id: s.notification, fence: routed.fence }];
      const fenced = [{ kind: 'fenced' }, { kind: 'fenced' }];
      assert.deepEqual(await ledger.renew(held, unitMs), fenced);
      const back = { delayMs: 0, failure: null };
      assert.deepEqual(await ledger.release(held.map((each) => ({ ...each, ...back }))), fenced);
      const deliveries = [newDelivery(s.notification, target(0))];
      const adding = { notificationId: s.notification, fence: routed.fence, deliveries, leaseMs: unitMs };
      assert.equal(only(await ledger.add([{ ...adding, page: 0, sealTargets: null }])).kind, 'fenced');
      const page = { notificationId: s.notification, page: 0, targets: [target(0)], last: true, fence: null };
      const sealed = only(await ledger.seal([page]));
      assert.ok(sealed.kind === 'sealed' && !sealed.same);
      assert.equal(only(await ledger.replay([{ id, forced: true, automatic: false, ...NOTE }])).kind, 'absent');
      assert.equal(only(await ledger.cancel([{ id, ...NOTE }])).kind, 'absent');
      assert.equal(only(await ledger.cancel([{ id: s.notification, ...NOTE }])).kind, 'too-late');
      assert.deepEqual(await s.notificationRecord(), tombstone);
      assert.deepEqual(await ledger.find([id]), [null]);
    },
  },
  {
    law: 'calls a late wake of a forgotten notification settled, not stray',
    async check(subject) {
      const s = await over(subject, {});
      await forget(subject, [s.notification]);
      const selector = { ...byIds([s.notification]), strayAfterMs: 1, agesMs: [1_000] };
      const lease = { owner: 'worker', requestId: 'a late wake', leaseMs: s.leaseMs };
      const verdict = only(await s.ledger.claimNotifications(selector, lease));
      assert.deepEqual(verdict, { kind: 'settled', id: s.notification, state: 'done' });
      assert.equal((await s.ledger.count()).strays, 0);
    },
  },
  {
    law: 'keeps an event about what was forgotten, which changes nothing',
    async check(subject) {
      const s = await over(subject, {});
      await forget(subject, [s.notification]);
      const event = { provider: P0, providerMessageId: 'm0', kind: 'bounced', at: 0, detail: null } as const;
      const verdicts = await s.ledger.record([
        { ...event, deliveryId: s.id },
        { ...event, deliveryId: null },
      ]);
      assert.deepEqual(verdicts, [{ kind: 'kept' }, { kind: 'kept' }]);
      assert.deepEqual(await s.ledger.find(s.ids), [null]);
      assert.equal((await s.ledger.count()).deliveries.bounced, 0);
    },
  },
  {
    law: 'leaves opt-outs as they are when it forgets what they were about',
    async check(subject) {
      const s = await over(subject, {});
      const optOut = { tenant: 'default', recipientId: 'r0@example.com', topic: 'laws', channel: '*' } as const;
      await s.ledger.suppress([{ ...optOut, suppressed: true, ...NOTE }]);
      await forget(subject, [s.notification]);
      const next = await scene(subject, { key: 'afterwards' });
      const { fence } = await next.grant();
      assert.equal((await next.mark(next.id, fence)).kind, 'suppressed');
    },
  },
  {
    law: 'forgets a cancelled notification that was never expanded',
    async check(subject) {
      const { ledger, unitMs, elapse } = subject;
      const cancelled = newNotification('cancelled', { page: [target(0)] });
      await ledger.accept([cancelled]);
      await ledger.cancel([{ id: cancelled.id, ...NOTE }]);
      await elapse((OVER_UNITS + 1) * unitMs);
      const verdict = only(await forget(subject, [cancelled.id]));
      assert.ok(verdict.kind === 'forgotten' && verdict.record.state === 'cancelled');
      assert.equal(only(await ledger.accept([cancelled])).kind, 'repeated');
      assert.deepEqual((await ledger.sweep({ max: 10, reconcileLeaseMs: unitMs })).ended, []);
    },
  },
  {
    law: 'forgets a notification of more deliveries than one turn takes; held by one of them it loses none',
    async check(subject) {
      const { ledger, unitMs } = subject;
      const many = await failedOnes(subject, 'many', 1_001);
      const some = await failedOnes(subject, 'some', 60);
      const last = some.toSorted().at(-1) ?? '';
      await ledger.replay([{ id: last, forced: false, automatic: false, ...NOTE }]);
      await subject.elapse((OVER_UNITS + 1) * unitMs);
      const ids = ['many', 'some'].map((key) => newNotification(key).id);
      const [whole, held] = await forget(subject, ids);
      assert.equal(whole?.kind, 'forgotten');
      assert.ok(held?.kind === 'open' && held.hold === 'unsettled', JSON.stringify(held));
      const { forgotten, deliveries } = await ledger.count();
      assert.deepEqual([forgotten, deliveries.failed, deliveries.queued], [1, 60, 1]);
      assert.deepEqual(await ledger.find(many.slice(0, 3)), [null, null, null]);
    },
  },
];

/** A scene all of whose deliveries were sent, long enough ago. */
async function over(subject: LedgerSubject, options: Parameters<typeof scene>[1]): Promise<Scene> {
  const s = await scene(subject, options);
  for (const [i, id] of s.ids.entries()) await s.settle(await s.begin(id), accepted(`m${i}`));
  await s.elapse(OVER_UNITS + 1);
  return s;
}

function forget({ ledger, unitMs }: LedgerSubject, ids: readonly string[]): Promise<readonly ForgetVerdict[]> {
  return ledger.forget(ids.map((id) => ({ id, settledForMs: OVER_UNITS * unitMs })));
}

/** A notification whose deliveries are all born failed. */
async function failedOnes({ ledger, unitMs }: LedgerSubject, key: string, count: number): Promise<readonly string[]> {
  const made = newNotification(key, { page: Array.from({ length: count }, (_, i) => target(i)) });
  await ledger.accept([made]);
  const lease = { owner: 'scene', requestId: `routing ${key}`, leaseMs: unitMs * 10 };
  const claimed = only(await ledger.claimNotifications(byIds([made.id]), lease));
  assert.ok(claimed.kind === 'granted');
  const deliveries = (made.page ?? []).map((each) => newDelivery(made.id, each, { failed: 'no such address' }));
  const { fence } = claimed;
  const adding = { notificationId: made.id, fence, page: 0, deliveries, sealTargets: null, leaseMs: 0 };
  assert.equal(only(await ledger.add([adding])).kind, 'added');
  return deliveries.map(({ id }) => id);
}
