import type { Destinations } from '@sendonce/core';
import type { Rule } from '@sendonce/core/internal';
import { destinationsOver, type DestinationStore, type DocumentChange } from '@sendonce/core/records';
import { told } from '../internal/destinations/failures.ts';
import { checkAdapter } from '../internal/options.ts';
import { CLIENT_RULE, type RedisClientLike } from '../internal/redis/client.ts';
import { sending } from '../internal/redis/connection.ts';
import { NAME_RULE } from '../internal/redis/options.ts';
import { script, SEPARATOR, type Script } from '../internal/redis/script.ts';

export type { RedisClientLike } from '../internal/redis/client.ts';

export interface RedisDestinationsOptions {
  /** A client of `ioredis` (a single server, Sentinel, or Cluster). `close` leaves it open. */
  readonly client: RedisClientLike;
  /** The ledger's name, or another: letters, digits, `_`, `.` and `-`, 1 to 60. Its keys begin with it. @defaultValue 'sendonce' */
  readonly name?: string;
}

/*
 * `{NAME}:destinations`, a hash: each document by its key, as "stamp SEPARATOR mark SEPARATOR text". `{NAME}:destinations:MARK`, sorted sets
 * without scores: the keys under a mark. The ledger's hash tag, so that a Cluster keeps all of it on one node.
 */
const ALL = `local all = P .. 'destinations'\n`;

/** ARGV keys. Answers the time, and each document or nothing. */
const READ: Script = script(`${ALL}
local answers = { text(now) }
for from = 1, #ARGV, 1000 do
  for _, each in ipairs(call('HMGET', all, unpack(ARGV, from, math.min(from + 999, #ARGV)))) do
    answers[#answers + 1] = each
  end
end
return answers
`);

/** ARGV key, stamp that has to be there ('': none), document ('': remove it), mark ('': none), ... Answers 1, or 0 and has written nothing. */
const WRITE: Script = script(`${ALL}
local marks = {}
for i = 1, #ARGV, 4 do
  local stamp, mark = string.match(call('HGET', all, ARGV[i]) or '', '^([^\\30]*)\\30([^\\30]*)')
  if (stamp or '') ~= ARGV[i + 1] then return 0 end
  marks[i] = mark or ''
end
for i = 1, #ARGV, 4 do
  local key, document, mark = ARGV[i], ARGV[i + 2], ARGV[i + 3]
  if marks[i] ~= '' and marks[i] ~= mark then call('ZREM', all .. ':' .. marks[i], key) end
  if document == '' then call('HDEL', all, key) else call('HSET', all, key, document) end
  if mark ~= '' then call('ZADD', all .. ':' .. mark, 0, key) end
end
return 1
`);

/** ARGV mark, key before ('': none), most. Answers key, document, ... */
const SCAN: Script = script(`${ALL}
local from = ARGV[2] == '' and '-' or '(' .. ARGV[2]
local answers = {}
for _, key in ipairs(call('ZRANGEBYLEX', all .. ':' .. ARGV[1], from, '+', 'LIMIT', 0, ARGV[3])) do
  answers[#answers + 1] = key
  answers[#answers + 1] = call('HGET', all, key)
end
return answers
`);

/**
 * Destinations in Redis, in the ledger's or another: on a server that forgets nothing when its memory is full, and keeps a log. Times are the
 * server's. Any call may arrive twice: what is written rests on what was there.
 * @throws SendonceError OPTION_INVALID here; DESTINATIONS_UNAVAILABLE from any call, which may be repeated.
 */
export function redisDestinations(options: RedisDestinationsOptions): Destinations {
  checkAdapter('redisDestinations', options, RULES);
  const { client, name = 'sendonce' } = options;
  const send = sending(client, name);
  const asking = (text: Script, args: readonly (string | number)[]): Promise<unknown> =>
    told(`destinations '${name}' in Redis`, () => send(text, args));
  const store: DestinationStore = {
    async read(keys) {
      const [now, ...found] = (await asking(READ, keys)) as [string, ...(string | null)[]];
      return { now: Number(now), found: found.map((each) => (each === null ? null : documentIn(each))) };
    },
    async write(changes) {
      return (await asking(WRITE, changes.flatMap(argumentsOf))) === 1;
    },
    async scan({ mark, after, max }) {
      const flat = (await asking(SCAN, [mark, after, max])) as readonly string[];
      return flat.flatMap((key, at) => (at % 2 === 0 ? [{ key, text: documentIn(flat[at + 1] ?? '').text }] : []));
    },
    close: () => Promise.resolve(),
  };
  return destinationsOver(store);
}

function argumentsOf({ key, was, document, mark }: DocumentChange): readonly string[] {
  const stored = document === null ? '' : [document.stamp, mark ?? '', document.text].join(SEPARATOR);
  return [key, was ?? '', stored, mark ?? ''];
}

function documentIn(stored: string): { readonly stamp: string; readonly text: string } {
  const [stamp = '', , text = ''] = stored.split(SEPARATOR);
  return { stamp, text };
}

const RULES: Record<keyof RedisDestinationsOptions, Rule> = { client: CLIENT_RULE, name: NAME_RULE };
