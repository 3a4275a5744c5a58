import assert from 'node:assert/strict';
import type { Law } from '../contract.ts';
import { accepted, DEFERRED, NOT_SENT, P0, REJECTED, P1, UNKNOWN } from './requests.ts';
import { scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

export const lateOutcomeLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'keeps the outcome of a fenced-off attempt as evidence of that attempt alone',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const [sent = '', refused = ''] = s.ids;
      for (const [id, outcome, state] of [
        [sent, accepted('late'), 'sent'],
        [refused, NOT_SENT, 'dispatching'],
      ] as const) {
        const first = await s.becomeUnknown(id);
        await s.reconcile(id, { kind: 'replay', provider: P0, delayMs: 0 });
        await s.begin(id);
        const verdict = await s.settle(first, outcome);
        assert.deepEqual([verdict.kind, verdict.kind !== 'absent' && verdict.state], ['evidence', state]);
        const [a1, a2] = (await s.record(id)).attempts;
        assert.deepEqual([a1?.outcome, a2?.outcome], [outcome, null]);
      }
    },
  },
  {
    law: 'makes the record sent by a late acceptance in whatever state it waits',
    async check(subject) {
      const s = await scene(subject, { recipients: 5 });
      const [unknown = '', parked = '', scheduled = '', processing = '', dispatching = ''] = s.ids;
      const firsts = new Map<string, Awaited<ReturnType<typeof s.begin>>>();
      for (const id of s.ids) firsts.set(id, await s.becomeUnknown(id));
      await s.reconcile(parked, { kind: 'park', reason: 'nobody can tell' });
      for (const id of [scheduled, processing, dispatching])
        await s.reconcile(id, { kind: 'replay', provider: P0, delayMs: 0 });
      await s.grant(processing);
      await s.begin(dispatching);
      assert.equal((await s.record(unknown)).state, 'unknown');
      for (const [id, first] of firsts) {
        await s.settle(first, accepted(`late-${id}`));
        assert.equal((await s.record(id)).state, 'sent');
      }
      assert.deepEqual(await s.claimDue(10), []);
    },
  },
  {
    law: 'records a duplicate when a second attempt turns out accepted, once',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'declare', declaration: 'resend', provider: P0, delayMs: 0 });
      const second = await s.begin();
      const verdicts = [
        await s.settle(first, accepted('m-1')),
        await s.settle(second, accepted('m-2')),
        await s.settle(second, accepted('m-2')),
      ];
      assert.deepEqual(
        verdicts.map((verdict) => verdict.kind !== 'absent' && verdict.duplicate),
        [false, true, false],
      );
      assert.deepEqual(
        (await s.record()).attempts.map(({ outcome }) => outcome?.kind),
        ['accepted', 'accepted'],
      );
    },
  },
  {
    law: 'concludes nothing while another attempt is open: rejected, not sent and attempts spent stay unknown',
    async check(subject) {
      const outcomes = [REJECTED, NOT_SENT, DEFERRED] as const;
      const s = await scene(subject, { recipients: outcomes.length, maxAttempts: 2 });
      for (const [i, outcome] of outcomes.entries()) {
        const id = s.ids[i] ?? '';
        const first = await s.becomeUnknown(id);
        await s.reconcile(id, { kind: 'replay', provider: P0, delayMs: 0 });
        await s.settle(await s.begin(id), outcome);
        assert.equal((await s.record(id)).state, 'unknown', outcome.kind);
        await s.settle(first, accepted(`late-${id}`));
        assert.equal((await s.record(id)).state, 'sent');
      }
    },
  },
  {
    law: 'leaves a parked delivery parked while another of its attempts is open',
    async check(subject) {
      const s = await scene(subject);
      const first = await s.becomeUnknown();
      await s.reconcile(s.id, { kind: 'declare', declaration: 'failover', provider: P1, delayMs: 0 });
      const second = await s.begin(s.id, { provider: P1 });
      await s.settle(second, UNKNOWN);
      await s.reconcile(s.id, { kind: 'park', reason: 'nobody can tell' });
      await s.settle(first, NOT_SENT);
      assert.equal((await s.record()).state, 'parked');
      await s.settle(second, NOT_SENT);
      assert.equal((await s.record()).state, 'dead');
    },
  },
];
