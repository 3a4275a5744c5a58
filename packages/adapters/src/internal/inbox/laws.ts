import assert from 'node:assert/strict';
import type { Law } from '@sendonce/core/conformance';
import { changeLaws } from './laws/changes.ts';
import { markLaws } from './laws/marks.ts';
import { removalLaws } from './laws/removal.ts';
import { ANN, BOB, idsOf, itemsFor, put, unreadOf, type InboxSubject } from './laws/subject.ts';

export type { InboxSubject } from './laws/subject.ts';

const storing: readonly Law<InboxSubject>[] = [
  {
    law: 'stores a message once, however often it is put, and changes nothing by a repeat',
    async check({ inbox }) {
      const [item] = itemsFor(ANN, 1);
      assert.ok(item);
      assert.deepEqual(await inbox.put([item]), [{ id: 'd_1', kind: 'stored' }]);
      await inbox.markRead({ ...ANN, ids: ['d_1'] });
      const before = await inbox.list({ ...ANN, state: 'all' });
      assert.deepEqual(await inbox.put([{ ...item, content: { text: 'other' } }]), [{ id: 'd_1', kind: 'repeated' }]);
      assert.deepEqual(await inbox.list({ ...ANN, state: 'all' }), before);
    },
  },
  {
    law: 'stores a message once that many put at the same time, and tells one of them that it did',
    async check({ inbox }) {
      const results = await Promise.all(Array.from({ length: 20 }, () => inbox.put(itemsFor(ANN, 3))));
      const kinds = results.flat().filter(({ kind }) => kind === 'stored');
      assert.deepEqual(kinds.map(({ id }) => id).sort(), ['d_1', 'd_2', 'd_3']);
      assert.equal((await inbox.list(ANN)).messages.length, 3);
      assert.equal(await unreadOf(inbox, ANN), 3);
    },
  },
  {
    law: 'takes messages of many owners in one call, and tells repeats within it',
    async check({ inbox }) {
      const [one] = itemsFor(ANN, 1);
      const [other] = itemsFor(BOB, 1);
      assert.ok(one && other);
      const results = await inbox.put([one, other, { ...one, content: { text: 'second' } }]);
      assert.deepEqual(
        results.map(({ kind }) => kind),
        ['stored', 'stored', 'repeated'],
      );
      assert.deepEqual((await inbox.list(ANN)).messages[0]?.content, one.content);
      assert.deepEqual(await idsOf(inbox, BOB), ['d_1']);
    },
  },
  {
    law: 'gives a content back as it was: any letter, nesting and number',
    async check({ inbox }) {
      const content = { title: '"\\\u0000😀 שלום\u2028', data: { n: -1.5e-7, list: [null, true, { '{}': '' }] } };
      await inbox.put([{ ...ANN, id: 'd_1', content }]);
      assert.deepEqual((await inbox.list(ANN)).messages[0]?.content, content);
    },
  },
  {
    law: 'keeps owners apart whose names only look alike',
    async check({ inbox }) {
      const owners = [
        { recipientId: 'a:b' },
        { tenant: 'a', recipientId: 'b' },
        { tenant: 'a:', recipientId: 'b' },
        { tenant: '{a}', recipientId: 'b%3A' },
        { recipientId: 'A:b' },
        { recipientId: 'a:b ' },
      ];
      await inbox.put(owners.map((owner, i) => ({ ...owner, id: `d_${i}`, content: { text: 'x' } })));
      for (const [i, owner] of owners.entries()) assert.deepEqual(await idsOf(inbox, owner), [`d_${i}`]);
    },
  },
  {
    law: 'lists the newest first, in pages that together are all, once each, while others come in',
    async check({ inbox }) {
      await put(inbox, ANN, 25);
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < 10; pages += 1) {
        const page = await inbox.list({ ...ANN, limit: 10, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.messages.map(({ id }) => id));
        await inbox.put([{ ...ANN, id: `late_${pages}`, content: { text: 'late' } }]);
        if (page.next === null) break;
        cursor = page.next;
      }
      assert.deepEqual(
        seen,
        Array.from({ length: 25 }, (_, i) => `d_${25 - i}`),
      );
    },
  },
  {
    law: 'says that the last page is the last, also where it is full',
    async check({ inbox }) {
      await put(inbox, ANN, 4);
      const first = await inbox.list({ ...ANN, limit: 2 });
      assert.ok(first.next !== null);
      const second = await inbox.list({ ...ANN, limit: 2, cursor: first.next });
      assert.deepEqual([second.messages.length, second.next], [2, null]);
    },
  },
  {
    law: 'shows nothing of one owner to another, and lets nobody change what is not theirs',
    async check({ inbox }) {
      await put(inbox, ANN, 2);
      await put(inbox, BOB, 1);
      const before = await inbox.list({ ...ANN, state: 'all' });
      const ids = ['d_1', 'd_2', 'd_99'];
      for (const call of ['markRead', 'archive', 'markUnread', 'unarchive'] as const) {
        const { changed } = await inbox[call]({ tenant: 'elsewhere', recipientId: ANN.recipientId, ids });
        assert.equal(changed, 0);
        await inbox[call]({ ...BOB, ids });
      }
      await inbox.markRead({ ...BOB, upTo: before.since });
      await inbox.erase({ tenant: 'elsewhere', recipientId: ANN.recipientId });
      assert.deepEqual(await inbox.list({ ...ANN, state: 'all' }), before);
      const page = await inbox.list({ ...ANN, limit: 1 });
      assert.deepEqual(await idsOf(inbox, { ...BOB, cursor: page.next ?? '' }), []);
      assert.equal((await inbox.changes({ ...BOB, since: page.since })).isReset, true);
    },
  },
];

/** What every inbox promises. */
export const inboxLaws: readonly Law<InboxSubject>[] = [...storing, ...markLaws, ...changeLaws, ...removalLaws];
