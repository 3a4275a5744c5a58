import { DELIVERY_ROW, NOTIFICATION_ROW } from './rows.ts';
import { script, type Script } from './script.ts';

/** Rows that one script looks at, at most. */
const MOST_ROWS = 500;

/** ARGV: ids. Answers rows. */
export const FIND: Script = script(`${DELIVERY_ROW}
local rows = {}
for _, id in ipairs(ARGV) do rows[#rows + 1] = deliveryRow(id, true) end
return rows
`);
export const FIND_NOTIFICATIONS: Script = script(`${NOTIFICATION_ROW}
local rows = {}
for _, id in ipairs(ARGV) do rows[#rows + 1] = notificationRow(id) end
return rows
`);

const AFTER = `
local function after(zset, id, limit)
  return call('ZRANGEBYLEX', P .. zset, id == '' and '-' or '(' .. id, '+', 'LIMIT', 0, limit)
end
` as const;

/**
 * ARGV: a sorted set of deliveries, the id before those that are wanted. Answers now, the id to go on after ('': that was all), rows.
 */
export const LIST: Script = script(`${DELIVERY_ROW}${AFTER}
local ids, rows = after(ARGV[1], ARGV[2], ${MOST_ROWS}), {}
for _, id in ipairs(ids) do rows[#rows + 1] = deliveryRow(id, true) end
return { text(now), #ids == ${MOST_ROWS} and ids[#ids] or '', rows }
`);
/** ARGV: the id before those that are wanted. */
export const LIST_NOTIFICATIONS: Script = script(`${NOTIFICATION_ROW}${AFTER}
local ids, rows = after('nids', ARGV[1], ${MOST_ROWS}), {}
for _, id in ipairs(ids) do rows[#rows + 1] = notificationRow(id) end
return { text(now), #ids == ${MOST_ROWS} and ids[#ids] or '', rows }
`);
/** ARGV: a notification, and its delivery before those that are wanted. Walks over all. Answers now, where to go on, '' or both, rows. */
export const WALK: Script = script(`${DELIVERY_ROW}${AFTER}
local rows, looked = {}, 0
local notification, id = ARGV[1], ARGV[2]
while looked < ${MOST_ROWS} do
  local ids = notification ~= '' and after('of:' .. notification, id, ${MOST_ROWS} - looked) or {}
  for _, each in ipairs(ids) do
    rows[#rows + 1] = deliveryRow(each, true)
    id = each
  end
  looked = looked + #ids + 1
  if looked < ${MOST_ROWS} then
    notification = after('nids', notification, 1)[1]
    id = ''
    if not notification then return { text(now), '', rows } end
  end
end
return { text(now), notification .. '\\30' .. id, rows }
`);

/** Answers sums (name, n, ...), strays, unsealed, unreadable, and how long the longest due has been due. */
export const COUNT: Script = script(`
local oldest = 0
for _, zset in ipairs({ 'work', 'nwork' }) do
  local first = call('ZRANGE', P .. zset, 0, 0, 'WITHSCORES')
  if first[2] then oldest = math.max(oldest, now - tonumber(first[2])) end
end
return { call('HGETALL', P .. 'sums'), call('ZCARD', P .. 'strays'), call('SCARD', P .. 'unsealed'), call('SCARD', P .. 'unreadable'), text(oldest) }
`);

/** ARGV: an id. Answers its lines in their order: those of version n are in `hN`. */
export const STORY: Script = script(`
local key, lines = P .. 'd:' .. ARGV[1], {}
for version = 0, tonumber(call('HGET', key, 'v') or -1) do lines[#lines + 1] = call('HGET', key, 'h' .. version) or nil end
return table.concat(lines)
`);
