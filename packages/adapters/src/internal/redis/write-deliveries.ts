/** Deliveries, their indexes, and what is known of providers' messages: part of the script that writes. */
export const WRITE_DELIVERIES = `
for a in each(changed) do
  local id = A[a]
  local key = P .. 'd:' .. id
  local version, state, messages, message, story = text(tonumber(A[a + 1]) + 1), A[a + 2], A[a + 8], A[a + 9], A[a + 10]
  -- Each in one command, for what they mostly are: a mark, a settle.
  if story == '' then call('HSET', key, 'v', version, 's', state)
  elseif message ~= '' then call('HSET', key, 'v', version, 's', state, 'h' .. version, story, 'm', message)
  elseif messages ~= '' then call('HSET', key, 'v', version, 's', state, 'h' .. version, story, 'k', messages)
  else call('HSET', key, 'v', version, 's', state, 'h' .. version, story) end
  if story == '' and message ~= '' then call('HSET', key, 'm', message) end
  if messages ~= '' and (story == '' or message ~= '') then call('HSET', key, 'k', messages) end
  place('work', A[a + 3], id)
  place('watch', A[a + 4], id)
  place('erase', A[a + 5], id)
  local before, after = A[a + 6], A[a + 7]
  if before ~= after then
    if before ~= '' then place('a:' .. before, '-', id) end
    if after ~= '' then place('a:' .. after, '0', id) end
  end
end
for a in each(gone) do forgetDelivery(A[a + 2], A[a]) end
for a in each(made) do
  local id = A[a]
  local key = P .. 'd:' .. id
  call('HSET', key, 'v', '0', 'n', A[a + 1], 'r', A[a + 2], 'f', A[a + 3], 'c', A[a + 4], 's', A[a + 5], 'h0', A[a + 12])
  if A[a + 10] ~= '' then call('HSET', key, 'k', A[a + 10]) end
  if A[a + 11] ~= '' then call('HSET', key, 'm', A[a + 11]) end
  call('ZADD', P .. 'r:' .. A[a + 2], 0, id)
  place('of:' .. A[a + 1], '0', id)
  place('work', A[a + 6], id)
  place('watch', A[a + 7], id)
  place('erase', A[a + 8], id)
  if A[a + 9] ~= '' then place('a:' .. A[a + 9], '0', id) end
end
local names, owners, news = {}, {}, {}
for a in each(learned) do names[#names + 1] = A[a] end
inParts(names, 1, function(...)
  local asked = { ... }
  for i, before in ipairs(call('HMGET', P .. 'messages', ...)) do owners[asked[i]] = before end
end)
for a in each(learned) do
  local name, id = A[a], A[a + 1]
  local before = owners[name]
  if not before then owners[name] = id
  elseif not string.find('\\30' .. before .. '\\30', '\\30' .. id .. '\\30', 1, true) then owners[name] = before .. '\\30' .. id end
  if owners[name] ~= before then news[#news + 1] = name end
end
for i = 1, #news do
  names[2 * i - 1], names[2 * i] = news[i], owners[news[i]]
end
for i = 2 * #news + 1, #names do names[i] = nil end
inParts(names, 2, function(...) call('HSET', P .. 'messages', ...) end)
` as const;

/**
 * Commands that take many at once, part of the scripts that write: a command for each would cost more than what it does. What was given a
 * place in sorted sets, or taken out, is there once `settlePlaces` was called.
 */
export const PLACES = `
-- As many at a time as Lua passes on.
local function inParts(list, width, run)
  local most = 1000 * width
  for i = 1, #list, most do run(unpack(list, i, math.min(i + most - 1, #list))) end
end
local placed, removed = {}, {}
local function place(zset, value, id)
  if value == '-' then
    local list = removed[zset] or {}
    removed[zset] = list
    list[#list + 1] = id
  elseif value ~= '' then
    local list = placed[zset] or {}
    placed[zset] = list
    local n = #list
    list[n + 1], list[n + 2] = value, id
  end
end
local function settlePlaces()
  for zset, list in pairs(removed) do inParts(list, 1, function(...) call('ZREM', P .. zset, ...) end) end
  for zset, list in pairs(placed) do inParts(list, 2, function(...) call('ZADD', P .. zset, ...) end) end
end
local function add(name, change) call('HINCRBY', P .. 'sums', name, change) end
` as const;
