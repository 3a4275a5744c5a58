/** What belongs to no delivery, and the store itself: part of the script that writes. */
export const WRITE_OTHERS = `
if ARGV[7] == '1' then
  for a in each(taken) do
    call('DEL', P .. 'kept:' .. A[a])
    call('ZREM', P .. 'kept', A[a])
  end
end
for a in each(kept) do
  call('ZADD', P .. 'kept', text(now), A[a])
  call('HSETNX', P .. 'kept:' .. A[a], A[a + 4], text(now) .. '\\30' .. A[a + 5])
end
for a in each(suppressions) do
  local key = P .. 'sup:' .. A[a]
  if A[a + 2] ~= '' then
    call('HSETNX', key, A[a + 1], A[a + 2])
    call('SADD', P .. 'sups', A[a])
  else
    call('HDEL', key, A[a + 1])
    if call('EXISTS', key) == 0 then call('SREM', P .. 'sups', A[a]) end
  end
end
for a in each(blocks) do
  if A[a + 1] ~= '' then call('HSET', P .. 'blocks', A[a], A[a + 1]) else call('HDEL', P .. 'blocks', A[a]) end
end
if suppressions.n + blocks.n > 0 then call('HINCRBY', store, 'gates', 1) end
for a in each(claims) do call('SET', P .. 'claim:' .. A[a], A[a + 2], 'PX', text(math.max(1, tonumber(A[a + 1]) - now))) end
for a in each(strays) do call('ZADD', P .. 'strays', 'NX', text(now), A[a]) end
for a in each(sums) do add(A[a], A[a + 1]) end
-- What cannot be read leaves every index of work, and is counted where it can be seen.
for a in each(damaged) do
  for _, zset in ipairs({ 'work', 'watch', 'erase' }) do call('ZREM', P .. zset, A[a]) end
  call('SADD', P .. 'unreadable', A[a])
end
for a in each(damagedNotifications) do
  for _, zset in ipairs({ 'nwork', 'ended' }) do call('ZREM', P .. zset, A[a]) end
  call('SADD', P .. 'unreadable', A[a])
end
if ARGV[9] ~= '' then
  call('HINCRBY', store, 'version', 1)
  call('HSET', store, 'identity', ARGV[3], 'changed', ARGV[9] == '-' and '' or ARGV[9], 'quiet', ARGV[10], 'reckoned', ARGV[11])
  if tonumber(call('HGET', store, 'fence')) < tonumber(ARGV[12]) then call('HSET', store, 'fence', ARGV[12]) end
end
` as const;
