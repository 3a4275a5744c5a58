import { describe, expect, test } from 'vitest';
import { inboxHandler, type InboxHandlerOptions } from '../../src/inboxes/handler.ts';
import { memoryInbox } from '../../src/inboxes/memory.ts';
import type { Inbox, InboxOwner, InboxPage } from '../../src/inboxes/memory.ts';
import { itemsFor } from '../../src/internal/inbox/laws/subject.ts';

const ANN: InboxOwner = { tenant: 'shop', recipientId: 'ann' };
const BOB: InboxOwner = { tenant: 'shop', recipientId: 'bob' };
const USERS: Readonly<Record<string, InboxOwner>> = { ann: ANN, bob: BOB };

interface Ask {
  readonly user?: string | null;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function site(options: Partial<InboxHandlerOptions> = {}) {
  const inbox: Inbox = options.inbox ?? memoryInbox({ pollMs: 10 });
  const handler = inboxHandler({
    who: ({ headers }) => USERS[headers.get('cookie') ?? ''] ?? null,
    ...options,
    inbox,
  });
  const ask = (path: string, { user = 'ann', method = 'GET', body, headers = {} }: Ask = {}): Promise<Response> =>
    handler(
      new Request(`https://shop.example${path}`, {
        method: body === undefined ? method : 'POST',
        headers: {
          ...(user !== null && { cookie: user }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  const page = async (path: string, given: Ask = {}): Promise<InboxPage> =>
    (await (await ask(path, given)).json()) as InboxPage;
  return { inbox, ask, page };
}

const idsIn = ({ messages }: InboxPage): readonly string[] => messages.map(({ id }) => id);

describe('the handler of an inbox', () => {
  test('lists page by page, counts and marks', async () => {
    const { inbox, ask, page } = site();
    await inbox.put(itemsFor(ANN, 5));
    const first = await page('/inbox?limit=3');
    expect(idsIn(first)).toEqual(['d_5', 'd_4', 'd_3']);
    expect(idsIn(await page(`/inbox/?limit=3&cursor=${first.next}`))).toEqual(['d_2', 'd_1']);
    const marked = await ask('/inbox/read', { body: { ids: ['d_1'] } });
    expect(await marked.json()).toMatchObject({ changed: 1, unread: 4 });
    await ask('/inbox/archive', { body: { ids: ['d_2', 'd_3'] } });
    await ask('/inbox/unarchive', { body: { ids: ['d_3'] } });
    await ask('/inbox/unread', { body: { ids: ['d_1'] } });
    expect(await (await ask('/inbox/unread')).json()).toMatchObject({ unread: 4 });
    expect(idsIn(await page('/inbox?state=archived'))).toEqual(['d_2']);
    expect(await (await ask('/inbox/read', { body: { upTo: first.since } })).json()).toMatchObject({ unread: 0 });
  });

  test('shows and changes nothing of somebody else, whatever the caller says', async () => {
    const { inbox, ask, page } = site();
    await inbox.put(itemsFor(ANN, 2));
    await inbox.put([{ ...BOB, id: 'b_1', content: { text: 'x' } }]);
    const before = await inbox.list({ ...ANN, state: 'all' });
    for (const path of ['read', 'unread', 'archive', 'unarchive'])
      expect(await (await ask(`/inbox/${path}`, { user: 'bob', body: { ids: ['d_1', 'd_2'] } })).json()).toMatchObject({
        changed: 0,
      });
    const named = await ask('/inbox/read', { user: 'bob', body: { ids: ['d_1'], recipientId: 'ann' } });
    expect(named.status).toBe(400);
    expect((await ask('/inbox?recipientId=ann', { user: 'bob' })).status).toBe(400);
    await ask('/inbox/read', { user: 'bob', body: { upTo: before.since } });
    expect(idsIn(await page('/inbox?state=all', { user: 'bob' }))).toEqual(['b_1']);
    expect(await inbox.list({ ...ANN, state: 'all' })).toEqual(before);
  });

  test.for<[what: string, path: string, ask: Ask, status: number, code: string | null]>([
    ['nobody is signed in', '/inbox', { user: null }, 401, null],
    ['nobody is signed in for the stream', '/inbox/live', { user: null }, 401, null],
    ['there is no such path', '/inbox/other', {}, 404, null],
    ['it is below another path', '/inboxes', {}, 404, null],
    ['the name is one of every object', '/inbox/constructor', {}, 404, null],
    ['the method is for others', '/inbox', { body: { ids: [] } }, 405, null],
    ['a mark is a GET', '/inbox/read', {}, 405, null],
    ['a mark is a HEAD', '/inbox/read', { method: 'HEAD' }, 405, null],
    [
      'a form of another site posts',
      '/inbox/read',
      { method: 'POST', headers: { 'content-type': 'text/plain' } },
      415,
      'OPTION_INVALID',
    ],
    ['a post says no type', '/inbox/read', { method: 'POST' }, 415, 'OPTION_INVALID'],
    ['the body is no JSON', '/inbox/read', { body: '{' }, 400, 'OPTION_INVALID'],
    ['the body is a list', '/inbox/read', { body: [] }, 400, 'OPTION_INVALID'],
    ['the ids are none', '/inbox/archive', { body: { ids: 'd_1' } }, 400, 'OPTION_INVALID'],
    ['an id is a number', '/inbox/archive', { body: { ids: [1] } }, 400, 'OPTION_INVALID'],
    ['all are archived up to a moment', '/inbox/archive', { body: { upTo: '1.1' } }, 400, 'OPTION_INVALID'],
    ['the moment is none', '/inbox/read', { body: { upTo: 'now' } }, 400, 'OPTION_INVALID'],
    ['the body is too long', '/inbox/read', { body: { ids: ['x'.repeat(70_000)] } }, 413, 'OPTION_INVALID'],
    ['the cursor is none', '/inbox?cursor=x', {}, 400, 'OPTION_INVALID'],
    ['the state is none', '/inbox?state=new', {}, 400, 'OPTION_INVALID'],
    ['the limit is too high', '/inbox?limit=101', {}, 400, 'OPTION_INVALID'],
    ['the limit is no number', '/inbox?limit=', {}, 400, 'OPTION_INVALID'],
    ['the stream goes on from nowhere', '/inbox/live?since=x', {}, 400, 'OPTION_INVALID'],
  ])('when %s, says so', async ([, path, given, status, code]) => {
    const answer = await site().ask(path, given);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const text = await answer.text();
    if (code === null) expect(text).toBe('');
    else expect(JSON.parse(text)).toMatchObject({ error: { code } });
  });

  test('names the methods that there are', async () => {
    const { ask } = site();
    expect((await ask('/inbox/read')).headers.get('allow')).toBe('POST');
    expect((await ask('/inbox/unread', { method: 'DELETE' })).headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await ask('/inbox/live', { body: {} })).headers.get('allow')).toBe('GET, HEAD');
  });

  test.each(['/inbox', '/inbox/unread', '/inbox/live'])('answers HEAD of %s as GET without a body', async (path) => {
    const answer = await site().ask(path, { method: 'HEAD' });
    expect([answer.status, answer.body]).toEqual([200, null]);
    expect(answer.headers.get('content-type')).toMatch(path.endsWith('live') ? /event-stream/ : /json/);
    expect(answer.headers.get('cache-control')).toMatch(/^no-store/);
  });

  test('tells of a store that fails by its code alone, and its owner everything', async () => {
    const told: unknown[] = [];
    const { inbox } = site();
    await inbox.close();
    const broken = { ...inbox, list: () => Promise.reject(new Error('secret')) };
    const failing = site({ inbox: broken, onError: (error) => told.push(error) });
    const answer = await failing.ask('/inbox');
    expect([answer.status, await answer.text()]).toEqual([500, '']);
    expect(String(told[0])).toContain('secret');
  });

  test.each<[string, InboxHandlerOptions['who']]>([
    ['throws', () => Promise.reject(new Error('no session store'))],
    ['names nobody', () => ({}) as never],
  ])('is not the caller who is wrong when who %s', async (_, who) => {
    const told: unknown[] = [];
    const answer = await site({ who, onError: (error) => told.push(error) }).ask('/inbox');
    expect([answer.status, await answer.text(), told.length]).toEqual([500, '', 1]);
  });

  test('may be mounted anywhere', async () => {
    const { ask } = site({ path: '/api/messages/' });
    expect((await ask('/api/messages')).status).toBe(200);
    expect((await ask('/api/messages/unread')).status).toBe(200);
    expect((await ask('/inbox')).status).toBe(404);
  });
});
