import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { RedisClientLike } from '../../../src/ledgers/redis.ts';

/** Where the clock of a ledger's scripts stands, epoch ms. */
export const clockOf = (name: string): string => `{${name}}:clock`;

/** A client whose scripts read another clock, which stands still until a test moves it. The scripts ask for TIME as they always do. */
export function clocked(client: Redis): RedisClientLike {
  const known = new Map<string, string>();
  const clock = `(function()
    local ms = tonumber(redis.call('GET', P .. 'clock'))
    return { math.floor(ms / 1000), (ms % 1000) * 1000 }
  end)()`;
  return {
    async evalsha(sha, keys, ...args) {
      const text = known.get(sha);
      if (text === undefined) throw new Error('NOSCRIPT not seen yet');
      return client.evalsha(shaOf(text), keys, ...args);
    },
    async eval(text, keys, ...args) {
      if (!text.includes(`redis.call('TIME')`)) throw new Error('this script reads no clock');
      const clockedText = text.replace(`redis.call('TIME')`, clock);
      known.set(shaOf(text), clockedText);
      return client.eval(clockedText, keys, ...args);
    },
    pipeline: (commands) => client.pipeline(commands),
  };
}

function shaOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
