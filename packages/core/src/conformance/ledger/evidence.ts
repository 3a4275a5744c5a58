import assert from 'node:assert/strict';
import type { Evidence, EvidenceVerdict } from '../../ports/ledger.ts';
import type { Law } from '../contract.ts';
import { accepted, byIds, newDelivery, newNotification, NOT_SENT, only, P0, P1, UNKNOWN, target } from './requests.ts';
import { scene, type Scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

export const evidenceLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'finds the delivery of an event by our id, or by the provider and its id for the message',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      for (const [i, id] of s.ids.entries()) await s.settle(await s.begin(id), accepted(`m-${i}`));
      const byOurs = await tell(s, { deliveryId: s.ids[0] ?? '', kind: 'delivered', providerMessageId: 'm-0' });
      const byTheirs = await tell(s, { kind: 'bounced', providerMessageId: 'm-1' });
      const elsewhere = await tell(s, { kind: 'bounced', providerMessageId: 'm-2', provider: P1 });
      assert.deepEqual([byOurs.kind, byTheirs.kind, elsewhere.kind], ['moved', 'moved', 'kept']);
      const states = (await s.ledger.find(s.ids)).map((record) => record?.state);
      assert.deepEqual(states, ['delivered', 'bounced', 'sent']);
    },
  },
  {
    law: 'ends in the same state whether the event or the response comes first',
    async check(subject) {
      const kinds = ['delivered', 'bounced', 'undeliverable', 'accepted'] as const;
      const s = await scene(subject, { recipients: kinds.length * 2 });
      for (const [i, kind] of kinds.entries()) {
        const [early = '', late = ''] = s.ids.slice(i * 2);
        const [a, b] = [await s.begin(early), await s.begin(late)];
        await tell(s, { deliveryId: early, kind, providerMessageId: `m-${early}` });
        await s.settle(a, accepted(`m-${early}`));
        await s.settle(b, accepted(`m-${late}`));
        await tell(s, { deliveryId: late, kind, providerMessageId: `m-${late}` });
        const [first, second] = await s.ledger.find([early, late]);
        assert.equal(first?.state, kind === 'accepted' ? 'sent' : kind);
        assert.equal(second?.state, first?.state);
      }
    },
  },
  {
    law: 'shows a bounce over an arrival of the same message, in either order',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      for (const [i, kinds] of (
        [
          ['delivered', 'bounced'],
          ['bounced', 'delivered'],
        ] as const
      ).entries()) {
        const id = s.ids[i] ?? '';
        await s.settle(await s.begin(id), accepted(`m-${i}`));
        for (const kind of kinds) await tell(s, { kind, providerMessageId: `m-${i}` });
        assert.equal((await s.record(id)).state, 'bounced', kinds.join(' then '));
      }
    },
  },
  {
    law: 'is moved once by an event that comes forty-six times',
    async check(subject) {
      const s = await scene(subject);
      await s.settle(await s.begin(), accepted('m-1'));
      const event = { kind: 'delivered', providerMessageId: 'm-1' } as const;
      assert.equal((await tell(s, event)).kind, 'moved');
      const before = await s.record();
      for (let i = 0; i < 45; i += 1) assert.equal((await tell(s, event)).kind, 'noted');
      assert.deepEqual(await s.record(), before);
    },
  },
  {
    law: 'is not moved by an event that it does not understand',
    async check(subject) {
      const s = await scene(subject);
      await s.settle(await s.begin(), accepted('m-1'));
      const before = await s.record();
      assert.equal((await tell(s, { kind: 'other', providerMessageId: 'm-1', detail: 'opened' })).kind, 'noted');
      assert.deepEqual(await s.record(), before);
    },
  },
  {
    law: 'keeps an event that comes before its delivery, and matches it when that is made',
    async check(subject) {
      const { ledger, unitMs } = subject;
      const notification = newNotification('early', { page: [target(0)] });
      const delivery = newDelivery(notification.id, target(0));
      const event = {
        deliveryId: delivery.id,
        provider: P0,
        providerMessageId: 'm-1',
        kind: 'delivered',
        at: 0,
        detail: null,
      } as const;
      assert.deepEqual(await ledger.record([event]), [{ kind: 'kept' }]);
      await ledger.accept([notification]);
      const lease = { owner: 'worker', requestId: 'early', leaseMs: unitMs * 10 };
      const claimed = only(await ledger.claimNotifications(byIds([notification.id]), lease));
      assert.ok(claimed.kind === 'granted');
      const { fence } = claimed;
      await ledger.add([
        { notificationId: notification.id, fence, page: 0, deliveries: [delivery], sealTargets: null, leaseMs: 0 },
      ]);
      assert.equal(only(await ledger.find([delivery.id]))?.state, 'delivered');
    },
  },
  {
    law: "keeps an event that comes before the response, and matches it when the message's id is known",
    async check(subject) {
      const s = await scene(subject);
      const marked = await s.begin();
      assert.equal((await tell(s, { kind: 'bounced', providerMessageId: 'm-1' })).kind, 'kept');
      const verdict = await s.settle(marked, accepted('m-1'));
      assert.equal(verdict.kind !== 'absent' && verdict.state, 'bounced');
      assert.equal((await s.record()).state, 'bounced');
    },
  },
  {
    law: 'takes an arrival or a bounce as proof that the message was accepted, and never tries again',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      for (const [i, kind] of (['delivered', 'bounced'] as const).entries()) {
        const id = s.ids[i] ?? '';
        await s.becomeUnknown(id);
        await s.reconcile(id, { kind: 'replay', provider: P0, delayMs: 0 });
        await tell(s, { deliveryId: id, kind, providerMessageId: `m-${i}` });
        assert.deepEqual([(await s.record(id)).state, only(await s.claim([id])).kind], [kind, 'settled']);
      }
    },
  },
  {
    law: 'moves a parked delivery on when somebody proves what became of it',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      const firsts = [];
      for (const id of s.ids) {
        firsts.push(await s.becomeUnknown(id));
        await s.reconcile(id, { kind: 'park', reason: 'nobody can tell' });
      }
      const [sent = '', refused = ''] = s.ids;
      await tell(s, { deliveryId: sent, kind: 'accepted', providerMessageId: 'm-0' });
      await tell(s, { deliveryId: refused, kind: 'rejected', providerMessageId: null, detail: 'spam' });
      await s.settle(firsts[2]!, NOT_SENT);
      assert.deepEqual(
        (await s.ledger.find(s.ids)).map((record) => record?.state),
        ['sent', 'failed', 'dead'],
      );
    },
  },
  {
    law: 'closes an unknown attempt by the event that it was refused',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      await tell(s, { deliveryId: s.id, kind: 'rejected', providerMessageId: null, detail: 'spam' });
      assert.deepEqual([(await s.record()).state, (await s.record()).reason], ['failed', 'spam']);
    },
  },
  {
    law: 'credits an event to the attempt with its message id, not to another at the same provider',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'declare', declaration: 'resend', provider: P0, delayMs: 0 });
      const second = await s.begin();
      await s.settle(first, accepted('m-1'));
      await s.settle(second, accepted('m-2'));
      await tell(s, { deliveryId: s.id, kind: 'delivered', providerMessageId: 'm-2' });
      assert.deepEqual(
        (await s.record()).attempts.map(({ arrival }) => arrival),
        [null, 'delivered'],
      );
    },
  },
  {
    law: 'shows the better of two messages when the one that had arrived bounces after all',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'declare', declaration: 'resend', provider: P0, delayMs: 0 });
      const second = await s.begin();
      await s.settle(first, accepted('m-1'));
      await s.settle(second, accepted('m-2'));
      await tell(s, { kind: 'delivered', providerMessageId: 'm-2' });
      assert.equal((await s.record()).state, 'delivered');
      await tell(s, { kind: 'bounced', providerMessageId: 'm-2' });
      assert.equal((await s.record()).state, 'sent');
      assert.equal((await s.ledger.count()).refusedMoves, 0);
    },
  },
  {
    law: 'concludes nothing from the refusal of one attempt while another is open, or the delivery is at work',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const [waiting = '', working = ''] = s.ids;
      await s.becomeUnknown(waiting);
      await s.reconcile(waiting, { kind: 'declare', declaration: 'failover', provider: P1, delayMs: 0 });
      await s.settle(await s.begin(waiting, { provider: P1 }), UNKNOWN);
      await s.begin(working);
      for (const id of s.ids)
        await tell(s, { deliveryId: id, kind: 'rejected', providerMessageId: null, detail: 'spam' });
      assert.deepEqual([(await s.record(waiting)).state, (await s.record(working)).state], ['unknown', 'dispatching']);
    },
  },
  {
    law: 'learns nothing from the refusal of a provider that was never asked',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      const before = await s.record();
      await tell(s, { deliveryId: s.id, kind: 'rejected', providerMessageId: null, provider: P1, detail: 'spam' });
      assert.deepEqual(await s.record(), before);
    },
  },
];

async function tell(
  s: Scene,
  event: Partial<Evidence> & Pick<Evidence, 'kind' | 'providerMessageId'>,
): Promise<EvidenceVerdict> {
  return only(await s.ledger.record([{ deliveryId: null, provider: P0, at: 0, detail: null, ...event }]));
}
