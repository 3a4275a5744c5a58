import { makeQueue, openQueue } from '../real/queue-address.ts';
import { isAmqp } from '../real/address.ts';
import { subjectOf } from './subject-of.ts';
import type { Suite } from './suite.ts';

/** SQS counts in seconds. RabbitMQ is exact, and slower to answer than a Redis. */
const SQS = { unitMs: 1_000, visibilityMs: 2_000 };
const AMQP = { unitMs: 300, visibilityMs: 1_500 };
const TIMEOUT_MS = 20_000;

/** A queue of its own for each law in SQS or RabbitMQ, deleted after it. */
export function queueSuite(address: string): Omit<Suite, 'from' | 'flags'> {
  const { unitMs, visibilityMs } = isAmqp(address) ? AMQP : SQS;
  return {
    port: 'queue',
    isOwn: false,
    async make() {
      const place = await makeQueue(address, { keep: false });
      const queue = await openQueue(place.address, { visibilityMs, timeoutMs: TIMEOUT_MS });
      // A queue of RabbitMQ is slow to begin: that is not what the laws are about.
      await queue.receive({ max: 1, waitMs: 0 });
      return subjectOf('queue', { queue, unitMs, close: () => place.remove() }, address);
    },
    close: () => Promise.resolve(),
  };
}
