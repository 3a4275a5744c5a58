import type { AddressInfo } from 'node:net';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';

export interface SqsServer {
  readonly port: number;
  readonly client: SQSClient;
  /** A client that reaches it through another port of this host. */
  clientAt(port: number): SQSClient;
  /** A fresh queue's URL. */
  queueUrl(kind?: 'standard' | 'fifo', attributes?: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

let queues = 0;

/** An SQS on this host, in this process. */
export async function sqsServer(): Promise<SqsServer> {
  const app = buildApp({ logger: false });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const clientAt = (at: number): SQSClient =>
    new SQSClient({
      endpoint: `http://127.0.0.1:${at}`,
      useQueueUrlAsEndpoint: false,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
  const client = clientAt(port);
  return {
    port,
    client,
    clientAt,
    async queueUrl(kind = 'standard', attributes = {}) {
      const fifo = kind === 'fifo';
      const QueueName = `q${(queues += 1)}${fifo ? '.fifo' : ''}`;
      const Attributes = { ...attributes, ...(fifo && { FifoQueue: 'true' }) };
      const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
      return QueueUrl;
    },
    async close() {
      client.destroy();
      await app.close();
    },
  };
}
