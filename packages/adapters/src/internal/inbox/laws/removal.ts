import assert from 'node:assert/strict';
import type { Law } from '@sendonce/core/conformance';
import { ANN, BOB, countedIn, idsOf, put, unreadOf, type InboxSubject } from './subject.ts';

export const removalLaws: readonly Law<InboxSubject>[] = [
  {
    law: 'erases a recipient and nobody else, and begins anew for what comes later',
    async check({ inbox }) {
      await put(inbox, ANN, 3);
      await put(inbox, BOB, 2);
      const page = await inbox.list({ ...ANN, limit: 1 });
      assert.equal(await inbox.erase(ANN), 3);
      assert.equal(await inbox.erase(ANN), 0);
      assert.deepEqual([await unreadOf(inbox, ANN), await idsOf(inbox, { ...ANN, state: 'all' })], [0, []]);
      assert.equal(await unreadOf(inbox, BOB), 2);
      await put(inbox, ANN, 5);
      assert.equal(await unreadOf(inbox, ANN), 5);
      // What was shown of the inbox before says nothing of this one.
      assert.equal((await inbox.changes({ ...ANN, since: page.since })).isReset, true);
      assert.deepEqual(await idsOf(inbox, { ...ANN, cursor: page.next ?? '' }), []);
      assert.equal((await inbox.markRead({ ...ANN, upTo: page.since })).changed, 0);
    },
  },
  {
    law: 'removes what is old enough, so many at most, and keeps the count of what is unread right',
    async check({ inbox, elapse, unitMs }) {
      await put(inbox, ANN, 4);
      await put(inbox, BOB, 1);
      await inbox.markRead({ ...ANN, ids: ['d_1'] });
      await inbox.archive({ ...ANN, ids: ['d_2'] });
      const { since } = await inbox.unread(ANN);
      await elapse(unitMs * 4);
      await inbox.put([{ ...ANN, id: 'new', content: { text: 'x' } }]);
      const old = { olderThanMs: unitMs * 2, max: 3 };
      assert.equal(await inbox.clean(old), 3);
      assert.equal(await unreadOf(inbox, ANN), await countedIn(inbox, ANN));
      assert.equal(await inbox.clean(old), 2);
      assert.equal(await inbox.clean(old), 0);
      assert.deepEqual(await idsOf(inbox, { ...ANN, state: 'all' }), ['new']);
      assert.deepEqual([await unreadOf(inbox, ANN), await unreadOf(inbox, BOB)], [1, 0]);
      assert.equal((await inbox.changes({ ...ANN, since })).isReset, true);
    },
  },
  {
    law: 'keeps what came in while it was cleaned, and its count',
    async check({ inbox, other }) {
      await put(inbox, ANN, 30);
      const putting = Array.from({ length: 20 }, (_, i) =>
        other.put([{ ...ANN, id: `new_${i}`, content: { text: 'x' } }]),
      );
      const cleaning = Array.from({ length: 5 }, () => inbox.clean({ olderThanMs: 0, max: 10 }));
      const removed = (await Promise.all(cleaning)).reduce((sum, count) => sum + count, 0);
      await Promise.all(putting);
      const left = await idsOf(inbox, { ...ANN, state: 'all' });
      assert.equal(removed + left.length, 50);
      assert.equal(await unreadOf(inbox, ANN), left.length);
    },
  },
];
