// What goes over the wire, counted where each client hands it to its socket.
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Redis } from 'ioredis';
import pg from 'pg';

/** Since the process began: commands to Redis, statements to PostgreSQL, calls to SQS. */
export const counts = { redis: 0, postgres: 0, sqs: 0 };

/** Counts what every client of this process asks from now on, whoever made it. */
export function countAll() {
  wrap(Redis.prototype, 'sendCommand', 'redis');
  wrap(pg.Client.prototype, 'query', 'postgres');
  wrap(SQSClient.prototype, 'send', 'sqs');
}

function wrap(prototype, method, kind) {
  const original = prototype[method];
  prototype[method] = function (...args) {
    counts[kind] += 1;
    return original.apply(this, args);
  };
}

/** A client of the SQS on this port. */
export function sqsClient(port) {
  return new SQSClient({
    endpoint: `http://127.0.0.1:${port}`,
    useQueueUrlAsEndpoint: false,
    region: 'us-east-1',
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
}

/** The URL of the queue of this name; a second call finds the same. */
export async function queueUrl(client, QueueName) {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName }));
  return QueueUrl;
}
