import { GetQueueAttributesCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { Consumer } from 'sqs-consumer';
import { queueUrl, sqsClient } from './counting.js';
import { handlerOf, redisDedup } from './work.js';

/** SQS takes and gives ten at a time. */
const TEN = 10;
const WAITING = ['', 'NotVisible', 'Delayed'].map((kind) => `ApproximateNumberOfMessages${kind}`);

/** sqs-consumer: a consumer for every ten of the concurrency; `options.batch` takes handleMessageBatch instead of handleMessage. */
export async function open({ addresses, concurrency, send, options = {} }) {
  const client = sqsClient(addresses.sqs);
  const url = await queueUrl(client, 'jobs');
  const dedup = options.dedup === true ? redisDedup(addresses.redis) : undefined;
  const handle = handlerOf({ send, dedup });
  const idOf = ({ Body }) => JSON.parse(Body).id;
  // A handler that returns nothing has acknowledged nothing.
  const handleMessage = async (message) => {
    await handle(idOf(message));
    return message;
  };
  const handleMessageBatch = async (messages) => {
    const results = await Promise.allSettled(messages.map((message) => handle(idOf(message))));
    return messages.filter((_, i) => results[i].status === 'fulfilled');
  };
  const sendTen = (ids) => {
    const Entries = ids.map((id) => ({ Id: String(id), MessageBody: JSON.stringify({ id }) }));
    return client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
  };
  const add = async (ids) => {
    const tens = Array.from({ length: Math.ceil(ids.length / TEN) }, (_, i) => ids.slice(i * TEN, (i + 1) * TEN));
    await Promise.all(tens.map(sendTen));
  };
  return {
    enqueue: add,
    publish: add,
    work() {
      const handler = options.batch === true ? { handleMessageBatch } : { handleMessage };
      const one = () => Consumer.create({ queueUrl: url, sqs: client, batchSize: TEN, waitTimeSeconds: 1, ...handler });
      const consumers = Array.from({ length: Math.ceil(concurrency / TEN) }, one);
      for (const each of consumers) {
        for (const kind of ['error', 'processing_error']) each.on(kind, () => undefined);
        each.start();
      }
      return () => Promise.all(consumers.map((each) => stopped(each)));
    },
    async left() {
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: WAITING }),
      );
      return WAITING.reduce((sum, name) => sum + Number(Attributes[name]), 0);
    },
    // Without a dead-letter queue nothing is given up; what waits can only be counted.
    gaveUp: async () => [],
    waiting: async () => [],
    async close() {
      dedup?.close();
      client.destroy();
    },
  };
}

/** When what it was at is over. */
function stopped(consumer) {
  return new Promise((resolve) => {
    consumer.once('stopped', resolve);
    consumer.stop();
  });
}
