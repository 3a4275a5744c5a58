import type { SQSClient } from '@aws-sdk/client-sqs';
import { snsNotification } from '@sendonce/adapters/ingest/envelopes';
import { ingest, type Ingest, type IngestEvent } from '@sendonce/adapters/ingest/events';
import { sqsMessages } from '@sendonce/adapters/ingest/sqs';
import type { notifierOn, Order } from '../support/orders.ts';

interface PublishedOrder extends Order {
  readonly status: 'placed' | 'paid';
}

// #region ingest
export interface Queues {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** For what cannot be published, with the reason. */
  readonly deadLetterUrl: string;
}

export function ordersFrom(
  queues: Queues,
  notifier: ReturnType<typeof notifierOn>,
  onEvent: (event: IngestEvent) => void = console.log,
): Ingest {
  return ingest({
    notifier,
    messages: sqsMessages(queues),
    map({ body }) {
      const order = JSON.parse(snsNotification(body).message) as PublishedOrder;
      if (order.status !== 'placed') return null; // asks for nothing
      return { type: 'orderPlaced', key: `${order.id}:placed`, data: order };
    },
    onEvent,
  });
}
// #endregion

// #region run
/** Until the process is told to end; then it finishes what it has in hand. */
export async function ingestUntilTold(orders: Ingest): Promise<void> {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  await orders.run({ signal: stop.signal });
}
// #endregion
