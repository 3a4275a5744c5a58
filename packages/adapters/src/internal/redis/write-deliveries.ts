/** Deliveries, their indexes, and what is known of providers' messages: part of the script that writes. */
export const WRITE_DELIVERIES = `
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
` as const;
