import { isFields, type Rule } from '@sendonce/core/internal';
import { inboxOn, POLL_RULE } from '../internal/inbox/inbox-on.ts';
import type { Inbox, InboxOptions } from '../internal/inbox/inbox.ts';
import { redisStore } from '../internal/inbox/redis-store.ts';
import { DEFAULT_TABLE } from '../internal/inbox/store.ts';
import { checkAdapter } from '../internal/options.ts';
import { CLIENT_RULE, type RedisClientLike } from '../internal/redis/client.ts';
import { NAME_RULE } from '../internal/redis/options.ts';

export type * from '../internal/inbox/inbox.ts';

export interface RedisInboxOptions extends InboxOptions {
  /** A client of `ioredis` (a single server, Sentinel, or Cluster). `close` leaves it open. */
  readonly client: Pick<RedisClientLike, 'eval' | 'evalsha'>;
  /** Its keys begin so: letters, digits, `_`, `.` and `-`, 1 to 60. @defaultValue 'sendonce_inbox' */
  readonly name?: string;
}

/**
 * Inboxes in Redis (6.2 or later), for as many processes on as many hosts as like; each inbox on one node of a Cluster. Its times are the
 * server's. What Redis forgets (no append-only file, `maxmemory` with an eviction policy) is gone, and a repeat of it is new.
 * @throws SendonceError OPTION_INVALID
 */
export function redisInbox(options: RedisInboxOptions): Inbox {
  checkAdapter('redisInbox', options, RULES);
  const { client, name = DEFAULT_TABLE, pollMs } = options;
  return inboxOn(redisStore(client, name), { pollMs });
}

const RULES: Record<keyof RedisInboxOptions, Rule> = {
  client: {
    ...CLIENT_RULE,
    fits: (value) => isFields(value) && ['eval', 'evalsha'].every((method) => typeof value[method] === 'function'),
  },
  name: NAME_RULE,
  pollMs: POLL_RULE,
};
