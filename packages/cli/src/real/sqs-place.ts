import { randomBytes } from 'node:crypto';
import { CreateQueueCommand, DeleteQueueCommand, PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sqsQueue } from '@sendonce/adapters/queues/sqs';
import type { QueueTerms } from '@sendonce/chaos/processes';
import { SendonceError, type Queue } from '@sendonce/core';
import { named, nameIn, serverOf, withoutPassword } from './address.ts';
import { once, type Place, type PlaceOptions } from './place.ts';

const REGION = 'us-east-1';

/**
 * A queue of the run's own at that address, deleted after it. `sqs+http://ID:SECRET@host:port?region=eu-west-1`: what is not in it
 * comes from where the AWS SDK looks for it.
 * @throws SendonceError QUEUE_UNAVAILABLE
 */
export async function sqsPlace(text: string, { keep }: PlaceOptions): Promise<Place> {
  const { username, password } = new URL(text);
  if (password !== '') {
    process.env['AWS_ACCESS_KEY_ID'] = decodeURIComponent(username);
    process.env['AWS_SECRET_ACCESS_KEY'] = decodeURIComponent(password);
  }
  const server = withoutPassword(text);
  const client = clientAt(server);
  const QueueName = `sendonce-run-${randomBytes(4).toString('hex')}`;
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName })).catch((cause: unknown) => {
    client.destroy();
    throw unavailable(server, cause);
  });
  const whereItIs = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // A server that forgot its queues has nothing in them.
      if (!/NonExistent|DoesNotExist/.test((error as Error).name)) throw error;
    }
  };
  return {
    // As the server names it, which an imitation may compare whole: whoever opens it asks nobody, as the server may be away just then.
    address: named(server, QueueUrl),
    restart: null,
    wipe: () => whereItIs(() => client.send(new PurgeQueueCommand({ QueueUrl }))),
    remove: once(async () => {
      try {
        if (!keep) await whereItIs(() => client.send(new DeleteQueueCommand({ QueueUrl })));
      } finally {
        client.destroy();
      }
    }),
  };
}

export function openSqs(address: string, terms: QueueTerms): Queue {
  const client = clientAt(address);
  const queue = sqsQueue({ client, queueUrl: nameIn(address), ...terms });
  return {
    ...queue,
    async close() {
      await queue.close();
      client.destroy();
    },
  };
}

function endpointOf(address: string): string {
  const { protocol, host, pathname } = serverOf(address);
  return `${protocol.slice('sqs+'.length)}//${host}${pathname.replace(/\/$/, '')}`;
}

function clientAt(address: string): SQSClient {
  const { host, searchParams } = serverOf(address);
  const { AWS_REGION: region = REGION, AWS_ACCESS_KEY_ID: id } = process.env;
  const isHere = /^(127\.|localhost(:|$)|\[::1\])/.test(host);
  return new SQSClient({
    endpoint: endpointOf(address),
    // The queue may name its host as nobody but the server knows it.
    useQueueUrlAsEndpoint: false,
    region: searchParams.get('region') ?? region,
    // An imitation on this machine asks nobody who they are, and the SDK sends nothing without a name.
    ...(isHere && id === undefined && { credentials: { accessKeyId: 'run', secretAccessKey: 'run' } }),
  });
}

function unavailable(address: string, cause: unknown): SendonceError {
  const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  const { host } = serverOf(address);
  return new SendonceError('QUEUE_UNAVAILABLE', `SQS at ${host}: no queue could be made for the run (${said})`, {
    cause,
  });
}
