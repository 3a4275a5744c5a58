import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inboxHandler, nodeListener, type InboxHandlerOptions } from '../../src/inboxes/handler.ts';
import type { Inbox, InboxOwner } from '../../src/inboxes/memory.ts';
import { inboxOn } from '../../src/internal/inbox/inbox-on.ts';
import { itemsFor } from '../../src/internal/inbox/laws/subject.ts';
import { memoryStore } from '../../src/internal/inbox/memory-store.ts';

const ANN: InboxOwner = { recipientId: 'ann' };

interface Event {
  readonly event: string;
  readonly id: string;
  readonly data: { readonly id?: string; readonly unread?: number };
}

/** An inbox of which it is known how often its store is asked, and which can be out of reach. */
function watched(pollMs = 10) {
  const store = memoryStore(Date.now);
  const asked = { polls: 0, others: 0, watching: 0, isDown: false };
  const own = inboxOn(
    {
      ...store,
      box: (owner) => {
        asked[owner.recipientId === ANN.recipientId ? 'polls' : 'others'] += 1;
        return asked.isDown ? Promise.reject(new Error('down')) : store.box(owner);
      },
      changes: (...args) => (asked.isDown ? Promise.reject(new Error('down')) : store.changes(...args)),
    },
    { pollMs },
  );
  onTestFinished(() => own.close());
  const inbox: Inbox = {
    ...own,
    async *watch(request) {
      asked.watching += 1;
      try {
        yield* own.watch(request);
      } finally {
        asked.watching -= 1;
      }
    },
  };
  return { inbox, store, asked };
}

/** Somebody else's inbox is polled a few times meanwhile, on the same clock. */
async function someTime(inbox: Inbox, asked: { readonly others: number }): Promise<void> {
  const stop = new AbortController();
  const other = inbox.watch({ recipientId: 'somebody else', signal: stop.signal })[Symbol.asyncIterator]();
  const over = other.next();
  const before = asked.others;
  await vi.waitFor(() => expect(asked.others).toBeGreaterThan(before + 4));
  stop.abort();
  await over;
}

function opener(inbox: Inbox, options: Partial<InboxHandlerOptions> = {}) {
  const handler = inboxHandler({ inbox, who: () => ANN, ...options });
  return async (from: { readonly since?: string; readonly lastEventId?: string } = {}) => {
    const gone = new AbortController();
    const response = await handler(
      new Request(`http://x/inbox/live${from.since === undefined ? '' : `?since=${from.since}`}`, {
        headers: from.lastEventId === undefined ? {} : { 'last-event-id': from.lastEventId },
        signal: gone.signal,
      }),
    );
    return { gone, response, ...reader(response.body!) };
  };
}

/** Events one by one, and what is no event (comments, `retry`). */
function reader(body: ReadableStream<Uint8Array>) {
  const source = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  const rest: string[] = [];
  async function next(): Promise<Event | null> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end < 0) {
        const { value, done } = await source.read();
        if (done) return null;
        text += decoder.decode(value, { stream: true });
        continue;
      }
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const fields = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      if (fields['data'] === undefined) rest.push(lines.join('\n'));
      else
        return {
          event: fields['event'] ?? '',
          id: fields['id'] ?? '',
          data: JSON.parse(fields['data']) as Event['data'],
        };
    }
  }
  const until = async (event: string): Promise<readonly Event[]> => {
    const seen: Event[] = [];
    for (;;) {
      const each = await next();
      if (each === null) throw new Error(`the stream ended before '${event}'`);
      seen.push(each);
      if (each.event === event) return seen;
    }
  };
  return { next, until, rest, source };
}

describe('the live stream of an inbox', () => {
  test('tells the count at once, then what comes, and goes on from the last event for a client that comes again', async () => {
    const { inbox } = watched();
    const open = opener(inbox);
    await inbox.put(itemsFor(ANN, 1));
    const { since } = await inbox.list(ANN);
    await inbox.put([{ ...ANN, id: 'between', content: { text: 'x' } }]);
    const first = await open({ since });
    expect(first.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await first.next()).toEqual({ event: 'unread', id: since, data: { unread: 2 } });
    const [message, count] = await first.until('unread');
    expect(message).toMatchObject({ event: 'message', data: { id: 'between', readAt: null } });
    expect(count?.data.unread).toBe(2);
    expect(first.rest).toEqual(['retry: 2000']);
    first.gone.abort();
    expect(await first.next()).toBeNull();

    await inbox.put([{ ...ANN, id: 'while away', content: { text: 'x' } }]);
    await inbox.markRead({ ...ANN, ids: ['between'] });
    const again = await open({ since, lastEventId: message!.id });
    await again.until('unread');
    const told = await again.until('unread');
    expect(told.map(({ data }) => data.id ?? data.unread)).toEqual(['while away', 'between', 2]);
    again.gone.abort();
  });

  test('goes on in the middle of what came together', async () => {
    const { inbox } = watched();
    const open = opener(inbox);
    const { since } = await inbox.unread(ANN);
    await inbox.put(itemsFor(ANN, 3));
    const stream = await open({ since });
    await stream.next();
    const first = await stream.next();
    stream.gone.abort();
    const again = await open({ lastEventId: first!.id });
    await again.next();
    expect((await again.until('unread')).map(({ data }) => data.id ?? data.unread)).toEqual(['d_2', 'd_3', 3]);
    again.gone.abort();
  });

  test('tells at once what this process writes, however seldom the store is asked', async () => {
    const { inbox } = watched(3_600_000);
    const stream = await opener(inbox)();
    await stream.next();
    await inbox.put(itemsFor(ANN, 1));
    expect((await stream.until('unread'))[0]?.data.id).toBe('d_1');
    await inbox.archive({ ...ANN, ids: ['d_1'] });
    expect((await stream.until('unread'))[1]?.data.unread).toBe(0);
    stream.gone.abort();
  });

  test('asks to list again where something was removed, and goes on', async () => {
    const { inbox } = watched();
    await inbox.put(itemsFor(ANN, 3));
    const { since } = await inbox.list(ANN);
    await inbox.clean({ olderThanMs: 0, max: 2 });
    const stream = await opener(inbox)({ since });
    const events = await stream.until('reset');
    expect(events.map(({ event }) => event)).toEqual(['unread', 'reset']);
    await inbox.markRead({ ...ANN, ids: ['d_3'] });
    expect((await stream.until('unread')).map(({ data }) => data.id ?? data.unread)).toEqual(['d_3', 0]);
    stream.gone.abort();
  });

  test('of many tabs costs one look at the store, and none when they are gone', async () => {
    const { inbox, asked } = watched();
    const open = opener(inbox);
    const tabs = await Promise.all(Array.from({ length: 10 }, () => open()));
    const before = asked.polls;
    const started = performance.now();
    await vi.waitFor(() => expect(asked.polls - before).toBeGreaterThanOrEqual(5));
    // Ten of them would have asked ten times in that time for each poll.
    expect(asked.polls - before).toBeLessThanOrEqual((performance.now() - started) / 10 + 1);
    for (const { gone } of tabs) gone.abort();
    await Promise.all(tabs.map(({ until }) => until('never').catch(() => undefined)));
    const after = asked.polls;
    await inbox.put(itemsFor(ANN, 1));
    await someTime(inbox, asked);
    expect(asked.polls).toBe(after);
  });

  test('over the limit is ended at once, and told to come again in a minute', async () => {
    const { inbox } = watched();
    const open = opener(inbox, { maxStreams: 2 });
    const [first] = [await open(), await open()];
    const third = await open();
    expect([third.response.status, await third.next(), third.rest]).toEqual([200, null, ['retry: 60000']]);
    first.gone.abort();
    await first.until('never').catch(() => undefined);
    const fourth = await open();
    expect((await fourth.next())?.event).toBe('unread');
    fourth.gone.abort();
  });

  test('is kept awake by comments', async () => {
    const { inbox } = watched();
    const stream = await opener(inbox, { heartbeatMs: 10 })();
    await stream.next();
    const waiting = stream.next();
    await vi.waitFor(() => expect(stream.rest.filter((line) => line === ':').length).toBeGreaterThanOrEqual(3));
    stream.gone.abort();
    expect(await waiting).toBeNull();
  });

  test('gives a client up that reads nothing, and holds little for it until then', async () => {
    const { inbox, asked } = watched();
    const stream = await opener(inbox, { heartbeatMs: 10 })();
    for (let i = 0; i < 40; i += 1) await inbox.put([{ ...ANN, id: `d_${i}`, content: { text: 'x'.repeat(30_000) } }]);
    await vi.waitFor(() => expect(asked.watching).toBe(0));
    await expect(stream.source.read()).rejects.toThrow('does not read');
  });

  test('of a store that goes out of reach ends, and one that is opened then comes again soon', async () => {
    const { inbox, asked } = watched();
    const told: unknown[] = [];
    const open = opener(inbox, { onError: (error) => told.push(error), retryMs: 7 });
    const stream = await open();
    await stream.next();
    const waiting = stream.next();
    asked.isDown = true;
    await inbox.put(itemsFor(ANN, 1));
    expect(await waiting).toBeNull();
    const again = await open();
    expect([again.response.status, await again.next(), again.rest, told.length]).toEqual([200, null, ['retry: 7'], 1]);
    asked.isDown = false;
    const third = await open({ lastEventId: '.0' });
    await third.until('unread');
    expect((await third.until('unread'))[0]?.data.id).toBe('d_1');
    third.gone.abort();
  });

  test('survives a poll that fails, and sees afterwards what another process did', async () => {
    const { inbox, store, asked } = watched();
    const stream = await opener(inbox)();
    await stream.next();
    const before = asked.polls;
    asked.isDown = true;
    await vi.waitFor(() => expect(asked.polls).toBeGreaterThan(before + 1));
    asked.isDown = false;
    await store.put({ tenant: 'default', recipientId: 'ann' }, [{ id: 'd_1', body: '{}' }]);
    expect((await stream.until('unread')).map(({ data }) => data.id ?? data.unread)).toEqual(['d_1', 1]);
    stream.gone.abort();
  });

  test('ends when the inbox is closed', async () => {
    const { inbox } = watched();
    const stream = await opener(inbox)();
    await stream.next();
    await inbox.close();
    expect(await stream.next()).toBeNull();
  });
});

describe('on node:http', () => {
  async function served(inbox: Inbox): Promise<string> {
    const listener = nodeListener(inboxHandler({ inbox, who: () => ANN }));
    const server = createServer((request, response) => void listener(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('lists, marks, and refuses a body that is too long', async () => {
    const { inbox } = watched();
    const origin = await served(inbox);
    await inbox.put(itemsFor(ANN, 2));
    expect(await (await fetch(`${origin}/inbox?limit=1`)).json()).toMatchObject({
      unread: 2,
      messages: [{ id: 'd_2' }],
    });
    const post = (body: string): Promise<Response> =>
      fetch(`${origin}/inbox/read`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect(await (await post('{"ids":["d_1"]}')).json()).toMatchObject({ changed: 1, unread: 1 });
    expect((await post(JSON.stringify({ ids: ['x'.repeat(70_000)] }))).status).toBe(413);
    expect((await fetch(`${origin}/inbox`, { method: 'HEAD' })).status).toBe(200);
  });

  test.each(['GET //', 'GET http://[::1/inbox', 'GET http://user:pw@shop.example/inbox', 'TRACE /inbox', 'POST //'])(
    'refuses what is no request (%s), and goes on',
    async (line) => {
      const { inbox } = watched();
      const origin = await served(inbox);
      const { hostname, port } = new URL(origin);
      const socket = connect(Number(port), hostname);
      onTestFinished(() => void socket.destroy());
      socket.write(`${line} HTTP/1.1\r\nhost: shop.example\r\n\r\n`);
      const [told] = (await once(socket, 'data')) as [Buffer];
      expect(String(told)).toMatch(/^HTTP\/1\.1 400 /);
      expect((await fetch(`${origin}/inbox`)).status).toBe(200);
    },
  );

  test('stops watching when the client goes', async () => {
    const { inbox, asked } = watched();
    const origin = await served(inbox);
    const answer = await new Promise<IncomingMessage>((resolve) => get(`${origin}/inbox/live`, resolve));
    const first = await new Promise<string>((resolve) => answer.once('data', (part: Buffer) => resolve(String(part))));
    expect(first).toContain('event: unread');
    answer.destroy();
    await vi.waitFor(() => expect(asked.watching).toBe(0));
  });
});
