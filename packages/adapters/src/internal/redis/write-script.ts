import { LISTS } from './lists.ts';
import { script, type Script } from './script.ts';

const NAMES = Object.keys(LISTS) as readonly (keyof typeof LISTS)[];

/**
 * ARGV: what it rests on (key, version, identity, gates or '', fresh until, reserved by), whether this part is the last one, content
 * retention, the new epoch ('' or changed, quiet, reckoned, last fence), then the lists. Nothing is written before all conditions hold:
 * what fails after the first write would leave half of it. Answers 1, or 0: somebody was ahead. In places that are times, '' leaves the
 * index as it is, and '-' takes it out.
 */
export const WRITE: Script = script(`
local store = KEYS[1]
local at = 13
local L = {}
for i, width in ipairs({ ${NAMES.map((name) => LISTS[name].length).join(', ')} }) do
  local n = tonumber(ARGV[at])
  L[i] = { first = at + 1, n = n, width = width }
  at = at + 1 + n * width
end
local function each(list)
  local i, first, width, n = -1, list.first, list.width, list.n
  return function()
    i = i + 1
    if i < n then return first + i * width end
  end
end
local ${NAMES.join(', ')} = unpack(L)

local head = call('HMGET', store, 'key', 'version', 'gates', 'reservedUntil', 'reservedBy')
if head[1] ~= ARGV[1] or head[2] ~= ARGV[2] or identity() ~= ARGV[3] or now > tonumber(ARGV[5]) then return 0 end
if ARGV[4] ~= '' and head[3] ~= ARGV[4] then return 0 end
if tonumber(head[4] or 0) > now and head[5] ~= ARGV[6] then return 0 end
for a in each(alone) do
  if call('HGET', P .. 'd:' .. ARGV[a], 'v') ~= ARGV[a + 1] then return 0 end
end
local stories = {}
for a in each(changed) do
  local row = call('HMGET', P .. 'd:' .. ARGV[a], 'v', 'h')
  if row[1] ~= ARGV[a + 1] then return 0 end
  stories[a] = row[2] or ''
end
local was = {}
for a in each(notifications) do
  local row = call('HMGET', P .. 'n:' .. ARGV[a], 'v', 's', 'o', 'e', 'z', 'r')
  if ARGV[a + 1] ~= '' and row[1] ~= ARGV[a + 1] then return 0 end
  if ARGV[a + 2] ~= '' and not call('ZSCORE', P .. 'ended', ARGV[a]) then return 0 end
  was[a] = row
end
for a in each(notificationsMade) do
  if call('EXISTS', P .. 'n:' .. ARGV[a]) == 1 then return 0 end
end
for a in each(made) do
  if call('EXISTS', P .. 'd:' .. ARGV[a]) == 1 then return 0 end
end
-- Evidence and the call that makes its delivery or message known may not miss each other.
for a in each(kept) do
  if ARGV[a + 1] ~= '' and call('EXISTS', P .. 'd:' .. ARGV[a + 1]) == 1 then return 0 end
  if ARGV[a + 2] ~= '' and (call('HGET', P .. 'messages', ARGV[a + 2]) or '') ~= ARGV[a + 3] then return 0 end
end
if call('EXISTS', P .. 'kept') == 1 then
  local took = {}
  for a in each(taken) do took[ARGV[a]] = tonumber(ARGV[a + 1]) end
  local function isAsRead(about) return call('HLEN', P .. 'kept:' .. about) == (took[about] or 0) end
  for a in each(made) do if not isAsRead(ARGV[a]) then return 0 end end
  for a in each(learned) do if not isAsRead(ARGV[a]) then return 0 end end
end

local function place(zset, value, id)
  if value == '-' then call('ZREM', P .. zset, id)
  elseif value ~= '' then call('ZADD', P .. zset, value, id) end
end
local function add(name, change) call('HINCRBY', P .. 'sums', name, change) end

for a in each(changed) do
  local id = ARGV[a]
  local key = P .. 'd:' .. id
  local version = text(tonumber(ARGV[a + 1]) + 1)
  if ARGV[a + 10] == '' then call('HSET', key, 'v', version, 's', ARGV[a + 2])
  else call('HSET', key, 'v', version, 's', ARGV[a + 2], 'h', stories[a] .. ARGV[a + 10]) end
  if ARGV[a + 8] ~= '' then call('HSET', key, 'k', ARGV[a + 8]) end
  if ARGV[a + 9] ~= '' then call('HSETNX', key, 'm', ARGV[a + 9]) end
  place('work', ARGV[a + 3], id)
  place('watch', ARGV[a + 4], id)
  place('erase', ARGV[a + 5], id)
  local before, after = ARGV[a + 6], ARGV[a + 7]
  if before ~= after then
    if before ~= '' then call('ZREM', P .. 'a:' .. before, id) end
    if after ~= '' then call('ZADD', P .. 'a:' .. after, 0, id) end
  end
end
for a in each(made) do
  local id = ARGV[a]
  local key = P .. 'd:' .. id
  call('HSET', key, 'v', '0', 'n', ARGV[a + 1], 'r', ARGV[a + 2], 'f', ARGV[a + 3], 'c', ARGV[a + 4], 's', ARGV[a + 5], 'h', ARGV[a + 12])
  if ARGV[a + 10] ~= '' then call('HSET', key, 'k', ARGV[a + 10]) end
  if ARGV[a + 11] ~= '' then call('HSET', key, 'm', ARGV[a + 11]) end
  call('ZADD', P .. 'of:' .. ARGV[a + 1], 0, id)
  call('ZADD', P .. 'r:' .. ARGV[a + 2], 0, id)
  place('work', ARGV[a + 6], id)
  place('watch', ARGV[a + 7], id)
  place('erase', ARGV[a + 8], id)
  if ARGV[a + 9] ~= '' then call('ZADD', P .. 'a:' .. ARGV[a + 9], 0, id) end
end
for a in each(learned) do
  local before = call('HGET', P .. 'messages', ARGV[a])
  if not before then call('HSET', P .. 'messages', ARGV[a], ARGV[a + 1])
  elseif not string.find('\\30' .. before .. '\\30', '\\30' .. ARGV[a + 1] .. '\\30', 1, true) then
    call('HSET', P .. 'messages', ARGV[a], before .. '\\30' .. ARGV[a + 1])
  end
end

local function isOver(state) return state == 'done' or state == 'cancelled' or state == 'failed' end
-- What follows from a notification's state. What is expanded and has no delivery open is done, however many calls settle its last ones.
local function stand(id, before, state, open, overAt, isSealed, recipients, isTold)
  if state == 'expanded' and open <= 0 then state = 'done' end
  if state ~= before then
    if before then add('n:' .. before, -1) end
    add('n:' .. state, 1)
    call('HSET', P .. 'n:' .. id, 's', state)
  end
  -- Told once: a later write does not bring it back.
  if isTold then call('ZREM', P .. 'ended', id)
  elseif isOver(state) and not overAt and state ~= 'cancelled' then call('ZADD', P .. 'ended', 0, id) end
  if isOver(state) then
    if not overAt then
      call('HSET', P .. 'n:' .. id, 'e', text(now))
      call('ZADD', P .. 'over', text(now), id)
      call('ZADD', P .. 'nerase', text(now + tonumber(ARGV[8])), id)
      call('SREM', P .. 'unfinished', id)
    end
  elseif overAt or not before then
    call('HDEL', P .. 'n:' .. id, 'e')
    call('ZREM', P .. 'over', id)
    call('ZREM', P .. 'nerase', id)
    call('SADD', P .. 'unfinished', id)
  end
  local isUnsealed = recipients == 'explicit' and isSealed ~= '1' and not isOver(state)
  call(isUnsealed and 'SADD' or 'SREM', P .. 'unsealed', id)
  return state
end
for a in each(notificationsMade) do
  local id = ARGV[a]
  local key = P .. 'n:' .. id
  call('HSET', key, 'v', '0', 'z', ARGV[a + 2], 'r', ARGV[a + 3], 'w', ARGV[a + 4], 'b', ARGV[a + 5], 'o', ARGV[a + 7], 'l', ARGV[a + 8])
  if ARGV[a + 6] ~= '' then call('HSET', key, 'c', ARGV[a + 6]) end
  call('ZADD', P .. 'nids', 0, id)
  place('nwork', ARGV[a + 4], id)
  stand(id, nil, ARGV[a + 1], tonumber(ARGV[a + 7]), nil, ARGV[a + 2], ARGV[a + 3], false)
end
for a in each(notifications) do
  local id, row = ARGV[a], was[a]
  local key = P .. 'n:' .. id
  if row[1] then
    local isWhole = ARGV[a + 3] ~= ''
    local open = tonumber(row[3]) + tonumber(ARGV[a + 7])
    call('HSET', key, 'o', text(open))
    if ARGV[a + 8] ~= '0' then call('HINCRBY', key, 'l', ARGV[a + 8]) end
    local state = isWhole and ARGV[a + 3] or row[2]
    local sealed = isWhole and ARGV[a + 4] or row[5]
    if isWhole then
      call('HSET', key, 'z', sealed, 'w', ARGV[a + 5] == '-' and '' or ARGV[a + 5], 'b', ARGV[a + 6])
      place('nwork', ARGV[a + 5], id)
    end
    if stand(id, row[2], state, open, row[4], sealed, row[6], ARGV[a + 2] ~= '') ~= row[2] or isWhole then
      call('HSET', key, 'v', text(tonumber(row[1]) + 1))
    end
  end
end
for a in each(pages) do
  local page = ARGV[a + 1]
  call('HSET', P .. 'p:' .. ARGV[a], page .. 't', ARGV[a + 2], page .. 'f', ARGV[a + 3], page .. 'c', ARGV[a + 4])
end
for a in each(lastPages) do
  local page = tonumber(ARGV[a + 1]) + 1
  while call('HDEL', P .. 'p:' .. ARGV[a], page .. 't', page .. 'f', page .. 'c') > 0 do page = page + 1 end
end
for a in each(expanded) do
  if call('HEXISTS', P .. 'p:' .. ARGV[a], ARGV[a + 1] .. 'c') == 1 then call('HSET', P .. 'p:' .. ARGV[a], ARGV[a + 1] .. 'c', 'expanded') end
end

if ARGV[7] == '1' then
  for a in each(taken) do
    call('DEL', P .. 'kept:' .. ARGV[a])
    call('ZREM', P .. 'kept', ARGV[a])
  end
end
for a in each(kept) do
  call('ZADD', P .. 'kept', text(now), ARGV[a])
  call('HSETNX', P .. 'kept:' .. ARGV[a], ARGV[a + 4], text(now) .. '\\30' .. ARGV[a + 5])
end
for a in each(suppressions) do
  local key = P .. 'sup:' .. ARGV[a]
  if ARGV[a + 2] ~= '' then
    call('HSETNX', key, ARGV[a + 1], ARGV[a + 2])
    call('SADD', P .. 'sups', ARGV[a])
  else
    call('HDEL', key, ARGV[a + 1])
    if call('EXISTS', key) == 0 then call('SREM', P .. 'sups', ARGV[a]) end
  end
end
for a in each(blocks) do
  if ARGV[a + 1] ~= '' then call('HSET', P .. 'blocks', ARGV[a], ARGV[a + 1]) else call('HDEL', P .. 'blocks', ARGV[a]) end
end
if suppressions.n + blocks.n > 0 then call('HINCRBY', store, 'gates', 1) end
for a in each(claims) do call('SET', P .. 'claim:' .. ARGV[a], ARGV[a + 2], 'PX', text(math.max(1, tonumber(ARGV[a + 1]) - now))) end
for a in each(strays) do call('ZADD', P .. 'strays', 'NX', text(now), ARGV[a]) end
for a in each(sums) do add(ARGV[a], ARGV[a + 1]) end
-- What cannot be read leaves every index of work, and is counted where it can be seen.
for a in each(damaged) do
  for _, zset in ipairs({ 'work', 'watch', 'erase' }) do call('ZREM', P .. zset, ARGV[a]) end
  call('SADD', P .. 'unreadable', ARGV[a])
end
for a in each(damagedNotifications) do
  for _, zset in ipairs({ 'nwork', 'ended' }) do call('ZREM', P .. zset, ARGV[a]) end
  call('SADD', P .. 'unreadable', ARGV[a])
end
if ARGV[9] ~= '' then
  call('HINCRBY', store, 'version', 1)
  call('HSET', store, 'identity', ARGV[3], 'changed', ARGV[9] == '-' and '' or ARGV[9], 'quiet', ARGV[10], 'reckoned', ARGV[11])
  if tonumber(call('HGET', store, 'fence')) < tonumber(ARGV[12]) then call('HSET', store, 'fence', ARGV[12]) end
end
return 1
`);
