import type { ConnectionOptions } from 'node:tls';
import type { ItemResult, Queue, ReceivedWake } from '@sendonce/core';
import { numberRule, type Rule, type Rules } from '@sendonce/core/internal';
import { checkAdapter, OBJECT_RULE } from '../internal/options.ts';
import {
  checkBatch,
  OK,
  ON_UNREADABLE_RULE,
  STALE,
  tell,
  TIMEOUT_RULE,
  type OnUnreadable,
} from '../internal/queue/answers.ts';
import { Consumer, type Hold } from '../internal/rabbitmq/consumer.ts';
import { amqpLibrary } from '../internal/rabbitmq/library.ts';
import { Publisher } from '../internal/rabbitmq/publisher.ts';
import { delayQueues, MAX_DELAY_MS, unreadableQueue } from '../internal/rabbitmq/topology.ts';

export type { UnreadableMessage } from '../internal/queue/answers.ts';

export interface RabbitmqQueueOptions {
  /** `amqp://user:pass@host:5672/vhost` or `amqps://...`; several for the nodes of a cluster, tried in turn. `?heartbeat=` is in seconds, 10 by default. */
  readonly url: string | readonly string[];
  /** The queue's name, 1 to 200 characters; it is declared as a quorum queue. @defaultValue 'sendonce.wakes' */
  readonly name?: string;
  /** How long a received wake stays hidden, 1 to 1,200,000 ms: a broker closes the channel of whoever keeps one for 30 minutes. @defaultValue 30_000 */
  readonly visibilityMs?: number;
  /** Messages that one process may have, handed out or ready to be, 100 to 65,535. More than its worker sends at once. @defaultValue 500 */
  readonly prefetch?: number;
  /** The most wakes it holds, 1 to 100,000,000; more are refused, and the ledger brings their work back. @defaultValue 1_000_000 */
  readonly maxWakes?: number;
  /** How long connecting, and then a call, may take, 1 to 600,000 ms. @defaultValue 5_000 */
  readonly timeoutMs?: number;
  /** Beside Node's defaults: an authority of your own, for one. */
  readonly tls?: ConnectionOptions;
  /** Is told of what somebody else put into the queue. @defaultValue nobody is */
  readonly onUnreadable?: OnUnreadable;
}

const MAX_BATCH = 100;
const HEARTBEAT_SECONDS = '10';

/**
 * A queue in RabbitMQ, through the `amqplib` package: a quorum queue with publisher confirms. Nothing is opened before the first call;
 * `close` may be called twice. A connection that is lost is made again by the next call.
 * @throws SendonceError OPTION_INVALID or DRIVER_MISSING here; QUEUE_UNAVAILABLE from any call, within twice `timeoutMs`.
 */
export function rabbitmqQueue(options: RabbitmqQueueOptions): Queue {
  checkAdapter('rabbitmqQueue', options, RULES);
  const { name = 'sendonce.wakes', visibilityMs = 30_000, prefetch = 500, maxWakes = 1_000_000 } = options;
  const link = {
    library: amqpLibrary(),
    who: `RabbitMQ queue '${name}'`,
    urls: [options.url].flat().map(withHeartbeat),
    socket: options.tls ?? {},
    timeoutMs: options.timeoutMs ?? 5_000,
  };
  const where = `moved to the queue '${unreadableQueue(name)}'`;
  const unreadable = (body: string): void => tell(options.onUnreadable, [body], where);
  const publisher = new Publisher(link, name, maxWakes);
  const consumer = new Consumer(link, { name, maxWakes, prefetch, visibilityMs, unreadable });

  /** What is held is done at once, what is not is stale. */
  function each(batch: readonly ReceivedWake[], act: (receipt: string, hold: Hold) => void): readonly ItemResult[] {
    checkBatch(batch, MAX_BATCH);
    return batch.map((wake) => {
      const hold = consumer.holdOf(wake);
      if (hold === undefined) return STALE;
      act(wake.receipt, hold);
      return OK;
    });
  }

  return {
    capabilities: { maxDelayMs: MAX_DELAY_MS, maxBatch: MAX_BATCH, visibilityMs, durable: true },
    async enqueue(batch, { delayMs = 0 } = {}) {
      checkBatch(batch, MAX_BATCH);
      const at = Date.now();
      return batch.length === 0
        ? []
        : publisher.publish(
            batch.map(({ id }) => ({ id, at })),
            delayMs,
          );
    },
    receive: ({ max, waitMs, signal }) => consumer.receive(Math.min(max, MAX_BATCH), waitMs, signal),
    ack: async (batch) => each(batch, (receipt, hold) => consumer.ack(receipt, hold)),
    extend: async (batch, { leaseMs }) => each(batch, (_, hold) => consumer.extend(hold, leaseMs)),
    async release(batch, { delayMs }) {
      if (!(delayMs > 0)) return each(batch, (receipt, hold) => consumer.giveBack(receipt, hold));
      checkBatch(batch, MAX_BATCH);
      // A copy that waits, then the ack: what happens between the two makes a wake too many, never one too few.
      const mine = batch.filter((wake) => consumer.holdOf(wake) !== undefined);
      const copies = mine.map(({ id, receives, ageMs }) => ({ id, receives, at: Date.now() - ageMs }));
      const stored = copies.length === 0 ? [] : await publisher.publish(copies, delayMs);
      const results = new Map(mine.map(({ receipt }, i) => [receipt, stored[i] ?? STALE]));
      return batch.map((wake) => {
        const result = results.get(wake.receipt) ?? STALE;
        const hold = consumer.holdOf(wake);
        if (result.ok && hold !== undefined) consumer.ack(wake.receipt, hold);
        return result;
      });
    },
    depth: async () => (await publisher.depth()) + consumer.count,
    async close() {
      consumer.close();
      publisher.close();
    },
  };
}

/** Every queue that the adapter may declare for that name, its own first: what to delete when nobody needs it any more. */
export function rabbitmqQueueNames(name: string = 'sendonce.wakes'): readonly string[] {
  return [name, unreadableQueue(name), ...delayQueues(name)];
}

/** A half-open connection is heard of by its heartbeat alone. */
function withHeartbeat(given: string): string {
  const url = new URL(given);
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', HEARTBEAT_SECONDS);
  return url.href;
}

function isAmqpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^amqps?:\/\/./.test(value) && URL.canParse(value);
}

const URL_RULE: Rule = {
  must: 'an address such as amqp://user:pass@host:5672 (or amqps://), or a list of them',
  fits: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isAmqpUrl) : isAmqpUrl(value)),
  required: true,
  // There is mostly a password in it.
  hidden: true,
};
const NAME_RULE: Rule = {
  must: "a text of 1 to 200 characters that does not begin with 'amq.'",
  fits: (value) => typeof value === 'string' && /^(?!amq\.).{1,200}$/.test(value),
};

const RULES: Rules = {
  url: URL_RULE,
  name: NAME_RULE,
  visibilityMs: numberRule({ least: 1, most: 1_200_000 }, ' ms'),
  prefetch: numberRule({ least: MAX_BATCH, most: 65_535, whole: true }),
  maxWakes: numberRule({ least: 1, most: 100_000_000, whole: true }),
  timeoutMs: TIMEOUT_RULE,
  tls: OBJECT_RULE,
  onUnreadable: ON_UNREADABLE_RULE,
} satisfies Record<keyof RabbitmqQueueOptions, Rule>;
