import { script, type Script } from './script.ts';

/** Records that come along with an answer at most; what is missing is asked for by its id. */
const MOST_RECORDS = 1_000;

/** A delivery as a row: id, v, n, f, s, c, m; nil where there is none. */
export const DELIVERY_ROW = `
local function deliveryRow(id, withMessage)
  local key = P .. 'd:' .. id
  local row
  if withMessage then row = call('HMGET', key, 'v', 'n', 'f', 's', 'c', 'm')
  else row = call('HMGET', key, 'v', 'n', 'f', 's', 'c') end
  if not row[1] then return nil end
  return { id, row[1], row[2], row[3], row[4], row[5], withMessage and row[6] or (not withMessage and '') }
end
` as const;

/** A notification as a row: id, v, s, z, r, o, w, b, c; nil where there is none. */
export const NOTIFICATION_ROW = `
local function notificationRow(id)
  local row = call('HMGET', P .. 'n:' .. id, 'v', 's', 'z', 'r', 'o', 'w', 'b', 'c')
  if not row[1] then return nil end
  return { id, row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8] }
end
` as const;

/**
 * ARGV: the key of a store that is made now, '1' with messages, then three lists, each with its length before it: ids of deliveries, ids
 * of notifications, questions (kind, a, b). Answers the store, deliveries, notifications, and for each question its values (x, y, ...).
 */
export const READ: Script = script(`${DELIVERY_ROW}${NOTIFICATION_ROW}
local store = KEYS[1]
local memory = identity()
if call('EXISTS', store) == 0 then
  call('HSET', store, 'schema', '1', 'key', ARGV[1], 'version', '0', 'identity', memory, 'changed', '', 'quiet', '0',
    'reckoned', '1', 'gates', '0', 'fence', text(math.floor(now / 1000) * 2097152))
end
local fence = text(call('HINCRBY', store, 'fence', 1))
local head = call('HMGET', store, 'schema', 'key', 'version', 'identity', 'changed', 'quiet', 'reckoned', 'gates')
for _, each in ipairs({ memory, tostring(call('EXISTS', P .. 'sups')), tostring(call('EXISTS', P .. 'kept')), text(now), fence }) do
  head[#head + 1] = each
end

local withMessages = ARGV[2] == '1'
local at = 2
local function take() at = at + 1; return ARGV[at] end
local met, deliveries, notifications, parents = {}, {}, {}, {}

local function notification(id)
  if parents[id] then return end
  parents[id] = true
  local row = notificationRow(id)
  if row then notifications[#notifications + 1] = row end
end
local function delivery(id)
  if met[id] then return end
  met[id] = true
  local row = deliveryRow(id, withMessages)
  if not row then return end
  deliveries[#deliveries + 1] = row
  if withMessages and row[3] then notification(row[3]) end
end

local function due(zset, a, b)
  local skip, limit = string.match(b, '^(%d+)%+(%d+)$')
  return call('ZRANGEBYSCORE', P .. zset, '-inf', text(now - tonumber(a)), 'LIMIT', skip, limit)
end
-- Ids, and the records with them where they are not too many.
local function with(ids, record)
  local values = {}
  for i, id in ipairs(ids) do
    if i <= ${MOST_RECORDS} then record(id) end
    values[#values + 1] = id
    values[#values + 1] = ''
  end
  return values
end
local answers = {
  work = function(a, b) return with(due('work', a, b), delivery) end,
  watch = function(a, b) return with(due('watch', a, b), delivery) end,
  routing = function(a, b) return with(due('nwork', a, b), notification) end,
  of = function(a) return with(call('ZRANGE', P .. 'of:' .. a, 0, -1), delivery) end,
  recipient = function(a) return with(call('ZRANGE', P .. 'r:' .. a, 0, -1), delivery) end,
  message = function(a)
    local ids = {}
    for id in string.gmatch(call('HGET', P .. 'messages', a) or '', '[^\\30]+') do ids[#ids + 1] = id end
    return with(ids, delivery)
  end,
  unsettled = function()
    local ids = call('ZRANGE', P .. 'work', 0, -1)
    for _, id in ipairs(call('ZRANGE', P .. 'watch', 0, -1)) do ids[#ids + 1] = id end
    return with(ids, delivery)
  end,
  unfinished = function() return with(call('SMEMBERS', P .. 'unfinished'), notification) end,
  ended = function(a) return with(call('ZRANGE', P .. 'ended', 0, tonumber(a) - 1), notification) end,
  page = function(a, b)
    local row = call('HMGET', P .. 'p:' .. a, b .. 'f', b .. 'c')
    return row[1] and { row[1], row[2] } or {}
  end,
  before = function(a, b)
    local pages, targets = 0, 0
    for i = 0, tonumber(b) - 1 do
      local each = call('HGET', P .. 'p:' .. a, i .. 't')
      if each then pages = pages + 1; targets = targets + tonumber(each) end
    end
    return { text(pages), text(targets) }
  end,
  request = function(a)
    local ids = call('GET', P .. 'claim:' .. a)
    return ids and { ids, '' } or {}
  end,
  kept = function(a)
    local values = {}
    for i, each in ipairs(call('HVALS', P .. 'kept:' .. a)) do
      local keptAt, body = string.match(each, '^(%d+)\\30(.*)$')
      values[#values + 1] = keptAt
      values[#values + 1] = body
    end
    return values
  end,
  suppressed = function(a, b)
    local values = {}
    for _, each in ipairs(call('HKEYS', P .. 'sup:' .. a .. '\\30' .. b)) do
      local topic, channel = string.match(each, '^([^\\30]*)\\30(.*)$')
      values[#values + 1] = topic
      values[#values + 1] = channel
    end
    return values
  end,
}

for _ = 1, tonumber(take()) do delivery(take()) end
for _ = 1, tonumber(take()) do notification(take()) end
local answered = {}
for _ = 1, tonumber(take()) do
  local kind, a, b = take(), take(), take()
  answered[#answered + 1] = answers[kind](a, b)
end
return { head, call('HGETALL', P .. 'blocks'), deliveries, notifications, answered }
`);
