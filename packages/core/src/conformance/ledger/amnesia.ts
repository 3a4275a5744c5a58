import assert from 'node:assert/strict';
import { isDefinite } from '../../model/outcome.ts';
import type { Law } from '../contract.ts';
import { accepted, byIds, only, P0, NOT_SENT } from './requests.ts';
import { scene, type Scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

/** What holds when the store itself forgets: a failover to a stale replica, an eviction (PROTOCOL rule 12). */
export const amnesiaLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'lets nothing move for the whole quarantine after it lost its memory',
    needs: 'amnesia',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const { fence } = await s.grant();
      await lose(subject, { evict: [] });
      for (let passed = 0; passed < 28; passed += 9) {
        assert.deepEqual(
          (await s.claim()).map(({ kind }) => kind),
          ['held', 'held'],
        );
        assert.deepEqual(await s.claimDue(10), []);
        assert.equal((await s.mark(s.id, fence)).kind, 'fenced');
        const { moved, unknown } = await s.sweep();
        assert.deepEqual([moved, unknown], [[], []]);
        await s.elapse(9);
      }
    },
  },
  {
    law: 'presumes, after it lost its memory, that whatever is not settled may have been sent',
    needs: 'amnesia',
    async check(subject) {
      const s = await scene(subject, { recipients: 6 });
      const [queued = '', processing = '', scheduled = '', sent = '', failed = '', unknown = ''] = s.ids;
      await s.becomeUnknown(unknown);
      await s.grant(processing);
      await s.settle(await s.begin(scheduled), { kind: 'deferred', reason: 'busy' });
      await s.settle(await s.begin(sent), accepted('m'));
      await s.fail(failed);
      await s.elapse(1);
      await lose(subject, { evict: [] });
      await s.elapse(31);
      await s.sweep();
      assert.deepEqual(await states(s), ['unknown', 'unknown', 'unknown', 'sent', 'failed', 'unknown']);
      for (const id of [queued, processing, scheduled, unknown]) {
        const { attempts } = await s.record(id);
        const attempt = attempts.at(-1);
        assert.equal(attempt?.n, attempts.length);
        assert.deepEqual(
          [attempt?.presumed, attempt?.charged, isDefinite(attempt?.outcome ?? null)],
          [true, false, false],
        );
      }
      // Its own attempt says nothing about those that were forgotten.
      assert.equal((await s.record(unknown)).attempts.length, 2);
      assert.ok(((await s.sweep()).epochChangedAt ?? 0) > 0);
    },
  },
  {
    law: 'mints only fences that are higher than any from before it lost its memory',
    needs: 'amnesia',
    async check(subject) {
      const s = await scene(subject);
      await s.elapse(3);
      let last = 0;
      for (let i = 0; i < 3; i += 1) {
        last = (await s.grant()).fence;
        await s.ledger.release([{ id: s.id, fence: last, delayMs: 0, failure: null }]);
      }
      await lose(subject, { lastMs: subject.unitMs * 2, evict: [] });
      await s.elapse(31);
      await s.sweep();
      await s.reconcile(s.id, { kind: 'replay', provider: P0, delayMs: 0 });
      assert.ok((await s.grant()).fence > last);
    },
  },
  {
    law: 'takes the outcome of an attempt that it forgot as evidence',
    needs: 'amnesia',
    async check(subject) {
      const s = await scene(subject);
      await s.elapse(3);
      const marked = await s.begin();
      await lose(subject, { lastMs: subject.unitMs * 2, evict: [] });
      assert.equal((await s.record()).attempts.length, 0);
      await s.elapse(31);
      await s.sweep();
      await s.settle(marked, NOT_SENT);
      assert.equal((await s.record()).state, 'unknown');
      for (let i = 0; i < 2; i += 1) await s.settle(marked, accepted('m'));
      const { state, attempts } = await s.record();
      assert.deepEqual([state, only(await s.claim()).kind], ['sent', 'settled']);
      assert.deepEqual(
        attempts.map(({ outcome }) => outcome),
        [accepted('m')],
      );
    },
  },
  {
    law: 'never hands out as new what it evicted, and makes it again from the frozen recipients',
    needs: 'amnesia',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const [evicted = '', kept = ''] = s.ids;
      const { target } = await s.record(evicted);
      const marked = await s.begin(evicted);
      await lose(subject, { evict: [evicted] });
      assert.deepEqual(await s.ledger.find([evicted]), [null]);
      await s.elapse(31);
      assert.notEqual(only(await s.claim([evicted])).kind, 'granted');
      await expandAgain(s, evicted);
      assert.equal((await s.record(evicted)).state, 'unknown');
      assert.deepEqual((await s.record(evicted)).target, target);
      assert.equal((await s.record(kept)).state, 'unknown');
      await s.settle(marked, accepted('m'));
      assert.equal((await s.record(evicted)).state, 'sent');
    },
  },
  {
    law: 'is not done with a notification of which it evicted what was not settled',
    needs: 'amnesia',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const [evicted = '', kept = ''] = s.ids;
      const marked = await s.begin(kept);
      await lose(subject, { evict: [evicted] });
      await s.settle(marked, accepted('m'));
      await s.sweep();
      assert.notEqual((await s.notificationRecord()).state, 'done');
      await s.elapse(31);
      await expandAgain(s, evicted);
      assert.deepEqual(await states(s), ['unknown', 'sent']);
      await s.reconcile(evicted, { kind: 'park', reason: 'nobody can tell' });
      await s.sweep();
      assert.equal((await s.notificationRecord()).state, 'done');
    },
  },
  {
    law: 'fences off a reconciler that read before it lost its memory',
    needs: 'amnesia',
    async check(subject) {
      const s = await scene(subject);
      await s.becomeUnknown();
      const { fence } = await s.record();
      await s.elapse(3);
      await lose(subject, { evict: [] });
      const decision = { kind: 'absent', provider: P0, next: { kind: 'failed', reason: 'stale' } } as const;
      assert.equal(await s.reconcile(s.id, decision, fence), 'fenced');
      await s.elapse(31);
      await s.sweep();
      assert.equal(await s.reconcile(s.id, decision, fence), 'fenced');
      assert.equal((await s.record()).state, 'unknown');
    },
  },
];

async function lose(subject: LedgerSubject, request: { lastMs?: number; evict: readonly string[] }): Promise<void> {
  const { lastMs = 0, evict } = request;
  await subject.loseMemory?.({ lastMs, evict, quarantineMs: subject.unitMs * 30 });
}

/** A worker finds the notification with pages to expand, and adds what its pages say. */
async function expandAgain(s: Scene, id: string): Promise<void> {
  const lease = { owner: 'worker', requestId: 'again', leaseMs: s.leaseMs };
  const claimed = only(await s.ledger.claimNotifications(byIds([s.notification]), lease));
  assert.ok(claimed.kind === 'granted', `the notification is ${claimed.kind}`);
  const deliveries = (claimed.page ?? []).map((target, i) => ({
    id: s.ids[i] ?? '',
    target,
    provider: P0,
    maxAttempts: 5,
    topic: null,
    failed: null,
  }));
  const request = { notificationId: s.notification, fence: claimed.fence, page: claimed.record.cursor, deliveries };
  const added = only(await s.ledger.add([{ ...request, sealTargets: null, leaseMs: 0 }]));
  assert.deepEqual(added.kind === 'added' && added.inserted, [id]);
}

async function states(s: Scene): Promise<readonly string[]> {
  return (await s.ledger.find(s.ids)).map((record) => record?.state ?? 'absent');
}
