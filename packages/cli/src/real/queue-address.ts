import type { QueueTerms } from '@sendonce/chaos/processes';
import type { Queue } from '@sendonce/core';
import { isAmqp, isRedis, isSqs } from './address.ts';
import { driver } from './driver.ts';
import { firstCall } from './first-call.ts';
import type * as SqsPlace from './sqs-place.ts';
import { placeAt } from './servers/own-server.ts';
import type { Place, PlaceOptions } from './place.ts';

/** Makes an empty queue there. @throws SendonceError QUEUE_UNAVAILABLE, DRIVER_MISSING */
export async function makeQueue(address: string, options: PlaceOptions): Promise<Place> {
  if (address === 'redis:') {
    const { ownRedis } = await import('./servers/redis.ts');
    return placeAt(await ownRedis('queue'), makeQueue);
  }
  if (address === 'amqp:') {
    const { ownRabbitmq } = await import('./servers/rabbitmq.ts');
    return placeAt(await ownRabbitmq('queue'), makeQueue);
  }
  return firstCall(address, placeOf(address, options));
}

async function placeOf(address: string, options: PlaceOptions): Promise<Place> {
  if (isRedis(address)) return (await import('./redis-queue-place.ts')).redisQueuePlace(address, options);
  if (isAmqp(address)) return (await import('./amqp-place.ts')).amqpPlace(address, options);
  return (await sqs()).sqsPlace(address, options);
}

/** Opens what a place's address names. */
export async function openQueue(address: string, terms: QueueTerms): Promise<Queue> {
  if (isRedis(address)) return (await import('./redis-queue-place.ts')).openRedisQueue(address, terms);
  if (isAmqp(address)) return (await import('./amqp-place.ts')).openAmqp(address, terms);
  if (isSqs(address)) return (await sqs()).openSqs(address, terms);
  throw new Error(`'${address}' names no queue`);
}

function sqs(): Promise<Pick<typeof SqsPlace, 'sqsPlace' | 'openSqs'>> {
  return driver('a queue in SQS', '@aws-sdk/client-sqs', () => import('./sqs-place.ts'));
}
