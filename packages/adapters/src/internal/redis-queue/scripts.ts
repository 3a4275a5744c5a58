import { createHash } from 'node:crypto';

/**
 * What is in Redis, all under one hash tag, so that a Cluster keeps it on one node:
 *
 * - `{sendonce:NAME}:wakes`, a sorted set: every wake, by the time at which it may be handed out (store clock, ms).
 * - `{sendonce:NAME}:receives`, a hash: "first enqueued, times handed out" of the wakes that were handed out before.
 * - `{sendonce:NAME}:unreadable`, a sorted set: members of `wakes` that are not ours, by the time they were found; the newest 1,000.
 *
 * A member is `UNIQUE.DELAY.ID`. The unique part is the client's, so a script that arrives twice stores one wake; with the delay,
 * the first score tells when it was enqueued. A receipt is `RECEIVES.MEMBER`: it holds the wake while that is hidden and was not
 * handed out again.
 */
export interface Script {
  readonly sha: string;
  readonly text: string;
}

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function at(ms) return string.format('%.0f', ms) end
`;

const HELD = `
local function isHeld(score, member, receives)
  if not score or tonumber(score) <= now then return false end
  local seen = redis.call('HGET', KEYS[2], member)
  return seen and string.match(seen, ' (%d+)$') == receives
end
`;

/** KEYS wakes; ARGV channel, delay ms, most wakes, members. Answers how many of the members are stored, from the first on. */
export const ENQUEUE: Script = script(`${NOW}
local delay = tonumber(ARGV[2])
local room = tonumber(ARGV[3]) - redis.call('ZCARD', KEYS[1])
local wasIdle = #redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1) == 0
local stored = 0
for i = 4, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[i]) then
    if room <= 0 then break end
    redis.call('ZADD', KEYS[1], at(now + delay), ARGV[i])
    room = room - 1
  end
  stored = stored + 1
end
-- Where something was due already, nobody is waiting.
if stored > 0 and delay == 0 and wasIdle then redis.call('PUBLISH', ARGV[1], '1') end
return stored
`);

/** KEYS wakes, receives, unreadable; ARGV most, visibility ms. Answers ms until the next is due (-1: none), what is unreadable, and member, receives, age for each. */
export const RECEIVE: Script = script(`${NOW}
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
local unreadable, taken = {}, {}
for i = 1, #due, 2 do
  local member = due[i]
  local delay = string.match(member, '^[%w_-]+%.(%d+)%..+$')
  if delay then
    local seen = redis.call('HGET', KEYS[2], member)
    local first, receives
    if seen then first, receives = string.match(seen, '^(%d+) (%d+)$') end
    first = tonumber(first or due[i + 1] - delay)
    receives = tonumber(receives or 0) + 1
    redis.call('HSET', KEYS[2], member, at(first) .. ' ' .. receives)
    redis.call('ZADD', KEYS[1], at(now + ARGV[2]), member)
    taken[#taken + 1] = member
    taken[#taken + 1] = receives
    taken[#taken + 1] = math.max(0, now - first)
  else
    redis.call('ZREM', KEYS[1], member)
    redis.call('ZADD', KEYS[3], at(now), member)
    redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -1001)
    unreadable[#unreadable + 1] = member
  end
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { first[2] and math.max(0, first[2] - now) or -1, unreadable, taken }
`);

/** KEYS wakes, receives; ARGV member, receives, ... Answers 1 for each that is gone now, 0 for one whose receipt is stale. */
export const ACK: Script = script(`${NOW}${HELD}
local results = {}
for i = 1, #ARGV, 2 do
  local score = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if not score then
    results[#results + 1] = 1
  elseif isHeld(score, ARGV[i], ARGV[i + 1]) then
    redis.call('ZREM', KEYS[1], ARGV[i])
    redis.call('HDEL', KEYS[2], ARGV[i])
    results[#results + 1] = 1
  else
    results[#results + 1] = 0
  end
end
-- What a purge of the wakes alone left behind.
if redis.call('ZCARD', KEYS[1]) == 0 then redis.call('DEL', KEYS[2]) end
return results
`);

/** KEYS wakes, receives; ARGV channel or '', ms, member, receives, ... Hides for so long what is held; answers 1 or 0 for each. */
export const HIDE: Script = script(`${NOW}${HELD}
local results = {}
for i = 3, #ARGV, 2 do
  if isHeld(redis.call('ZSCORE', KEYS[1], ARGV[i]), ARGV[i], ARGV[i + 1]) then
    redis.call('ZADD', KEYS[1], at(now + ARGV[2]), ARGV[i])
    results[#results + 1] = 1
  else
    results[#results + 1] = 0
  end
end
if ARGV[1] ~= '' then redis.call('PUBLISH', ARGV[1], '1') end
return results
`);

/** KEYS wakes. Answers how many there are. */
export const DEPTH: Script = script(`return redis.call('ZCARD', KEYS[1])`);

function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}
