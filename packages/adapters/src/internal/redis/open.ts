import { SendonceError } from '@sendonce/core';
import type { Send } from './connection.ts';
import { whoOf } from './failures.ts';
import type { CheckedOptions } from './options.ts';
import { script, type Script } from './script.ts';

/** Answers what the server does when its memory is full ('': that cannot be asked), whether it keeps a log ('1', '0', ''), and who it is. */
const ASK: Script = script(`
local memory = redis.pcall('INFO', 'memory')
local policy = type(memory) == 'string' and string.match(memory, 'maxmemory_policy:([%w-]+)')
if not policy then
  local answer = redis.pcall('CONFIG', 'GET', 'maxmemory-policy')
  policy = type(answer) == 'table' and answer[2]
end
local persistence = redis.pcall('INFO', 'persistence')
local log = type(persistence) == 'string' and string.match(persistence, 'aof_enabled:(%d)')
return { policy or '', log or '', identity() }
`);

/**
 * Looks whether the server keeps what it is given, whenever it is another one than before; answers who it is.
 * @throws SendonceError LEDGER_REFUSED, LEDGER_UNAVAILABLE
 */
export async function openStore(send: Send, { name, warn }: Pick<CheckedOptions, 'name' | 'warn'>): Promise<string> {
  const [policy, log, identity] = (await send(ASK)) as [string, string, string];
  if (policy === '')
    warn(
      `the server does not say what it does when its memory is full; look that its maxmemory-policy is noeviction, or records may vanish and their messages be sent again`,
    );
  else if (policy !== 'noeviction')
    throw new SendonceError(
      'LEDGER_REFUSED',
      `${whoOf(name)}: the server's maxmemory-policy is ${policy}, so it would drop records when its memory is full, and their messages would be sent again; run: CONFIG SET maxmemory-policy noeviction, and write the same into its configuration`,
    );
  if (log === '0')
    warn(
      `the server keeps no append-only file, so what was confirmed since its last snapshot is gone after a crash; run: CONFIG SET appendonly yes, and write the same into its configuration`,
    );
  if (identity.startsWith('-'))
    warn(
      `the server does not say who it is (INFO), so a restart or a failover that lost the last writes is not seen; let the ledger's user run INFO, or call markRestored after each of them`,
    );
  return identity;
}
