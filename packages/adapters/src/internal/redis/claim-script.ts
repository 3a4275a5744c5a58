import { DELIVERY_ROW, NOTIFICATION_ROW } from './rows.ts';
import { script, type Script } from './script.ts';
import { PLACES } from './write-deliveries.ts';

/**
 * Grants what is as it mostly is: waiting, due, and marked (see `packedState`) as something that a claim only has to grant. The rest, and
 * whatever the whole store has to be asked about first, is left to core's own step.
 *
 * ARGV: what it rests on (key, version, identity as it stands there and as it is, fresh until), request, owner, owner as JSON, lease ms,
 * how late, how many, a name of its own, then ids; without ids it takes what is due. Answers the time, what was granted (as rows, '' for
 * nil, joined), their notifications as rows; and 1 where something of what was due has to be looked at, so nothing was granted.
 */
export const CLAIM: Script = script(`${DELIVERY_ROW}${NOTIFICATION_ROW}${PLACES}
local store, isByTime = KEYS[1], #ARGV == 12
local copy, request = P .. 'claim:\\30' .. ARGV[12], P .. 'claim:' .. ARGV[6]
local LOOK = { text(now), {}, {}, 1 }
local head = call('HMGET', store, 'key', 'version', 'identity', 'quiet', 'reckoned', 'reservedUntil')
if head[1] ~= ARGV[1] or head[2] ~= ARGV[2] or head[3] ~= ARGV[3] then return LOOK end
if identity() ~= ARGV[4] or now > tonumber(ARGV[5]) then return LOOK end
if tonumber(head[4]) > now or head[5] ~= '1' or tonumber(head[6] or 0) > now then return LOOK end
-- A copy of it was here, or what it was granted is remembered.
if call('EXISTS', copy) == 1 or isByTime and call('EXISTS', request) == 1 then return LOOK end

local ids = {}
if isByTime then ids = call('ZRANGEBYSCORE', P .. 'work', '-inf', text(now - tonumber(ARGV[10])), 'LIMIT', 0, ARGV[11])
else for i = 13, #ARGV do ids[i - 12] = ARGV[i] end end

local match, find = string.match, string.find
local taken, met = {}, {}
for _, id in ipairs(ids) do
  local row = not met[id] and deliveryRow(id, true)
  met[id] = true
  local state, assumed, note, fence, due, by, rest
  if row then
    state, assumed, note, fence, due, by, rest =
      match(row[5] or '', '^([^\\30]*)\\30([^\\30]*)\\30([^\\30]+)\\30(%d+)\\30(%d+)\\30([^\\30]*)\\30[^\\30]*\\30[^\\30]*\\30[^\\30]*\\30(.*)$')
  end
  -- What a later release wrote is for that one to claim.
  if state and tonumber(due) <= now and by ~= ARGV[6] and find(row[4] or '', '\\30{"v":1,', 1, true) then
    taken[#taken + 1] = row
    row[8], row[9], row[10], row[11], row[12], row[13] = state, assumed, note, fence, due, rest
  elseif isByTime then return LOOK end
end

local leaseUntil = text(now + tonumber(ARGV[9]))
local granted, names, parents, notifications, was = {}, {}, {}, {}, {}
local minted = #taken > 0 and call('HINCRBY', store, 'fence', 1) or 0
local begins = '[' .. text(now) .. ',"processing",' .. ARGV[8] .. ','
for i, row in ipairs(taken) do
  local id, state = row[1], row[8]
  local fence = text(math.max(tonumber(row[11]) + 1, minted))
  row[2] = text(tonumber(row[2]) + 1)
  row[5] = table.concat({ 'processing', row[9], '', fence, row[12], ARGV[6], ARGV[7], leaseUntil, text(now), row[13] }, '\\30')
  call('HSET', P .. 'd:' .. id, 'v', row[2], 's', row[5], 'h' .. row[2], begins .. fence .. ',' .. row[10] .. ']\\n')
  place('work', leaseUntil, id)
  if state ~= 'queued' then place('a:' .. state, '-', id) end
  was[state] = (was[state] or 0) + 1
  names[i] = '"' .. id .. '"'
  granted[i] = table.concat({ id, row[2], row[3], row[4], row[5], row[6] or '', row[7] or '' }, '\\31')
  if not parents[row[3]] then
    parents[row[3]] = true
    notifications[#notifications + 1] = notificationRow(row[3])
  end
end
settlePlaces()
for state, n in pairs(was) do add('d:' .. state, -n) end
if #taken > 0 then add('d:processing', #taken) end
-- Until no copy of it is taken seriously any more.
call('SET', copy, '1', 'PX', text(tonumber(ARGV[5]) - now + 1))
if isByTime and #taken > 0 then call('SET', request, '[' .. table.concat(names, ',') .. ']', 'PX', text(math.max(1, tonumber(ARGV[9])))) end
return { text(now), granted, notifications, 0 }
`);
