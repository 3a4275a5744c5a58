/** How records are given up with all that finds them, but for the sums: part of the scripts that do. */
export const FORGET = `
-- Answers its state, and whether its end was assumed.
local function forgetDelivery(notification, id)
  local key = P .. 'd:' .. id
  local row = call('HMGET', key, 's', 'r', 'k')
  local state, assumed = string.match(row[1] or '', '^([^\\30]*)\\30([^\\30]*)')
  if state then call('ZREM', P .. 'a:' .. state, id) end
  if row[2] then call('ZREM', P .. 'r:' .. row[2], id) end
  for message in string.gmatch(row[3] or '', '[^\\30]+') do
    local left = {}
    for each in string.gmatch(call('HGET', P .. 'messages', message) or '', '[^\\30]+') do
      if each ~= id then left[#left + 1] = each end
    end
    if #left == 0 then call('HDEL', P .. 'messages', message)
    else call('HSET', P .. 'messages', message, table.concat(left, '\\30')) end
  end
  for _, zset in ipairs({ 'work', 'watch', 'erase', 'of:' .. notification }) do call('ZREM', P .. zset, id) end
  call('SREM', P .. 'unreadable', id)
  call('DEL', key)
  return state, assumed == '1'
end
local function forgetNotification(id)
  for _, zset in ipairs({ 'nids', 'over', 'nerase', 'ended', 'nwork' }) do call('ZREM', P .. zset, id) end
  for _, set in ipairs({ 'unfinished', 'unsealed', 'unreadable' }) do call('SREM', P .. set, id) end
  call('DEL', P .. 'p:' .. id, P .. 'n:' .. id)
end
` as const;
