import { SendonceError } from '@sendonce/core';
import type { RedisClientLike } from './client.ts';
import { storeKey } from './connection.ts';
import { unavailable, whoOf } from './failures.ts';
import type { RedisWait } from './options.ts';
import { script, type Script } from './script.ts';

/** A write that comes after all that was written before, and who took it. */
const TOUCH: Script = script(`
call('HINCRBY', KEYS[1], 'confirmed', 1)
return identity()
`);

/**
 * Waits until replicas have what was written so far, whoever wrote it and on whatever connection: a repeated mark writes nothing, and
 * has to be waited for all the same. `identity` is that of the server which took the write.
 * @throws SendonceError LEDGER_UNAVAILABLE
 */
export function confirming(
  client: RedisClientLike,
  name: string,
  wait: RedisWait,
): (identity: string) => Promise<void> {
  return async (identity) => {
    let answers: [error: Error | null, answer: unknown][] | null;
    try {
      // On one connection, after a command that a Cluster sends to the right node: WAIT itself names no key.
      const touch = ['eval', TOUCH.text, 1, storeKey(name)];
      answers = await client.pipeline([touch, ['wait', wait.replicas, wait.timeoutMs]]).exec();
    } catch (error) {
      throw unavailable(error, name);
    }
    const [touched, waited] = answers ?? [];
    const failed = touched?.[0] ?? waited?.[0];
    if (failed) throw unavailable(failed, name);
    if (touched?.[1] !== identity) throw unconfirmed(name, 'another server has taken over meanwhile');
    const confirmed = Number(waited?.[1]);
    if (!(confirmed >= wait.replicas))
      throw unconfirmed(name, `${confirmed} of ${wait.replicas} replicas confirmed it within ${wait.timeoutMs} ms`);
  };
}

function unconfirmed(name: string, why: string): SendonceError {
  return new SendonceError(
    'LEDGER_UNAVAILABLE',
    `${whoOf(name)}: written, but it may be lost in a failover: ${why}; the call may be repeated`,
  );
}
