import { script, type Script } from '../redis/script.ts';

/*
 * An inbox is under one hash tag, so that a Cluster keeps it on one node and a script may touch all of it. `P` is `NAME:{TENANT:RECIPIENT}:`.
 *
 * - `store`, a hash: key, seq, unread, removed.
 * - Hashes from id: `body`, `added`, and where it is so `read` and `away`, the times.
 * - Sorted sets of ids: by position `all`, `inbox`, `unread`, `archived`; by the last change `changes`.
 *
 * Under `NAME:{boxes}:` there is `ages`, a sorted set of all inboxes by when their oldest message came, or a moment later.
 */
const SHARED = `
local B = KEYS[1]
local function box()
  local f = call('HMGET', B, 'key', 'seq', 'unread', 'removed')
  if not f[1] then return false end
  return { f[1], f[2] or '0', f[3] or '0', f[4] or '0' }
end
local function rows(ids)
  local found = {}
  for i, id in ipairs(ids) do
    found[i] = { id, call('ZSCORE', P .. 'all', id), call('ZSCORE', P .. 'changes', id), call('HGET', P .. 'added', id),
      call('HGET', P .. 'read', id), call('HGET', P .. 'away', id), call('HGET', P .. 'body', id) }
  end
  return found
end
local function changed(id) call('ZADD', P .. 'changes', text(call('HINCRBY', B, 'seq', 1)), id) end
local function enter(list, id) call('ZADD', P .. list, call('ZSCORE', P .. 'all', id), id) end
-- Lua has a zero below zero, of which Redis makes no number.
local function counted(by) if by ~= 0 then call('HINCRBY', B, 'unread', by) end end
local function drop()
  for _, name in ipairs({ 'store', 'body', 'added', 'read', 'away', 'all', 'inbox', 'unread', 'archived', 'changes' }) do
    call('UNLINK', P .. name)
  end
end
local MOVES = {
  read = function(id)
    if call('HSETNX', P .. 'read', id, text(now)) == 0 then return false end
    counted(-call('ZREM', P .. 'unread', id))
    return true
  end,
  unread = function(id)
    if call('HDEL', P .. 'read', id) == 0 then return false end
    if call('HEXISTS', P .. 'away', id) == 0 then enter('unread', id) counted(1) end
    return true
  end,
  archive = function(id)
    if call('HSETNX', P .. 'away', id, text(now)) == 0 then return false end
    counted(-call('ZREM', P .. 'unread', id))
    call('ZREM', P .. 'inbox', id)
    enter('archived', id)
    return true
  end,
  unarchive = function(id)
    if call('HDEL', P .. 'away', id) == 0 then return false end
    call('ZREM', P .. 'archived', id)
    enter('inbox', id)
    if call('HEXISTS', P .. 'read', id) == 0 then enter('unread', id) counted(1) end
    return true
  end,
}
local function moveAll(move, ids)
  local n = 0
  for _, id in ipairs(ids) do
    if call('HEXISTS', P .. 'body', id) == 1 and MOVES[move](id) then
      changed(id)
      n = n + 1
    end
  end
  return { box(), n }
end
`;

const inbox = (text: string): Script => script(`${SHARED}${text}`);

/** ARGV: a key for a new inbox, then id and body of each message. */
export const PUT: Script = inbox(`
local fresh = {}
for i = 2, #ARGV, 2 do
  local id = ARGV[i]
  if call('HSETNX', P .. 'body', id, ARGV[i + 1]) == 1 then
    local seq = text(call('HINCRBY', B, 'seq', 1))
    counted(1)
    call('HSET', P .. 'added', id, text(now))
    for _, list in ipairs({ 'all', 'inbox', 'unread', 'changes' }) do call('ZADD', P .. list, seq, id) end
    fresh[#fresh + 1] = id
  end
end
if #fresh > 0 then call('HSETNX', B, 'key', ARGV[1]) end
return fresh
`);

/** ARGV: list, the position to begin below, how many. */
export const LIST: Script = inbox(`
return { box(), rows(call('ZREVRANGEBYSCORE', P .. ARGV[1], '(' .. ARGV[2], '-inf', 'LIMIT', 0, ARGV[3])) }
`);

export const BOX: Script = inbox(`return box()`);

/** ARGV: move, ids. */
export const MARK: Script = inbox(`
local ids = {}
for i = 2, #ARGV do ids[i - 1] = ARGV[i] end
return moveAll(ARGV[1], ids)
`);

/** ARGV: the inbox's key, the position up to which, how many. */
export const MARK_SEEN: Script = inbox(`
if call('HGET', B, 'key') ~= ARGV[1] then return { box(), 0 } end
return moveAll('read', call('ZRANGEBYSCORE', P .. 'unread', '-inf', ARGV[2], 'LIMIT', 0, ARGV[3]))
`);

/** ARGV: the change after which, how many. */
export const CHANGES: Script = inbox(`
return { box(), rows(call('ZRANGEBYSCORE', P .. 'changes', '(' .. ARGV[1], '+inf', 'LIMIT', 0, ARGV[2])) }
`);

export const ERASE: Script = inbox(`
local n = call('ZCARD', P .. 'all')
drop()
return n
`);

/** ARGV: how old, how many. Answers how many went, and when the oldest that is left came; '' where none is. */
export const CLEAN: Script = inbox(`
local n, before = 0, now - tonumber(ARGV[1])
for _, id in ipairs(call('ZRANGE', P .. 'all', 0, ARGV[2] - 1)) do
  if tonumber(call('HGET', P .. 'added', id)) > before then break end
  counted(-call('ZREM', P .. 'unread', id))
  for _, list in ipairs({ 'all', 'inbox', 'archived', 'changes' }) do call('ZREM', P .. list, id) end
  for _, hash in ipairs({ 'body', 'added', 'read', 'away' }) do call('HDEL', P .. hash, id) end
  n = n + 1
end
if n > 0 then call('HSET', B, 'removed', text(call('HINCRBY', B, 'seq', 1))) end
local oldest = call('ZRANGE', P .. 'all', 0, 0)[1]
if not oldest then drop() end
return { n, oldest and call('HGET', P .. 'added', oldest) or '' }
`);

/** ARGV: an inbox. It is there already, or its first message has just come. */
export const REGISTER: Script = script(`return call('ZADD', P .. 'ages', 'NX', text(now), ARGV[1])`);

/** ARGV: an inbox, and when its oldest message came; '': it has none. */
export const AGED: Script = script(`
if ARGV[2] == '' then return call('ZREM', P .. 'ages', ARGV[1]) end
return call('ZADD', P .. 'ages', 'XX', ARGV[2], ARGV[1])
`);

/** ARGV: how old, how many inboxes. */
export const OLD: Script = script(`
return call('ZRANGEBYSCORE', P .. 'ages', '-inf', text(now - tonumber(ARGV[1])), 'LIMIT', 0, ARGV[2])
`);
