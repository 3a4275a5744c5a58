import { randomUUID } from 'node:crypto';
import type { Argument, RedisClientLike } from '../redis/client.ts';
import { sending } from '../redis/connection.ts';
import type { Script } from '../redis/script.ts';
import { AGED, BOX, CHANGES, CLEAN, ERASE, LIST, MARK, MARK_SEEN, OLD, PUT, REGISTER } from './redis-scripts.ts';
import type { Box, Changed, Found, InboxStore, Owner, StoredMessage } from './store.ts';

/** Inboxes that are looked through at once for what is old. */
const BOXES_AT_ONCE = 100;

type Told = readonly [box: readonly string[] | null, rest: unknown];

export function redisStore(client: Pick<RedisClientLike, 'eval' | 'evalsha'>, name: string): InboxStore {
  const who = `inbox '${name}' in Redis`;
  // Its last part is what a script makes the other names from.
  const send = (tag: string, script: Script, args: readonly Argument[] = []): Promise<unknown> =>
    sending(client, name, { key: `${name}:{${tag}}:store`, who })(script, args);
  const all = (script: Script, args: readonly Argument[]): Promise<unknown> => send('boxes', script, args);

  async function find(owner: Owner, script: Script, args: readonly Argument[]): Promise<Found> {
    const [box, rows] = (await send(tagOf(owner), script, args)) as Told;
    return { box: boxOf(box), rows: (rows as (string | null)[][]).map(messageOf) };
  }

  async function change(owner: Owner, script: Script, args: readonly Argument[]): Promise<Changed> {
    const [box, changed] = (await send(tagOf(owner), script, args)) as Told;
    return { box: boxOf(box), changed: changed as number };
  }

  /** Answers how many were removed from one inbox. */
  async function cleanOne(tag: string, olderThanMs: number, max: number): Promise<number> {
    const [count, oldest] = (await send(tag, CLEAN, [olderThanMs, max])) as [number, string];
    await all(AGED, [tag, oldest]);
    // A message may have come into the empty inbox before it was taken off the list: it was put on it too early then.
    if (oldest === '' && (await send(tag, BOX)) !== null) await all(REGISTER, [tag]);
    return count;
  }

  return {
    async put(owner, items) {
      const tag = tagOf(owner);
      const args = items.flatMap(({ id, body }) => [id, body]);
      const fresh = (await send(tag, PUT, [randomUUID(), ...args])) as string[];
      // After the message and for a repeat too: whoever died in between repeats.
      await all(REGISTER, [tag]);
      return fresh;
    },
    list: (owner, { before, limit, state }) => find(owner, LIST, [state, before, limit]),
    box: async (owner) => boxOf((await send(tagOf(owner), BOX)) as string[] | null),
    mark: (owner, move, ids) => change(owner, MARK, [move, ...ids]),
    markSeen: (owner, { key, at, most }) => change(owner, MARK_SEEN, [key, at, most]),
    changes: (owner, after, limit) => find(owner, CHANGES, [after, limit]),
    async erase(owner) {
      const count = (await send(tagOf(owner), ERASE)) as number;
      // So old is nothing: it only takes an empty inbox off the list.
      await cleanOne(tagOf(owner), Number.MAX_SAFE_INTEGER, 1);
      return count;
    },
    async clean({ olderThanMs, max }) {
      let count = 0;
      while (count < max) {
        const tags = (await all(OLD, [olderThanMs, BOXES_AT_ONCE])) as string[];
        for (const tag of tags)
          if (count < max) count += await cleanOne(tag, olderThanMs, Math.min(max - count, 1_000));
        if (tags.length < BOXES_AT_ONCE) break;
      }
      return count;
    },
    close: async () => undefined,
  };
}

/** Neither braces nor a second colon are in its parts. */
function tagOf({ tenant, recipientId }: Owner): string {
  return `${encodeURIComponent(tenant)}:${encodeURIComponent(recipientId)}`;
}

function boxOf(told: readonly string[] | null): Box | null {
  if (told === null) return null;
  const [key = '', seq, unread, removed] = told;
  return { key, seq: Number(seq), unread: Number(unread), removed: Number(removed) };
}

function messageOf(told: readonly (string | null)[]): StoredMessage {
  const [id, position, change, addedAt, readAt, archivedAt, body] = told;
  const time = (text: string | null | undefined): number | null => (text === null ? null : Number(text));
  return {
    id: id ?? '',
    position: Number(position),
    change: Number(change),
    addedAt: Number(addedAt),
    readAt: time(readAt),
    archivedAt: time(archivedAt),
    body: body ?? '',
  };
}
