import type { Send } from './connection.ts';
import { FORGET } from './forget-script.ts';
import { script, type Script } from './script.ts';

export interface HousekeepingOptions {
  readonly send: Send;
  readonly retentionMs: number;
}

/** A little at a time, so that nobody has to wait for it. */
const ITEMS_PER_TURN = 500;
/** Notifications, of which each may have many deliveries. */
const FEW = 20;
const TURN_MS = 1_000;
const DAY_MS = 86_400_000;
/** Evidence that matched nothing for this long never will: providers deliver events for days, not for months. */
const EVIDENCE_MS = 30 * DAY_MS;

/** ARGV: retention ms. Answers 1 when there is more to do. */
const TIDY: Script = script(`
local isMore = 0
local function due(zset, untilMs, limit)
  local ids = call('ZRANGEBYSCORE', P .. zset, '-inf', text(untilMs), 'LIMIT', 0, limit)
  if #ids == limit then isMore = 1 end
  return ids
end

for _, id in ipairs(due('erase', now, ${ITEMS_PER_TURN})) do
  call('ZREM', P .. 'erase', id)
  if call('EXISTS', P .. 'd:' .. id) == 1 then
    call('HDEL', P .. 'd:' .. id, 'm', 'c')
    call('HINCRBY', P .. 'd:' .. id, 'v', 1)
  end
end
-- What a producer gave, once no dead letter needs it to make its content again; while one does, it is asked again tomorrow.
for _, id in ipairs(due('nerase', now, ${FEW})) do
  if tonumber(call('HGET', P .. 'n:' .. id, 'l') or 0) > 0 then call('ZADD', P .. 'nerase', text(now + ${DAY_MS}), id)
  else
    call('ZREM', P .. 'nerase', id)
    call('HDEL', P .. 'n:' .. id, 'c')
  end
end
for _, about in ipairs(due('kept', now - ${EVIDENCE_MS}, ${ITEMS_PER_TURN})) do
  call('ZREM', P .. 'kept', about)
  call('DEL', P .. 'kept:' .. about)
end

${FORGET}-- Whole notifications, and only when none of their deliveries is open; the notification goes with its last delivery.
local budget = ${ITEMS_PER_TURN}
local over = now - tonumber(ARGV[1])
for _, id in ipairs(due('over', over, ${FEW})) do
  local row = call('HMGET', P .. 'n:' .. id, 'o', 's')
  if tonumber(row[1] or 0) > 0 then call('ZADD', P .. 'over', text(over + ${DAY_MS}), id)
  elseif budget > 0 then
    local ids = call('ZRANGE', P .. 'of:' .. id, 0, budget - 1)
    for _, each in ipairs(ids) do
      local state, isAssumed = forgetDelivery(id, each)
      if state then call('HINCRBY', P .. 'sums', 'd:' .. state, -1) end
      if isAssumed then call('HINCRBY', P .. 'sums', 'assumed', -1) end
    end
    budget = budget - #ids
    if budget > 0 then
      forgetNotification(id)
      if row[2] then call('HINCRBY', P .. 'sums', 'n:' .. row[2], -1) end
    end
  end
end
if budget <= 0 then isMore = 1 end
return isMore
`);

/**
 * Erases the content of what settled long enough ago, and forgets notifications that have been over for `retentionMs`. At most once a
 * second in a process.
 */
export function housekeeping({ send, retentionMs }: HousekeepingOptions): () => Promise<void> {
  let nextAt = 0;
  return async () => {
    const at = performance.now();
    if (at < nextAt) return;
    nextAt = at + TURN_MS;
    if (Number(await send(TIDY, [retentionMs])) === 1) nextAt = 0;
  };
}
