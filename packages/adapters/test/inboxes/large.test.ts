import { describe, expect, test } from 'vitest';
import type { Inbox } from '../../src/inboxes/memory.ts';
import { ANN } from '../../src/internal/inbox/laws/subject.ts';
import { postgresPlaces, redisPlaces, sqlitePlace } from './stores.ts';

/** 100,000 take a quarter of a minute to put. */
const MESSAGES = Number(process.env['SENDONCE_INBOX_MESSAGES'] ?? 20_000);
const PAGE = 20;
/** What a page may take here, ms: far more than it does, and far less than a look at every message. */
const MOST_MS = 50;

async function fill(inbox: Inbox): Promise<void> {
  for (let from = 0; from < MESSAGES; from += 1_000)
    await inbox.put(
      Array.from({ length: 1_000 }, (_, i) => ({
        ...ANN,
        id: `d_${from + i}`,
        content: { title: `Order ${from + i} has shipped`, text: 'It will be with you tomorrow.', url: '/orders/4711' },
      })),
    );
}

/** The shortest of a few: what others do on this machine says nothing of the inbox. */
async function shortestMs(work: () => Promise<unknown>): Promise<number> {
  let shortest = Infinity;
  for (let i = 0; i < 5; i += 1) {
    const started = performance.now();
    await work();
    shortest = Math.min(shortest, performance.now() - started);
  }
  return shortest;
}

const stores: readonly (readonly [string, () => Promise<{ readonly inbox: Inbox; close?(): Promise<void> }>])[] = [
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlaces()],
  ['Redis', redisPlaces()],
];

describe.each(stores)(`an inbox of ${MESSAGES} messages in %s`, (name, place) => {
  test('costs no more than a small one: pages, count, marks and changes', { timeout: 240_000 }, async () => {
    const { inbox, close } = await place();
    await fill(inbox);
    const { since } = await inbox.list(ANN);
    // A cursor is a position: the middle and the end can be gone to without the pages before.
    const cursor = (position: number): string => `${since.slice(0, since.lastIndexOf('.'))}.${position}`;
    const page = (at: number) => () => inbox.list({ ...ANN, limit: PAGE, cursor: cursor(at) });
    const figures = {
      first: await shortestMs(() => inbox.list({ ...ANN, limit: PAGE })),
      middle: await shortestMs(page(MESSAGES / 2)),
      last: await shortestMs(page(PAGE + 1)),
      unread: await shortestMs(() => inbox.unread(ANN)),
      'unread page': await shortestMs(() => inbox.list({ ...ANN, limit: PAGE, state: 'unread' })),
      'archived page': await shortestMs(() => inbox.list({ ...ANN, limit: PAGE, state: 'archived' })),
      mark: await shortestMs(() => inbox.markRead({ ...ANN, ids: ['d_5000', 'd_5001'] })),
      changes: await shortestMs(() => inbox.changes({ ...ANN, since })),
    };
    const shown = Object.entries(figures).map(([what, ms]) => `${what} ${ms.toFixed(1)} ms`);
    process.stdout.write(`An inbox of ${MESSAGES} messages in ${name}: ${shown.join(', ')}\n`);
    for (const [what, ms] of Object.entries(figures)) expect(ms, what).toBeLessThan(MOST_MS);
    expect((await page(PAGE + 1)()).next).toBeNull();
    await inbox.close();
    await close?.();
  });
});
