import { FORGET } from './forget-script.ts';
import { LISTS } from './lists.ts';
import { script, type Script } from './script.ts';
import { CONDITIONS } from './write-conditions.ts';
import { PLACES, WRITE_DELIVERIES } from './write-deliveries.ts';
import { WRITE_NOTIFICATIONS } from './write-notifications.ts';
import { WRITE_OTHERS } from './write-others.ts';

const NAMES = Object.keys(LISTS) as readonly (keyof typeof LISTS)[];

/**
 * ARGV: what it rests on (key, version, identity, gates or '', fresh until, reserved by), whether this part is the last one, content
 * retention, the new epoch ('' or changed, quiet, reckoned, last fence); the time that it was decided by and the memory that stood in the
 * data, where nothing was read for it; how many items each list has, and all their parts, joined. Nothing is written before all conditions
 * hold: what fails after the first write would leave half of it. Answers the time, or 0: somebody was ahead. In places that are times, ''
 * leaves the index as it is, and '-' takes it out.
 */
export const WRITE: Script = script(`
local store = KEYS[1]
local L, A, total = {}, {}, 0
for i, width in ipairs({ ${NAMES.map((name) => LISTS[name].length).join(', ')} }) do
  local n = tonumber(ARGV[14 + i])
  L[i] = { first = total + 1, n = n, width = width }
  total = total + n * width
end
local find, sub = string.find, string.sub
local cells, from = ARGV[15 + #L], 1
for cell = 1, total - 1 do
  local to = find(cells, '\\31', from, true)
  A[cell] = sub(cells, from, to - 1)
  from = to + 1
end
if total > 0 then A[total] = sub(cells, from) end
local function each(list)
  local i, first, width, n = -1, list.first, list.width, list.n
  return function()
    i = i + 1
    if i < n then return first + i * width end
  end
end
local ${NAMES.join(', ')} = unpack(L)
${CONDITIONS}${FORGET}${PLACES}${WRITE_DELIVERIES}${WRITE_NOTIFICATIONS}${WRITE_OTHERS}
settlePlaces()
return text(now)
`);
