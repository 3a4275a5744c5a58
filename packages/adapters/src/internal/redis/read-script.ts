import { ANSWERS } from './answers-script.ts';
import { DELIVERY_ROW, NOTIFICATION_ROW } from './rows.ts';
import { script, type Script } from './script.ts';

/**
 * ARGV: the key of a store that is made now, '1' with messages, then three lists, each with its length before it: ids of deliveries, ids
 * of notifications, questions (kind, a, b). Answers the store, deliveries, notifications, for each question its values (x, y, ...), and first pages.
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
  return row
end
local function delivery(id)
  if met[id] then return end
  met[id] = true
  local row = deliveryRow(id, withMessages)
  if not row then return end
  deliveries[#deliveries + 1] = row
  if withMessages and row[3] then notification(row[3]) end
end

${ANSWERS}
for _ = 1, tonumber(take()) do delivery(take()) end
for _ = 1, tonumber(take()) do notification(take()) end
local answered = {}
for _ = 1, tonumber(take()) do
  local kind, a, b = take(), take(), take()
  answered[#answered + 1] = answers[kind](a, b)
end
return { head, call('HGETALL', P .. 'blocks'), deliveries, notifications, answered, pages }
`);
