/** Deliveries, their indexes, and what is known of providers' messages: part of the script that writes. */
export const WRITE_DELIVERIES = `
local function place(zset, value, id)
  if value == '-' then call('ZREM', P .. zset, id)
  elseif value ~= '' then call('ZADD', P .. zset, value, id) end
end
local function add(name, change) call('HINCRBY', P .. 'sums', name, change) end

for a in each(changed) do
  local id = A[a]
  local key = P .. 'd:' .. id
  local version = text(tonumber(A[a + 1]) + 1)
  if A[a + 10] == '' then call('HSET', key, 'v', version, 's', A[a + 2])
  else call('HSET', key, 'v', version, 's', A[a + 2], 'h', stories[a] .. A[a + 10]) end
  if A[a + 8] ~= '' then call('HSET', key, 'k', A[a + 8]) end
  if A[a + 9] ~= '' then call('HSETNX', key, 'm', A[a + 9]) end
  place('work', A[a + 3], id)
  place('watch', A[a + 4], id)
  place('erase', A[a + 5], id)
  local before, after = A[a + 6], A[a + 7]
  if before ~= after then
    if before ~= '' then call('ZREM', P .. 'a:' .. before, id) end
    if after ~= '' then call('ZADD', P .. 'a:' .. after, 0, id) end
  end
end
for a in each(made) do
  local id = A[a]
  local key = P .. 'd:' .. id
  call('HSET', key, 'v', '0', 'n', A[a + 1], 'r', A[a + 2], 'f', A[a + 3], 'c', A[a + 4], 's', A[a + 5], 'h', A[a + 12])
  if A[a + 10] ~= '' then call('HSET', key, 'k', A[a + 10]) end
  if A[a + 11] ~= '' then call('HSET', key, 'm', A[a + 11]) end
  call('ZADD', P .. 'of:' .. A[a + 1], 0, id)
  call('ZADD', P .. 'r:' .. A[a + 2], 0, id)
  place('work', A[a + 6], id)
  place('watch', A[a + 7], id)
  place('erase', A[a + 8], id)
  if A[a + 9] ~= '' then call('ZADD', P .. 'a:' .. A[a + 9], 0, id) end
end
for a in each(learned) do
  local before = call('HGET', P .. 'messages', A[a])
  if not before then call('HSET', P .. 'messages', A[a], A[a + 1])
  elseif not string.find('\\30' .. before .. '\\30', '\\30' .. A[a + 1] .. '\\30', 1, true) then
    call('HSET', P .. 'messages', A[a], before .. '\\30' .. A[a + 1])
  end
end
` as const;
