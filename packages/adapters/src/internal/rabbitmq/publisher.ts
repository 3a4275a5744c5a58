import { randomUUID } from 'node:crypto';
import type { ItemResult } from '@sendonce/core';
import { OK, unavailable } from '../queue/answers.ts';
import { bodyOf, type WakeBody } from '../queue/body.ts';
import { inTime } from '../queue/in-time.ts';
import type { AmqpChannel } from './library.ts';
import { Link, messageOf, type LinkOptions } from './link.ts';
import { DECLARED_FOR_MS, declareDelay, declareWakes, delayQueueOf, stepOf } from './topology.ts';

/** Stores wakes, each confirmed by the broker, on a connection of its own: a broker short of memory stops listening to those that publish. */
export class Publisher {
  readonly #options: LinkOptions;
  readonly #name: string;
  readonly #link: Link;
  /** What the broker had no queue for. */
  readonly #returned = new Set<unknown>();
  /** When each delay queue was declared on this channel. */
  readonly #declared = new Map<number, number>();

  constructor(options: LinkOptions, name: string, maxWakes: number) {
    this.#options = options;
    this.#name = name;
    this.#link = new Link(options, {
      open: (connection) => connection.createConfirmChannel(),
      prepare: async (channel) => {
        channel.on('return', ({ properties }) => void this.#returned.add(properties.messageId));
        await declareWakes(channel, name, maxWakes);
      },
      lost: () => {
        this.#returned.clear();
        this.#declared.clear();
      },
    });
  }

  /** @throws SendonceError QUEUE_UNAVAILABLE when the broker did not say what became of them. */
  async publish(wakes: readonly WakeBody[], delayMs: number): Promise<readonly ItemResult[]> {
    return this.#use(async (channel) => {
      const routingKey = delayMs > 0 ? await this.#delayQueue(channel, stepOf(delayMs)) : this.#name;
      return Promise.all(wakes.map((wake) => this.#publishOne(channel, routingKey, wake)));
    });
  }

  /** Messages that nobody has received. */
  async depth(): Promise<number> {
    return this.#use(async (channel) => (await channel.checkQueue(this.#name)).messageCount);
  }

  close(): void {
    this.#link.close();
  }

  async #use<T>(work: (channel: AmqpChannel) => Promise<T>): Promise<T> {
    const { who, timeoutMs } = this.#options;
    const channel = await this.#link.channel();
    try {
      return await inTime(work(channel), timeoutMs, () => new Error(`RabbitMQ gave no answer within ${timeoutMs} ms`));
    } catch (error) {
      this.#link.drop();
      throw unavailable(who, messageOf(error), error);
    }
  }

  async #delayQueue(channel: AmqpChannel, stepMs: number): Promise<string> {
    const now = performance.now();
    if (now - (this.#declared.get(stepMs) ?? -Infinity) < DECLARED_FOR_MS) return delayQueueOf(this.#name, stepMs);
    const name = await declareDelay(channel, this.#name, stepMs);
    this.#declared.set(stepMs, now);
    return name;
  }

  #publishOne(channel: AmqpChannel, routingKey: string, wake: WakeBody): Promise<ItemResult> {
    const messageId = randomUUID();
    const options = { persistent: true, mandatory: true, contentType: 'application/json', messageId };
    return new Promise((resolve, reject) => {
      channel.publish('', routingKey, Buffer.from(bodyOf(wake)), options, (refused) => {
        if (this.#returned.delete(messageId)) {
          // Somebody deleted the queue. The next channel declares it again.
          reject(new Error(`there is no queue '${routingKey}' any more`));
        } else if (refused instanceof Error && /closed|ended/i.test(refused.message)) reject(refused);
        else if (refused) resolve({ ok: false, error: `RabbitMQ refused it; the queue '${routingKey}' may be full` });
        else resolve(OK);
      });
    });
  }
}
