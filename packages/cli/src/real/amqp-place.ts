import { randomBytes } from 'node:crypto';
import { rabbitmqQueue, rabbitmqQueueNames } from '@sendonce/adapters/queues/rabbitmq';
import type { QueueTerms } from '@sendonce/chaos/processes';
import type { Queue } from '@sendonce/core';
import { named, nameIn } from './address.ts';
import { keepPassword, withPassword } from './password.ts';
import { once, type Place, type PlaceOptions } from './place.ts';

/**
 * A queue of the run's own in that RabbitMQ, with those beside it, deleted after it.
 * @throws SendonceError QUEUE_UNAVAILABLE, DRIVER_MISSING
 */
export async function amqpPlace(text: string, { keep }: PlaceOptions): Promise<Place> {
  const name = `sendonce.run.${randomBytes(4).toString('hex')}`;
  const address = named(keepPassword(text, 'SENDONCE_QUEUE_PASSWORD'), name);
  const url = withPassword(address, 'SENDONCE_QUEUE_PASSWORD');
  const queue = rabbitmqQueue({ url, name });
  try {
    await queue.depth();
  } finally {
    await queue.close();
  }
  return { address, remove: once(() => (keep ? Promise.resolve() : deleteQueues(url, rabbitmqQueueNames(name)))) };
}

export function openAmqp(address: string, terms: QueueTerms): Queue {
  return rabbitmqQueue({ url: withPassword(address, 'SENDONCE_QUEUE_PASSWORD'), name: nameIn(address), ...terms });
}

/** Those that are not there count as deleted. */
async function deleteQueues(url: string, names: readonly string[]): Promise<void> {
  const { connect } = await import('amqplib');
  const connection = await connect(url);
  connection.on('error', () => undefined);
  try {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    for (const name of names) await channel.deleteQueue(name);
  } finally {
    await connection.close();
  }
}
