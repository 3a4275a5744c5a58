/*
 * Records as scripts answer them.
 */

/** A delivery as a row: id, v, n, f, s, c, m; nil where there is none. */
export const DELIVERY_ROW = `
local function deliveryRow(id, withMessage)
  local key = P .. 'd:' .. id
  local row
  if withMessage then row = call('HMGET', key, 'v', 'n', 'f', 's', 'c', 'm')
  else row = call('HMGET', key, 'v', 'n', 'f', 's', 'c') end
  if not row[1] then return nil end
  return { id, row[1], row[2], row[3], row[4], row[5], withMessage and row[6] or (not withMessage and '') }
end
` as const;

/** A notification as a row: id, v, s, z, r, o, w, b, c; nil where there is none. */
export const NOTIFICATION_ROW = `
local function notificationRow(id)
  local key = P .. 'n:' .. id
  local row = call('HMGET', key, 'v', 's', 'z', 'r', 'o', 'w', 'b', 'c')
  if not row[1] then return nil end
  if row[2] == 'forgotten' then
    local parts, part = {}, call('HGET', key, 'b1')
    while part do
      parts[#parts + 1] = part
      part = call('HGET', key, 'b' .. #parts + 1)
    end
    row[7] = table.concat(parts)
  end
  return { id, row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8] }
end
` as const;
