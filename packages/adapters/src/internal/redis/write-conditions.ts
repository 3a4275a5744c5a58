/** All that a write rests on, part of the script that writes. Nothing is written here. */
export const CONDITIONS = `
local head = call('HMGET', store, 'key', 'version', 'gates', 'reservedUntil', 'reservedBy', 'identity')
if head[1] ~= ARGV[1] or head[2] ~= ARGV[2] or identity() ~= ARGV[3] or now > tonumber(ARGV[5]) then return 0 end
if ARGV[4] ~= '' and head[3] ~= ARGV[4] then return 0 end
if ARGV[13] ~= '' and (now < tonumber(ARGV[13]) or head[6] ~= ARGV[14]) then return 0 end
if tonumber(head[4] or 0) > now and head[5] ~= ARGV[6] then return 0 end
for a in each(alone) do
  if call('HGET', P .. 'd:' .. A[a], 'v') ~= A[a + 1] then return 0 end
end
for a in each(free) do
  if call('SISMEMBER', P .. 'sups', A[a]) == 1 then return 0 end
end
for a in each(changed) do
  if call('HGET', P .. 'd:' .. A[a], 'v') ~= A[a + 1] then return 0 end
end
for a in each(gone) do
  if call('HGET', P .. 'd:' .. A[a], 'v') ~= A[a + 1] then return 0 end
end
local was = {}
for a in each(notifications) do
  local row = call('HMGET', P .. 'n:' .. A[a], 'v', 's', 'o', 'e', 'z', 'r')
  if A[a + 1] ~= '' and row[1] ~= A[a + 1] then return 0 end
  if A[a + 2] ~= '' and not call('ZSCORE', P .. 'ended', A[a]) then return 0 end
  was[a] = row
end
for a in each(notificationsMade) do
  if call('EXISTS', P .. 'n:' .. A[a]) == 1 then return 0 end
end
local makes = {}
for a in each(made) do makes[#makes + 1] = P .. 'd:' .. A[a] end
for i = 1, #makes, 1000 do
  if call('EXISTS', unpack(makes, i, math.min(i + 999, #makes))) > 0 then return 0 end
end
-- Evidence and the call that makes its delivery or message known may not miss each other.
for a in each(kept) do
  if A[a + 1] ~= '' and call('EXISTS', P .. 'd:' .. A[a + 1]) == 1 then return 0 end
  if A[a + 2] ~= '' and (call('HGET', P .. 'messages', A[a + 2]) or '') ~= A[a + 3] then return 0 end
end
if call('EXISTS', P .. 'kept') == 1 then
  local took = {}
  for a in each(taken) do took[A[a]] = tonumber(A[a + 1]) end
  local function isAsRead(about) return call('HLEN', P .. 'kept:' .. about) == (took[about] or 0) end
  for a in each(made) do if not isAsRead(A[a]) then return 0 end end
  for a in each(learned) do if not isAsRead(A[a]) then return 0 end end
end
` as const;
