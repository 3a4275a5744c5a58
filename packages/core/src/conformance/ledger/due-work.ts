import assert from 'node:assert/strict';
import type { DeliveryVerdict } from '../../ports/ledger.ts';
import type { Law } from '../contract.ts';
import { accepted } from './requests.ts';
import { scene, type Scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

export const dueWorkLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'hands out due work without being told ids, the longest due first, and no more than asked',
    async check(subject) {
      const s = await scene(subject, { recipients: 4 });
      const delays = [30, 10, 40, 20];
      for (const [i, id] of s.ids.entries())
        await s.ledger.release([
          { id, fence: (await s.grant(id)).fence, delayMs: subject.unitMs * (delays[i] ?? 0), failure: null },
        ]);
      assert.deepEqual(await s.claimDue(10), []);
      await s.elapse(35);
      assert.deepEqual(
        (await s.claimDue(2)).map(({ id }) => id),
        [s.ids[1], s.ids[3]],
      );
      assert.deepEqual(
        (await s.claimDue(10)).map(({ id }) => id),
        [s.ids[0]],
      );
    },
  },
  {
    law: 'leaves alone what has not been due for as long as was asked',
    async check(subject) {
      const s = await scene(subject);
      assert.deepEqual(await s.claimDue(10, { lateMs: subject.unitMs * 5 }), []);
      await s.elapse(6);
      assert.equal((await s.claimDue(10, { lateMs: subject.unitMs * 5 })).length, 1);
    },
  },
  {
    law: 'hands out again, as due work, what a dead worker left behind',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      await s.claimDue(10);
      assert.deepEqual(await s.claimDue(10), []);
      await s.elapse(11);
      assert.deepEqual((await s.claimDue(10)).map(({ id }) => id).sort(), [...s.ids].sort());
    },
  },
  {
    law: 'shares due work between claimers without an overlap or a rest',
    async check(subject) {
      const s = await scene(subject, { recipients: 20 });
      const batches = await Promise.all([s.claimDue(7), s.claimDue(7), s.claimDue(7)]);
      const granted = batches.flat().map(({ id }) => id);
      // A claimer may pass over what another is just taking, so what is left is asked for once more.
      granted.push(...(await s.claimDue(20)).map(({ id }) => id));
      assert.deepEqual(granted.sort(), [...s.ids].sort());
    },
  },
  {
    law: 'repeats a claim of due work under the same request: what it granted before, nothing new',
    async check(subject) {
      const s = await scene(subject, { recipients: 4 });
      const first = await s.claimDue(2, { requestId: 'the same' });
      const second = await s.claimDue(2, { requestId: 'the same' });
      const byId = (verdicts: typeof first) => [...verdicts].sort((x, y) => (x.id < y.id ? -1 : 1));
      assert.deepEqual(byId(second), byId(first));
      assert.equal((await s.claimDue(10)).length, 2);
    },
  },
  {
    law: 'condemns nobody for its neighbour: what shares a batch with a poisonous delivery is sent all the same',
    async check(subject) {
      const s = await scene(subject, { recipients: 12 });
      const [poison = '', ...others] = s.ids;
      for (let rounds = 0; rounds < 60 && (await s.record(poison)).state !== 'dead'; rounds += 1) {
        const granted = await s.claimDue(20);
        // Whoever holds the poison dies with all that it holds.
        if (granted.some(({ id }) => id === poison)) await s.elapse(11);
        else if (granted.length === 0) await s.elapse(2);
        else await sendAll(s, granted);
      }
      assert.match((await s.record(poison)).reason ?? '', /poison/);
      await s.elapse(11);
      for (let rounds = 0; rounds < 20; rounds += 1) await sendAll(s, await s.claimDue(20));
      const states = (await s.ledger.find(others)).map((record) => record?.state);
      assert.deepEqual(
        states,
        others.map(() => 'sent'),
      );
    },
  },
];

async function sendAll(s: Scene, verdicts: readonly DeliveryVerdict[]): Promise<void> {
  for (const verdict of verdicts) {
    if (verdict.kind !== 'granted') continue;
    const { id, fence } = verdict;
    const marked = await s.mark(id, fence);
    if (marked.kind === 'go')
      await s.settle({ id, fence, attempt: marked.attempt, provider: 'first' }, accepted(`m-${id}`));
  }
}
