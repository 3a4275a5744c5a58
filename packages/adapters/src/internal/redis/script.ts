import { createHash } from 'node:crypto';

export interface Script {
  readonly sha: string;
  readonly text: string;
}

/*
 * What is in Redis, all under one hash tag, so that a Cluster keeps a ledger on one node. `P` is `{NAME}:`; texts in names are `plain`,
 * and \30 stands between their parts.
 *
 * - `store`, a hash about the whole: which memory this is, the last fence, the version of opt-outs and blocks.
 * - `d:ID`, a hash for each delivery: v version, n notification, r recipient, f what never changes, s what changes, c the recipient's
 *   data, m the frozen message, hN what version N adds to its story, k the providers' messages that are its.
 * - `n:ID`, a hash for each notification: v version, s state, z sealed, r recipients, o open deliveries, l dead letters, w when to work
 *   on it, b the rest, c the producer's data, e when it was over. Of a tombstone only v, s (`forgotten`), r, and what it keeps in pieces,
 *   bN. `p:ID`, a hash: its pages, each as f fingerprint, t targets, c content.
 * - By time, sorted sets: `work` and `watch` and `erase` of deliveries, `nwork`, `nerase` and `over` of notifications.
 * - By name, sorted sets without scores: `nids` all notifications; `of:NOTIFICATION`, `r:RECIPIENT`, `a:STATE` deliveries; `ended` what the
 *   sweep has to tell of. Sets: `unfinished` and `unsealed` notifications, `unreadable` what was set aside.
 * - `messages`, a hash from a provider's message to deliveries; `kept`, a sorted set of what unmatched evidence is about, each with a
 *   hash `kept:ABOUT`; `sups`, a set of who opted out of something, each with a hash `sup:WHO`; `blocks`, `sums`, hashes; `strays`, a
 *   sorted set; `claim:REQUEST`, what a claim was granted, until its leases are over; and one for each command that claims, until it
 *   is too old to be taken seriously.
 */
const PRELUDE = `
local P = string.sub(KEYS[1], 1, -6)
local call = redis.call
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(n) return string.format('%.0f', n) end
-- Which memory this is: RUN/HISTORY/PROMOTED. Without the right to ask it is always the same.
local function identity()
  local server, replication = redis.pcall('INFO', 'server'), redis.pcall('INFO', 'replication')
  local run = type(server) == 'string' and string.match(server, 'run_id:(%x+)')
  local id, former
  if type(replication) == 'string' then
    id, former = string.match(replication, 'master_replid:(%x+)'), string.match(replication, 'master_replid2:(%x+)')
  end
  local isPromoted = former and not string.match(former, '^0+$')
  return (run or '-') .. '/' .. (id or '-') .. '/' .. (isPromoted and 'promoted' or '-')
end
`;

/** A script that begins with what all of them use. KEYS[1] is the key `store`, from which it makes the other names. */
export function script(text: string): Script {
  const whole = `${PRELUDE}${text}`;
  return { text: whole, sha: createHash('sha1').update(whole).digest('hex') };
}

/** Stands between the parts of a value. JSON has no raw control characters, and `plain` texts have none. */
export const SEPARATOR = '\u001e';
