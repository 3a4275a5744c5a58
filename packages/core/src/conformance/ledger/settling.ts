import assert from 'node:assert/strict';
import type { DeliveryState } from '../../model/delivery.ts';
import { providerKey } from '../../model/keys.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { Law } from '../contract.ts';
import { accepted, DEFERRED, NOT_SENT, only, P0, P1, REJECTED, UNKNOWN } from './requests.ts';
import { scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

const ENDS: readonly (readonly [Outcome, DeliveryState])[] = [
  [accepted('m-1'), 'sent'],
  [REJECTED, 'failed'],
  [DEFERRED, 'retry-scheduled'],
  [NOT_SENT, 'retry-scheduled'],
  [UNKNOWN, 'unknown'],
];

export const settlingLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'writes each outcome and what follows from it',
    async check(subject) {
      const s = await scene(subject, { recipients: ENDS.length });
      for (const [i, [outcome, state]] of ENDS.entries()) {
        const id = s.ids[i] ?? '';
        const verdict = await s.settle(await s.begin(id), outcome);
        assert.deepEqual(verdict, { kind: 'settled', id, state, duplicate: false });
        const record = await s.record(id);
        assert.deepEqual([record.state, record.attempts[0]?.outcome], [state, outcome]);
      }
    },
  },
  {
    law: 'changes nothing when a settle is repeated, and answers the state that stands',
    async check(subject) {
      const s = await scene(subject, { recipients: ENDS.length });
      for (const [i, [outcome, state]] of ENDS.entries()) {
        const marked = await s.begin(s.ids[i]);
        await s.settle(marked, outcome);
        const before = await s.record(s.ids[i]);
        const verdict = await s.settle(marked, outcome);
        assert.equal(verdict.kind !== 'absent' && verdict.state, state);
        assert.deepEqual(await s.record(s.ids[i]), before);
      }
    },
  },
  {
    law: 'keeps the id that the provider gave the message',
    async check(subject) {
      const s = await scene(subject);
      await s.settle(await s.begin(), accepted('provider-message-7'));
      const { outcome } = (await s.record()).attempts[0] ?? {};
      assert.equal(outcome?.kind === 'accepted' && outcome.providerMessageId, 'provider-message-7');
    },
  },
  {
    law: 'waits as long as it was told before a retry, and sends it to the provider that was named',
    async check(subject) {
      const s = await scene(subject);
      const next = { kind: 'retry', delayMs: subject.unitMs * 10, provider: P1, reason: 'elsewhere' } as const;
      await s.settle(await s.begin(), NOT_SENT, { next });
      assert.equal(only(await s.claim()).kind, 'later');
      await s.elapse(11);
      const { fence, record } = await s.grant();
      assert.equal(record.provider, P1);
      assert.equal((await s.mark(s.id, fence, { provider: P1 })).kind, 'go');
    },
  },
  {
    law: 'ends in dead when the charged attempts are spent, and not before',
    async check(subject) {
      const s = await scene(subject, { maxAttempts: 3 });
      const states: string[] = [];
      for (let i = 0; i < 3; i += 1) {
        await s.settle(await s.begin(), NOT_SENT);
        states.push((await s.record()).state);
      }
      assert.deepEqual(states, ['retry-scheduled', 'retry-scheduled', 'dead']);
      assert.equal((await s.record()).attempts.length, 3);
    },
  },
  {
    law: 'refunds what a provider put off: it counts as an attempt, not against the cap',
    async check(subject) {
      const s = await scene(subject, { maxAttempts: 2 });
      for (let i = 0; i < 5; i += 1) await s.settle(await s.begin(), DEFERRED);
      const { state, attempts, charged } = await s.record();
      assert.deepEqual([state, attempts.length, charged], ['retry-scheduled', 5, 0]);
    },
  },
  {
    law: 'ends endless deferral in expired',
    async check(subject) {
      const s = await scene(subject, { expiresInUnits: 8 });
      const next = { kind: 'retry', delayMs: subject.unitMs * 5, provider: P0, reason: 'busy' } as const;
      for (let i = 0; i < 5 && (await s.record()).state !== 'expired'; i += 1) {
        const granted = only(await s.claim());
        if (granted.kind === 'granted') {
          const verdict = await s.mark(s.id, granted.fence);
          if (verdict.kind === 'go')
            await s.settle({ id: s.id, fence: granted.fence, attempt: verdict.attempt, provider: P0 }, DEFERRED, {
              next,
            });
        }
        await s.elapse(6);
      }
      assert.equal((await s.record()).state, 'expired');
    },
  },
  {
    law: 'answers absent for a delivery that it does not know',
    async check(subject) {
      const s = await scene(subject);
      const verdict = await s.settle({ id: 'd_none', fence: 1, attempt: 1, provider: P0 }, NOT_SENT);
      assert.deepEqual(verdict, { kind: 'absent', id: 'd_none' });
    },
  },
  {
    law: 'settles a batch in its order, each item by itself',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      const marked = [];
      for (const id of s.ids) marked.push(await s.begin(id));
      const requests = [...marked].reverse().map(({ id, fence, attempt, provider }, i) => ({
        id,
        fence: i === 1 ? fence - 1 : fence,
        attempt,
        provider,
        key: providerKey(id, provider),
        outcome: NOT_SENT,
        next: { kind: 'retry', delayMs: 0, provider, reason: 'refused' } as const,
        refund: false,
      }));
      const verdicts = await s.ledger.settle(requests);
      assert.deepEqual(
        verdicts.map(({ id, kind }) => [id, kind]),
        [
          [s.ids[2], 'settled'],
          [s.ids[1], 'evidence'],
          [s.ids[0], 'settled'],
        ],
      );
    },
  },
  {
    law: 'looks at an unknown outcome first after the time that was asked for',
    async check(subject) {
      const s = await scene(subject);
      const next = { kind: 'unknown', reconcileInMs: subject.unitMs * 10, reason: 'timeout' } as const;
      await s.settle(await s.begin(), UNKNOWN, { next });
      assert.deepEqual((await s.sweep()).unknown, []);
      await s.elapse(11);
      assert.deepEqual(
        (await s.sweep()).unknown.map(({ id, reason }) => [id, reason]),
        [[s.id, 'timeout']],
      );
    },
  },
  {
    law: 'ends in expired what was not sent and may not be tried again any more',
    async check(subject) {
      const s = await scene(subject, { expiresInUnits: 5 });
      const marked = await s.begin();
      await s.elapse(6);
      await s.settle(marked, NOT_SENT);
      assert.equal((await s.record()).state, 'expired');
    },
  },
];
