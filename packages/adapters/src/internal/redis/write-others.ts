/** What belongs to no delivery, and the store itself: part of the script that writes. */
export const WRITE_OTHERS = `
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
` as const;
