/** Notifications, their indexes, and their pages: part of the script that writes. */
export const WRITE_NOTIFICATIONS = `
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
` as const;
