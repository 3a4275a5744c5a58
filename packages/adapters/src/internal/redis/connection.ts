import { SendonceError } from '@sendonce/core';
import type { Argument, RedisClientLike } from './client.ts';
import { saidBy, unavailable, whoOf } from './failures.ts';
import type { Script } from './script.ts';

/** Sends one script; answers what it answers. */
export type Send = (script: Script, args?: readonly Argument[]) => Promise<unknown>;

/** How long an answer is waited for: longer than the client's own attempts to connect again take, as they are by default. */
const ANSWER_MS = 30_000;

/** The key by which a Cluster finds the node, and a script the names of all others. */
export function storeKey(name: string): string {
  return `{${name}}:store`;
}

/**
 * A script may arrive twice: a client sends again what had no reply when its connection broke, and the first copy may arrive later than
 * the second. Whatever a script writes rests on versions, so the second copy to arrive writes nothing.
 */
export function sending(
  client: Pick<RedisClientLike, 'eval' | 'evalsha'>,
  name: string,
  { key = storeKey(name), who = whoOf(name) }: { readonly key?: string; readonly who?: string } = {},
): Send {
  return async (script, args = []) => {
    const sent = async (): Promise<unknown> => {
      try {
        return await client.evalsha(script.sha, 1, key, ...args);
      } catch (error) {
        // It did not run. A server that restarted, or another one, has not seen it yet.
        if (!saidBy(error).startsWith('NOSCRIPT')) throw error;
        return client.eval(script.text, 1, key, ...args);
      }
    };
    try {
      return await inTime(sent(), who);
    } catch (error) {
      throw unavailable(error, name, who);
    }
  };
}

/** A connection whose other end is gone without a word would be waited on for ever. */
async function inTime<T>(answer: Promise<T>, who: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = (): SendonceError =>
      new SendonceError(
        'LEDGER_UNAVAILABLE',
        `${who}: no answer for ${ANSWER_MS} ms, so it is not known whether it was written; the call may be repeated`,
      );
    timer = setTimeout(() => reject(error()), ANSWER_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
