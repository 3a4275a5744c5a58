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
-- It stands after what the deliveries that went with it changed in its numbers. No list has it, and little is left of it.
local function bury(id, body, overAt)
  local key = P .. 'n:' .. id
  local state, version, recipients = unpack(call('HMGET', key, 's', 'v', 'r'))
  forgetNotification(id)
  add('n:' .. state, -1)
  add('n:forgotten', 1)
  -- A hash all of whose values are short takes half the memory: its body in pieces.
  call('HSET', key, 'v', text(tonumber(version) + 1), 's', 'forgotten', 'r', recipients)
  for at = 1, #body, 60 do call('HSET', key, 'b' .. math.floor(at / 60) + 1, sub(body, at, at + 59)) end
  if overAt ~= '' then place('over', overAt, id) end
end
for a in each(notificationsMade) do
  local id = A[a]
  local key = P .. 'n:' .. id
  call('HSET', key, 'v', '0', 'z', A[a + 2], 'r', A[a + 3], 'w', A[a + 4], 'b', A[a + 5], 'o', A[a + 7], 'l', A[a + 8])
  if A[a + 6] ~= '' then call('HSET', key, 'c', A[a + 6]) end
  call('ZADD', P .. 'nids', 0, id)
  place('nwork', A[a + 4], id)
  stand(id, nil, A[a + 1], tonumber(A[a + 7]), nil, A[a + 2], A[a + 3], false)
end
for a in each(notifications) do
  local id, row = A[a], was[a]
  local key = P .. 'n:' .. id
  if row[1] then
    local isWhole = A[a + 3] ~= ''
    local open = tonumber(row[3]) + tonumber(A[a + 7])
    call('HSET', key, 'o', text(open))
    if A[a + 8] ~= '0' then call('HINCRBY', key, 'l', A[a + 8]) end
    local state = isWhole and A[a + 3] or row[2]
    local sealed = isWhole and A[a + 4] or row[5]
    if isWhole then
      call('HSET', key, 'z', sealed, 'w', A[a + 5] == '-' and '' or A[a + 5], 'b', A[a + 6])
      place('nwork', A[a + 5], id)
    end
    if stand(id, row[2], state, open, row[4], sealed, row[6], A[a + 2] ~= '') ~= row[2] or isWhole then
      call('HSET', key, 'v', text(tonumber(row[1]) + 1))
    end
  end
end
for a in each(buried) do bury(A[a], A[a + 1], A[a + 2] == '' and '' or text(now + tonumber(A[a + 2]))) end
for a in each(pages) do
  local page = A[a + 1]
  call('HSET', P .. 'p:' .. A[a], page .. 't', A[a + 2], page .. 'f', A[a + 3], page .. 'c', A[a + 4])
end
for a in each(lastPages) do
  local page = tonumber(A[a + 1]) + 1
  while call('HDEL', P .. 'p:' .. A[a], page .. 't', page .. 'f', page .. 'c') > 0 do page = page + 1 end
end
for a in each(expanded) do
  if call('HEXISTS', P .. 'p:' .. A[a], A[a + 1] .. 'c') == 1 then call('HSET', P .. 'p:' .. A[a], A[a + 1] .. 'c', 'expanded') end
end
` as const;
