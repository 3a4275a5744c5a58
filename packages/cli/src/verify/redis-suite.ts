import { randomBytes } from 'node:crypto';
import { redisLedger } from '@sendonce/adapters/ledgers/redis';
import { redisQueue } from '@sendonce/adapters/queues/redis';
import { SendonceError } from '@sendonce/core';
import type { Redis } from 'ioredis';
import { withoutPassword } from '../real/address.ts';
import { redisDriver, removeKeys } from '../real/redis-client.ts';
import { subjectOf } from './subject-of.ts';
import type { PortName, Suite } from './suite.ts';

const VISIBILITY_MS = 2_000;

/** Keys under a name of its own for each law, removed after it. */
export function redisSuite(port: PortName, address: string): Omit<Suite, 'from' | 'flags'> {
  let client: Redis | null = null;
  return {
    port,
    isOwn: false,
    async make() {
      client ??= await connected(port, address);
      const redis = client;
      const name = `sendonce-verify-${randomBytes(6).toString('hex')}`;
      const tag = port === 'queue' ? `{sendonce:${name}}` : `{${name}}`;
      const close = (): Promise<void> => removeKeys(redis, `${tag}:`);
      const made =
        port === 'queue'
          ? { queue: redisQueue({ client: redis, name, visibilityMs: VISIBILITY_MS }), close }
          : { ledger: redisLedger({ client: redis, name, onWarning: () => undefined }), close };
      return subjectOf(port, made, address);
    },
    close: async () => client?.disconnect(),
  };
}

/** @throws SendonceError DRIVER_MISSING; QUEUE_UNAVAILABLE or LEDGER_UNAVAILABLE: nobody answers, which is no law's business */
async function connected(port: PortName, address: string): Promise<Redis> {
  const Client = await redisDriver();
  const client = new Client(address, { maxRetriesPerRequest: 1 });
  // Whoever uses it next meets it, and tells.
  let last = '';
  client.on('error', ({ message }: Error) => (last = message));
  try {
    await client.ping();
    return client;
  } catch (cause) {
    client.disconnect();
    const said = last === '' ? (cause as Error).message : last;
    throw new SendonceError(
      port === 'queue' ? 'QUEUE_UNAVAILABLE' : 'LEDGER_UNAVAILABLE',
      `${withoutPassword(address)} does not answer (${said}); no law was judged`,
      { cause },
    );
  }
}
