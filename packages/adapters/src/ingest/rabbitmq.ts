import type { ConnectionOptions } from 'node:tls';
import { numberRule, type Rule } from '@sendonce/core/internal';
import { checkMessages, type RawMessages } from '../internal/ingest/raw-messages.ts';
import { RabbitmqSource } from '../internal/ingest/rabbitmq-source.ts';
import { checkAdapter, OBJECT_RULE } from '../internal/options.ts';
import { TIMEOUT_RULE } from '../internal/queue/answers.ts';
import { amqpLibrary } from '../internal/rabbitmq/library.ts';

export interface RabbitmqMessagesOptions {
  /** `amqp://user:pass@host:5672/vhost` or `amqps://...`; several for the nodes of a cluster, tried in turn. */
  readonly url: string | readonly string[];
  /** The queue of others, 1 to 200 characters; it must be there, and is not declared. */
  readonly queue: string;
  /** The queue for what cannot be published, with the reason as the header `x-reason`; declared as a quorum queue. @defaultValue `${queue}.rejected` */
  readonly deadLetterQueue?: string;
  /** Messages that one process may have at once, 1 to 65,535. @defaultValue 200 */
  readonly prefetch?: number;
  /** How long connecting, and then a call, may take, 1 to 600,000 ms. @defaultValue 5_000 */
  readonly timeoutMs?: number;
  /** Beside Node's defaults: an authority of your own, for one. */
  readonly tls?: ConnectionOptions;
}

const MAX_BATCH = 1_000;

/**
 * Messages of others in RabbitMQ. A message is hidden as long as the connection stands over which it was received; a broker closes that after 30
 * minutes without an ack.
 * @throws SendonceError OPTION_INVALID or DRIVER_MISSING here; QUEUE_UNAVAILABLE from any call, within `timeoutMs`.
 */
export function rabbitmqMessages(options: RabbitmqMessagesOptions): RawMessages {
  checkAdapter('rabbitmqMessages', options, RULES);
  const { queue, deadLetterQueue = `${queue}.rejected`, prefetch = 200, timeoutMs = 5_000 } = options;
  const name = `RabbitMQ queue '${queue}'`;
  const urls = [options.url].flat();
  const link = { library: amqpLibrary(), who: name, urls, socket: options.tls ?? {}, timeoutMs };
  const source = new RabbitmqSource(link, { queue, dead: deadLetterQueue, prefetch });
  return {
    name,
    deadLetters: `the RabbitMQ queue '${deadLetterQueue}'`,
    maxBatch: MAX_BATCH,
    receive: ({ max, waitMs, signal }) => source.receive(Math.min(max, MAX_BATCH), waitMs, signal),
    async ack(batch) {
      checkMessages(batch, MAX_BATCH);
      return source.ack(batch);
    },
    async release(batch, { delayMs }) {
      checkMessages(batch, MAX_BATCH);
      return batch.map((message) => source.giveBack(message, delayMs));
    },
    async reject(batch) {
      checkMessages(batch, MAX_BATCH);
      const stored = await Promise.all(batch.map((each) => source.setAside(each)));
      const safe = batch.filter((_, i) => stored[i]?.ok === true).map(({ message }) => message);
      const acked = new Map((await source.ack(safe)).map((result, i) => [safe[i], result]));
      return batch.map(({ message }, i) => acked.get(message) ?? stored[i]!);
    },
    async close() {
      source.close();
    },
  };
}

function isAmqpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^amqps?:\/\/./.test(value) && URL.canParse(value);
}

const QUEUE_RULE: Rule = {
  must: 'the name of a queue, 1 to 200 characters',
  fits: (value) => typeof value === 'string' && /^.{1,200}$/.test(value),
};

const RULES = {
  url: {
    must: 'an address such as amqp://user:pass@host:5672 (or amqps://), or a list of them',
    fits: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isAmqpUrl) : isAmqpUrl(value)),
    required: true,
    // There is mostly a password in it.
    hidden: true,
  },
  queue: { ...QUEUE_RULE, required: true },
  deadLetterQueue: QUEUE_RULE,
  prefetch: numberRule({ least: 1, most: 65_535, whole: true }),
  timeoutMs: TIMEOUT_RULE,
  tls: OBJECT_RULE,
} satisfies Record<keyof RabbitmqMessagesOptions, Rule>;
