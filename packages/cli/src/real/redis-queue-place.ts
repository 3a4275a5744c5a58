import { randomBytes } from 'node:crypto';
import { redisQueue } from '@sendonce/adapters/queues/redis';
import type { QueueTerms } from '@sendonce/chaos/processes';
import type { Queue } from '@sendonce/core';
import { named, nameIn } from './address.ts';
import { keepPassword } from './password.ts';
import type { Place, PlaceOptions } from './place.ts';
import { redisClient, removal, removeKeys } from './redis-client.ts';

/**
 * A queue of the run's own in that Redis, removed after it.
 * @throws SendonceError QUEUE_UNAVAILABLE, DRIVER_MISSING
 */
export async function redisQueuePlace(text: string, options: PlaceOptions): Promise<Place> {
  const name = `run-${randomBytes(4).toString('hex')}`;
  const address = named(keepPassword(text, 'SENDONCE_QUEUE_PASSWORD'), name);
  const keys = `{sendonce:${name}}:`;
  const client = await redisClient(address, 'SENDONCE_QUEUE_PASSWORD');
  const queue = redisQueue({ client, name });
  try {
    await queue.depth();
  } catch (error) {
    client.disconnect();
    throw error;
  } finally {
    await queue.close();
  }
  return {
    address,
    restart: null,
    wipe: () => removeKeys(client, keys),
    remove: removal(client, keys, options),
  };
}

export async function openRedisQueue(address: string, terms: QueueTerms): Promise<Queue> {
  const client = await redisClient(address, 'SENDONCE_QUEUE_PASSWORD');
  const queue = redisQueue({ client, name: nameIn(address), ...terms });
  return {
    ...queue,
    async close() {
      await queue.close();
      client.disconnect();
    },
  };
}
