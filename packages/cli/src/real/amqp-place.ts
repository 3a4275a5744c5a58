import { randomBytes } from 'node:crypto';
import { rabbitmqQueue, rabbitmqQueueNames } from '@sendonce/adapters/queues/rabbitmq';
import type { QueueTerms } from '@sendonce/chaos/processes';
import type { Queue } from '@sendonce/core';
import type { Channel } from 'amqplib';
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
  const names = rabbitmqQueueNames(name);
  return {
    address,
    restart: null,
    wipe: () => onChannel(url, (channel) => channel.purgeQueue(name)),
    remove: once(async () => {
      // Those that are not there count as deleted.
      if (!keep)
        await onChannel(url, async (channel) => {
          for (const each of names) await channel.deleteQueue(each);
        });
    }),
  };
}

export function openAmqp(address: string, terms: QueueTerms): Queue {
  return rabbitmqQueue({ url: withPassword(address, 'SENDONCE_QUEUE_PASSWORD'), name: nameIn(address), ...terms });
}

async function onChannel(url: string, work: (channel: Channel) => Promise<unknown>): Promise<void> {
  const { connect } = await import('amqplib');
  const connection = await connect(url);
  connection.on('error', () => undefined);
  try {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await work(channel);
  } finally {
    await connection.close();
  }
}
