import type { MessageContent } from '@sendonce/core';
import { groupBy, numberRule, shown, type Rule } from '@sendonce/core/internal';
import { invalid } from '../options.ts';
import { bodyOf, fieldsIn, idsIn, numberIn, ownerIn } from './checks.ts';
import { Feeds } from './feeds.ts';
import {
  INBOX_STATES,
  type Inbox,
  type InboxChanges,
  type InboxFacts,
  type InboxItem,
  type InboxMessage,
  type MarkRequest,
  type Marked,
  type WatchRequest,
} from './inbox.ts';
import { nameOf, type Box, type InboxStore, type Move, type Owner, type StoredMessage } from './store.ts';
import { readToken, tokenOf, type Token } from './tokens.ts';

export const POLL_RULE: Rule = numberRule({ least: 10, most: 3_600_000 }, ' ms');

/** Whoever missed more lists again instead: a page is less than all that. */
const MOST_MISSED = 1_000;
/** One step of marking all as read: it holds the inbox's lock. */
const SEEN_AT_ONCE = 1_000;

/** An inbox over a store: what is asked is checked, and changes are told as they come. */
export function inboxOn(store: InboxStore, { pollMs = 1_000 }: { readonly pollMs?: number | undefined }): Inbox {
  const feeds = new Feeds(store, pollMs);

  async function mark(call: string, move: Move, request: MarkRequest): Promise<Marked> {
    const owner = ownerIn(call, request);
    const { box, changed } = await store.mark(owner, move, idsIn(call, request.ids));
    if (changed > 0) feeds.ring(owner);
    return { changed, ...factsOf(box) };
  }

  async function markSeen(owner: Owner, upTo: Token): Promise<Marked> {
    let changed = 0;
    for (;;) {
      const step = await store.markSeen(owner, { ...upTo, most: SEEN_AT_ONCE });
      changed += step.changed;
      if (step.changed > 0) feeds.ring(owner);
      if (step.changed < SEEN_AT_ONCE) return { changed, ...factsOf(step.box) };
    }
  }

  async function changes(owner: Owner, since: Token, limit: number): Promise<InboxChanges> {
    const { box, rows } = await store.changes(owner, since.at, limit + 1);
    const facts = factsOf(box);
    if (isLost(since, box)) return { changes: [], ...facts, isReset: true, isMore: false };
    const changed = rows.slice(0, limit);
    const last = changed.length < rows.length ? changed.at(-1) : undefined;
    return {
      changes: changed.map(messageOf),
      unread: facts.unread,
      since: last === undefined ? facts.since : tokenOf(box, last.change),
      isReset: false,
      isMore: last !== undefined,
    };
  }

  async function* watch({ signal, ...request }: WatchRequest): AsyncGenerator<InboxChanges> {
    const owner = ownerIn('watch', request);
    const feed = feeds.open(owner);
    try {
      let since = request.since ?? factsOf(await store.box(owner)).since;
      while (signal?.aborted !== true && !feeds.isClosed) {
        const rings = feed.count;
        const found = await changes(owner, readToken('watch: since', since), 100);
        if (found.since === since && !found.isReset) await feed.wait(rings, signal);
        else yield found;
        since = found.since;
      }
    } finally {
      feed.leave();
    }
  }

  return {
    async put(items) {
      const checked = itemsIn(items);
      const stored = new Set<string>();
      for (const own of groupBy(checked, ({ name }) => name).values()) {
        const [{ owner }] = own as [Checked];
        // Of two under one id the first is stored.
        const once = own.filter(({ id }, at) => own.findIndex((other) => other.id === id) === at);
        const fresh = await store.put(owner, once);
        for (const id of fresh) stored.add(`${nameOf(owner)} ${id}`);
        if (fresh.length > 0) feeds.ring(owner);
      }
      return checked.map(({ name, id }) => ({ id, kind: stored.delete(`${name} ${id}`) ? 'stored' : 'repeated' }));
    },
    async list(query) {
      const owner = ownerIn('list', query);
      const { cursor, state = 'inbox' } = query;
      const limit = numberIn('list: limit', query.limit ?? 20, [1, 100]);
      if (!INBOX_STATES.includes(state))
        invalid(`list: state must be one of ${INBOX_STATES.join(', ')}, got ${shown(state)}`);
      const from = cursor === undefined ? null : readToken('list: cursor', cursor);
      const { box, rows } = await store.list(owner, {
        before: from?.at ?? Number.MAX_SAFE_INTEGER,
        limit: limit + 1,
        state,
      });
      // Of an inbox that was erased there is no next page.
      const page = from !== null && from.key !== box?.key ? [] : rows.slice(0, limit);
      const last = page.length < rows.length ? page.at(-1) : undefined;
      return {
        messages: page.map(messageOf),
        next: last === undefined ? null : tokenOf(box, last.position),
        ...factsOf(box),
      };
    },
    async unread(given) {
      const owner = ownerIn('unread', given);
      return factsOf(await store.box(owner));
    },
    async markRead(request) {
      if (!('upTo' in request)) return mark('markRead', 'read', request);
      return markSeen(ownerIn('markRead', request), readToken('markRead: upTo', request.upTo));
    },
    markUnread: (request) => mark('markUnread', 'unread', request),
    archive: (request) => mark('archive', 'archive', request),
    unarchive: (request) => mark('unarchive', 'unarchive', request),
    async changes(request) {
      const owner = ownerIn('changes', request);
      const limit = numberIn('changes: limit', request.limit ?? 100, [1, 500]);
      return changes(owner, readToken('changes: since', request.since), limit);
    },
    watch: (request) => watch(request),
    async erase(given) {
      const owner = ownerIn('erase', given);
      const count = await store.erase(owner);
      feeds.ring(owner);
      return count;
    },
    async clean(request) {
      const { olderThanMs, max } = fieldsIn('clean', request);
      return store.clean({
        olderThanMs: numberIn('clean: olderThanMs', olderThanMs, [0, Number.MAX_SAFE_INTEGER]),
        max: numberIn('clean: max', max, [1, 100_000]),
      });
    },
    async close() {
      feeds.close();
      await store.close();
    },
  };
}

function factsOf(box: Box | null): InboxFacts {
  return { unread: box?.unread ?? 0, since: tokenOf(box, box?.seq ?? 0) };
}

/** Whether what has changed since can no longer be told one by one. */
function isLost({ key, at }: Token, box: Box | null): boolean {
  // There was nothing yet: all there is now is new.
  if (key === '' && at === 0) return box !== null && box.seq > MOST_MISSED;
  if (box === null || box.key !== key) return true;
  // A store that was restored from a copy has not come so far yet.
  return at > box.seq || at < box.removed || box.seq - at > MOST_MISSED;
}

interface Checked {
  readonly owner: Owner;
  readonly name: string;
  readonly id: string;
  readonly body: string;
}

function itemsIn(items: readonly InboxItem[]): readonly Checked[] {
  if (!Array.isArray(items) || items.length < 1 || items.length > 1_000)
    invalid(`put takes a list of 1 to 1,000 messages, got ${shown(items)}`);
  return items.map((item: InboxItem) => {
    const owner = ownerIn('put', item);
    const [id = ''] = idsIn('put', [item.id]);
    const made = bodyOf(item.content);
    if ('problem' in made) invalid(`put: ${made.problem}`);
    return { owner, name: nameOf(owner), id, body: made.body };
  });
}

function messageOf({ id, body, addedAt, readAt, archivedAt, change }: StoredMessage): InboxMessage {
  return { id, content: JSON.parse(body) as MessageContent, addedAt, readAt, archivedAt, change };
}
