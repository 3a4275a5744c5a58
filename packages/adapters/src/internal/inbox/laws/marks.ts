import assert from 'node:assert/strict';
import type { Law } from '@sendonce/core/conformance';
import { ANN, countedIn, idsOf, put, unreadOf, type InboxSubject } from './subject.ts';

export const markLaws: readonly Law<InboxSubject>[] = [
  {
    law: 'marks as read, unread, archived and unarchived, and lists and counts accordingly',
    async check({ inbox }) {
      await put(inbox, ANN, 4);
      const shown = async (): Promise<readonly unknown[]> => [
        await idsOf(inbox, ANN),
        await idsOf(inbox, { ...ANN, state: 'unread' }),
        await idsOf(inbox, { ...ANN, state: 'archived' }),
        await unreadOf(inbox, ANN),
      ];
      assert.equal((await inbox.markRead({ ...ANN, ids: ['d_2', 'd_4'] })).unread, 2);
      assert.deepEqual(await shown(), [['d_4', 'd_3', 'd_2', 'd_1'], ['d_3', 'd_1'], [], 2]);
      assert.equal((await inbox.archive({ ...ANN, ids: ['d_1', 'd_2'] })).unread, 1);
      assert.deepEqual(await shown(), [['d_4', 'd_3'], ['d_3'], ['d_2', 'd_1'], 1]);
      assert.equal((await inbox.markUnread({ ...ANN, ids: ['d_2', 'd_4'] })).unread, 2);
      assert.equal((await inbox.unarchive({ ...ANN, ids: ['d_1', 'd_2'] })).unread, 4);
      assert.deepEqual(await shown(), [['d_4', 'd_3', 'd_2', 'd_1'], ['d_4', 'd_3', 'd_2', 'd_1'], [], 4]);
      assert.equal((await idsOf(inbox, { ...ANN, state: 'all' })).length, 4);
    },
  },
  {
    law: 'changes nothing by a mark that is so already, and keeps the time of the first',
    async check({ inbox }) {
      await put(inbox, ANN, 2);
      for (const [call, back] of [
        ['markRead', 'markUnread'],
        ['archive', 'unarchive'],
      ] as const) {
        assert.equal((await inbox[call]({ ...ANN, ids: ['d_1', 'd_1', 'd_none'] })).changed, 1);
        const before = await inbox.list({ ...ANN, state: 'all' });
        assert.equal((await inbox[call]({ ...ANN, ids: ['d_1'] })).changed, 0);
        assert.equal((await inbox[back]({ ...ANN, ids: ['d_2'] })).changed, 0);
        assert.deepEqual(await inbox.list({ ...ANN, state: 'all' }), before);
      }
    },
  },
  {
    law: 'marks all as read that the caller has seen, and nothing that came later',
    async check({ inbox }) {
      await put(inbox, ANN, 5);
      await inbox.archive({ ...ANN, ids: ['d_5'] });
      const { since: upTo } = await inbox.list(ANN);
      await inbox.put([{ ...ANN, id: 'late', content: { text: 'late' } }]);
      const { changed, unread } = await inbox.markRead({ ...ANN, upTo });
      assert.deepEqual([changed, unread], [4, 1]);
      assert.deepEqual(await idsOf(inbox, { ...ANN, state: 'unread' }), ['late']);
      assert.equal((await inbox.markRead({ ...ANN, upTo })).changed, 0);
      // What is archived was not on that page.
      assert.equal((await inbox.unarchive({ ...ANN, ids: ['d_5'] })).unread, 2);
    },
  },
  {
    law: 'takes a token of another inbox, or one that was made up, for what it is: nothing was seen by it',
    async check({ inbox }) {
      await put(inbox, ANN, 2);
      const { since } = await inbox.list(ANN);
      for (const key of ['', '0', 'x', '-1', '1e3', '9'.repeat(18), '9'.repeat(19), '9'.repeat(64)]) {
        const token = `${key}.${'9'.repeat(15)}`;
        assert.equal((await inbox.markRead({ ...ANN, upTo: token })).changed, 0, token);
        assert.deepEqual((await inbox.list({ ...ANN, cursor: token })).messages, [], token);
        assert.equal((await inbox.changes({ ...ANN, since: token })).isReset, true, token);
      }
      assert.deepEqual(await inbox.unread(ANN), { unread: 2, since });
    },
  },
  {
    law: 'marks more than a thousand as read in one call',
    async check({ inbox }) {
      for (let i = 0; i < 3; i += 1)
        await inbox.put(Array.from({ length: 700 }, (_, n) => ({ ...ANN, id: `m_${i}_${n}`, content: { text: 'x' } })));
      const { since: upTo } = await inbox.unread(ANN);
      const { changed, unread } = await inbox.markRead({ ...ANN, upTo });
      assert.deepEqual([changed, unread], [2_100, 0]);
    },
  },
  {
    law: 'counts what is unread right while many mark the same messages and others, from two processes',
    async check({ inbox, other }) {
      await put(inbox, ANN, 40);
      const ids = Array.from({ length: 40 }, (_, i) => `d_${i + 1}`);
      const calls = ['markRead', 'archive', 'markUnread', 'unarchive', 'markRead'] as const;
      const marks = Array.from({ length: 60 }, (_, i) => {
        const own = [ids[0] ?? '', ids[i % 40] ?? '', ids[(i * 7) % 40] ?? '', ids[(i * 11) % 40] ?? ''];
        const process = i % 2 === 0 ? inbox : other;
        return process[calls[i % calls.length] ?? 'markRead']({ ...ANN, ids: own });
      });
      const news = Array.from({ length: 10 }, (_, i) =>
        other.put([{ ...ANN, id: `new_${i % 5}`, content: { text: 'x' } }]),
      );
      const { since: upTo } = await inbox.unread(ANN);
      await Promise.all([...marks, ...news, inbox.markRead({ ...ANN, upTo }), inbox.archive({ ...ANN, ids })]);
      const counted = await countedIn(inbox, ANN);
      assert.equal(await unreadOf(inbox, ANN), counted);
      assert.equal(await unreadOf(other, ANN), counted);
      assert.equal((await idsOf(inbox, { ...ANN, state: 'unread' })).length, counted);
    },
  },
];
