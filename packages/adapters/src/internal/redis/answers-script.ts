import { EXPANDED } from '../ahead/run-notifications.ts';

/** Records that come along with an answer at most; what is missing is asked for by its id. */
const MOST_RECORDS = 1_000;

/** How questions are answered, part of the script that reads: `answers[kind](a, b)`. Each value is a pair (x, y). */
export const ANSWERS: string = `
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
-- Whoever claims what was accepted begins with its first page: asked for later, that would be a round trip of its own.
local pages = {}
local function withPage(id)
  local row = notification(id)
  if not row or row[4] ~= '1' then return end
  local page = call('HMGET', P .. 'p:' .. id, '0f', '0c')
  if page[1] and page[2] ~= '${EXPANDED}' then pages[#pages + 1] = { id, page[1], page[2] } end
end
local answers = {
  work = function(a, b) return with(due('work', a, b), delivery) end,
  watch = function(a, b) return with(due('watch', a, b), delivery) end,
  routing = function(a, b) return with(due('nwork', a, b), withPage) end,
  of = function(a) return with(call('ZRANGE', P .. 'of:' .. a, 0, -1), delivery) end,
  some = function(a, b)
    local after, limit = string.match(b, '^(.*)%+(%d+)$')
    return with(call('ZRANGEBYLEX', P .. 'of:' .. a, after == '' and '-' or '(' .. after, '+', 'LIMIT', 0, limit), delivery)
  end,
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
`;
