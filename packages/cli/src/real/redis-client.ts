import type { Redis } from 'ioredis';
import { driver } from './driver.ts';
import { withPassword, type PasswordOf } from './password.ts';
import { once, type PlaceOptions } from './place.ts';

/** Between two tries to connect again, ms. */
const AGAIN_MS = 100;
const KEYS_AT_ONCE = 1_000;

/** The client's class, loaded now. @throws SendonceError DRIVER_MISSING */
export async function redisDriver(): Promise<typeof Redis> {
  return (await driver('Redis', 'ioredis', () => import('ioredis'))).Redis;
}

/** A client that tries again for ever, and whose calls fail after a few tries: a server that restarts is met soon. */
export async function redisClient(address: string, of: PasswordOf): Promise<Redis> {
  const Client = await redisDriver();
  const client = new Client(withPassword(address, of), {
    lazyConnect: true,
    maxRetriesPerRequest: 5,
    retryStrategy: () => AGAIN_MS,
  });
  // Whoever uses it next meets it, and tells.
  client.on('error', () => undefined);
  return client;
}

/** Removes every key whose name begins so. */
export async function removeKeys(client: Redis, prefix: string): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', KEYS_AT_ONCE);
    if (keys.length > 0) await client.unlink(keys);
    cursor = next;
  } while (cursor !== '0');
}

/** Takes away what a run made under that prefix, unless it is to stay, and the client with it. Once. */
export function removal(client: Redis, prefix: string, { keep }: PlaceOptions): () => Promise<void> {
  return once(async () => {
    try {
      if (!keep) await removeKeys(client, prefix);
    } finally {
      client.disconnect();
    }
  });
}
