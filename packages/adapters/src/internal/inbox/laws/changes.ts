import assert from 'node:assert/strict';
import type { Law } from '@sendonce/core/conformance';
import type { InboxChanges, InboxMessage } from '../inbox.ts';
import { ANN, BOB, put, unreadOf, type InboxSubject } from './subject.ts';

export const changeLaws: readonly Law<InboxSubject>[] = [
  {
    law: 'tells what came in and what was marked, each message once, as it is now',
    async check({ inbox }) {
      const { since: start } = await inbox.unread(ANN);
      await put(inbox, ANN, 3);
      const { since } = await inbox.list(ANN);
      await inbox.markRead({ ...ANN, ids: ['d_2'] });
      await inbox.archive({ ...ANN, ids: ['d_1', 'd_2'] });
      const told = await inbox.changes({ ...ANN, since });
      assert.deepEqual(told.changes.map(({ id }) => id).sort(), ['d_1', 'd_2']);
      assert.ok(told.changes.every(({ archivedAt }) => archivedAt !== null));
      assert.deepEqual([told.unread, told.isReset, told.isMore], [1, false, false]);
      assert.deepEqual((await inbox.changes({ ...ANN, since: told.since })).changes, []);
      assert.equal((await inbox.changes({ ...ANN, since: start })).changes.length, 3);
    },
  },
  {
    law: 'tells changes in parts, in their order, and goes on from each',
    async check({ inbox }) {
      const { since: start } = await inbox.unread(ANN);
      await put(inbox, ANN, 7);
      await inbox.markRead({ ...ANN, ids: ['d_1', 'd_3'] });
      const told: InboxMessage[] = [];
      let since = start;
      for (let parts = 0, isMore = true; isMore && parts < 10; parts += 1) {
        const part = await inbox.changes({ ...ANN, since, limit: 2 });
        told.push(...part.changes);
        ({ since, isMore } = part);
      }
      assert.deepEqual(told.map(({ id }) => id).sort(), ['d_1', 'd_2', 'd_3', 'd_4', 'd_5', 'd_6', 'd_7']);
      const numbers = told.map(({ change }) => change);
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((a, b) => a - b),
      );
    },
  },
  {
    law: 'misses no change, and tells none twice, to one who reads while many write from two processes',
    async check({ inbox, other }) {
      let { since } = await inbox.unread(ANN);
      const told = new Map<string, number>();
      const read = async (): Promise<void> => {
        const part = await inbox.changes({ ...ANN, since, limit: 500 });
        since = part.since;
        assert.equal(part.isReset, false);
        for (const { id, change } of part.changes) {
          assert.ok(change > (told.get(id) ?? 0), `${id} was told twice`);
          told.set(id, change);
        }
      };
      let isWriting = true;
      const writing = Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const process = i % 2 === 0 ? inbox : other;
          await process.put([1, 2, 3].map((n) => ({ ...ANN, id: `m_${i}_${n}`, content: { text: 'x' } })));
          await process.markRead({ ...ANN, ids: [`m_${i}_1`, 'm_0_2'] });
        }),
      ).finally(() => (isWriting = false));
      while (isWriting) await read();
      await writing;
      await read();
      assert.equal(told.size, 120);
      const now = await inbox.list({ ...ANN, state: 'all', limit: 100 });
      for (const { id, change } of now.messages) assert.equal(told.get(id), change);
    },
  },
  {
    law: 'asks to list again whoever missed more than a thousand changes, and whoever comes from another inbox',
    async check({ inbox }) {
      await put(inbox, ANN, 1);
      const { since } = await inbox.unread(ANN);
      for (let i = 0; i < 2; i += 1)
        await inbox.put(Array.from({ length: 600 }, (_, n) => ({ ...ANN, id: `m_${i}_${n}`, content: { text: 'x' } })));
      const told = await inbox.changes({ ...ANN, since });
      assert.deepEqual([told.isReset, told.changes.length, told.unread], [true, 0, 1_201]);
      assert.equal((await inbox.changes({ ...BOB, since })).isReset, true);
      assert.equal((await inbox.changes({ ...ANN, since: told.since })).isReset, false);
    },
  },
  {
    law: 'wakes whoever watches, for what this process writes and for what another does, and misses nothing between list and watch',
    async check({ inbox, other }) {
      await put(inbox, ANN, 1);
      const { since } = await inbox.list(ANN);
      await inbox.put([{ ...ANN, id: 'between', content: { text: 'x' } }]);
      const stop = new AbortController();
      const watching = inbox.watch({ ...ANN, since, signal: stop.signal })[Symbol.asyncIterator]();
      assert.deepEqual(await nextIds(watching), ['between']);
      await inbox.put([{ ...ANN, id: 'here', content: { text: 'x' } }]);
      assert.deepEqual(await nextIds(watching), ['here']);
      await other.put([{ ...ANN, id: 'there', content: { text: 'x' } }]);
      assert.deepEqual(await nextIds(watching), ['there']);
      await other.archive({ ...ANN, ids: ['here', 'there'] });
      assert.deepEqual([...(await nextIds(watching))].sort(), ['here', 'there']);
      const last = watching.next();
      stop.abort();
      assert.equal((await last).done, true);
    },
  },
  {
    law: 'ends what watches when it is closed, and may be closed twice',
    async check({ inbox }) {
      const { since } = await inbox.unread(ANN);
      const watching = inbox.watch({ ...ANN, since })[Symbol.asyncIterator]();
      const next = watching.next();
      await unreadOf(inbox, ANN);
      await inbox.close();
      await inbox.close();
      assert.equal((await next).done, true);
    },
  },
];

async function nextIds(watching: AsyncIterator<InboxChanges, unknown>): Promise<readonly string[]> {
  const { value, done } = await watching.next();
  assert.notEqual(done, true);
  return (value as InboxChanges).changes.map(({ id }) => id);
}
