import type { ItemResult } from '@sendonce/core';
import { OK, STALE } from '../queue/answers.ts';
import { inTime } from '../queue/in-time.ts';
import { Ring } from '../queue/ring.ts';
import type { AmqpChannel, AmqpMessage } from '../rabbitmq/library.ts';
import { Link, messageOf, type LinkOptions } from '../rabbitmq/link.ts';
import { outOfReach, storedReason, type RawMessage, type Rejection } from './raw-messages.ts';

export interface SourceOptions {
  readonly queue: string;
  readonly dead: string;
  readonly prefetch: number;
}

interface Hold {
  readonly channel: AmqpChannel;
  readonly message: AmqpMessage;
}

/** Receives from the broker ahead of those who ask. When the connection is lost, the broker hands out again whatever it held. */
export class RabbitmqSource {
  readonly #linkOptions: LinkOptions;
  readonly #dead: string;
  readonly #link: Link;
  readonly #ring = new Ring();
  #waiting: Hold[] = [];
  readonly #held = new Map<string, Hold>();
  readonly #delays = new Set<NodeJS.Timeout>();
  #receipts = 0;

  constructor(link: LinkOptions, { queue, dead, prefetch }: SourceOptions) {
    this.#linkOptions = link;
    this.#dead = dead;
    this.#link = new Link(link, {
      open: (connection) => connection.createConfirmChannel(),
      prepare: async (channel) => {
        // Ours to look after; the other is somebody's, who says how it is made.
        await channel.assertQueue(dead, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
        await channel.prefetch(prefetch);
        await channel.consume(queue, (message) => this.#heard(channel, message));
      },
      lost: () => {
        this.#waiting = [];
        this.#held.clear();
        this.#ring.ring();
      },
    });
  }

  /** @throws SendonceError QUEUE_UNAVAILABLE */
  async receive(max: number, waitMs: number, signal?: AbortSignal): Promise<readonly RawMessage[]> {
    const untilMs = performance.now() + waitMs;
    for (;;) {
      if (signal?.aborted === true) return [];
      const rings = this.#ring.count;
      await this.#channel();
      const taken = this.#waiting.splice(0, max);
      const leftMs = untilMs - performance.now();
      if (taken.length > 0 || leftMs <= 0) return taken.map((hold) => this.#handOut(hold));
      await this.#ring.wait(rings, leftMs, signal);
    }
  }

  /** RabbitMQ does not answer an ack; a question after it on the same channel is answered when it has been heard. */
  async ack(batch: readonly RawMessage[]): Promise<readonly ItemResult[]> {
    const holds = batch.map(({ receipt }) => this.#held.get(receipt));
    const results = batch.map(({ receipt }) => this.#letGo(receipt, ({ channel, message }) => channel.ack(message)));
    const channels = new Set(holds.flatMap((hold) => (hold === undefined ? [] : [hold.channel])));
    const { timeoutMs, who } = this.#linkOptions;
    const late = (): Error => new Error(`RabbitMQ gave no answer within ${timeoutMs} ms`);
    try {
      await Promise.all([...channels].map((channel) => inTime(channel.checkQueue(this.#dead), timeoutMs, late)));
    } catch (error) {
      throw outOfReach(who, messageOf(error), error);
    }
    return results;
  }

  /** It is kept here until then, so that it does not come back at once, for ever. */
  giveBack({ receipt }: RawMessage, delayMs: number): ItemResult {
    return this.#letGo(receipt, ({ channel, message }) => {
      const back = (): void => quietly(() => channel.nack(message, false, true));
      if (delayMs <= 0) return back();
      const timer = setTimeout(() => {
        this.#delays.delete(timer);
        back();
      }, delayMs);
      timer.unref();
      this.#delays.add(timer);
    });
  }

  /** Stores it beside, confirmed; whoever calls acks it then. */
  async setAside({ message, reason }: Rejection): Promise<ItemResult> {
    const hold = this.#held.get(message.receipt);
    if (hold === undefined) return STALE;
    const { timeoutMs, who } = this.#linkOptions;
    const options = {
      persistent: true,
      mandatory: true,
      headers: { ...hold.message.properties.headers, 'x-reason': storedReason(reason) },
      messageId: message.id,
    };
    const stored = new Promise<void>((resolve, reject) => {
      hold.channel.publish('', this.#dead, hold.message.content, options, (refused) => {
        if (refused) reject(refused instanceof Error ? refused : new Error('RabbitMQ refused it'));
        else resolve();
      });
    });
    try {
      await inTime(stored, timeoutMs, () => new Error(`RabbitMQ gave no answer within ${timeoutMs} ms`));
    } catch (error) {
      return { ok: false, error: outOfReach(who, messageOf(error)).message };
    }
    return OK;
  }

  close(): void {
    for (const timer of this.#delays) clearTimeout(timer);
    this.#link.close();
    this.#ring.ring();
  }

  async #channel(): Promise<AmqpChannel> {
    try {
      return await this.#link.channel();
    } catch (error) {
      const { cause } = error as Error;
      throw outOfReach(this.#linkOptions.who, messageOf(cause ?? error), error);
    }
  }

  #heard(channel: AmqpChannel, message: AmqpMessage | null): void {
    // The queue was deleted. Whoever receives next is told so.
    if (message === null) return this.#link.drop();
    this.#waiting.push({ channel, message });
    this.#ring.ring();
  }

  #handOut(hold: Hold): RawMessage {
    const receipt = `r${(this.#receipts += 1)}`;
    this.#held.set(receipt, hold);
    const { content, properties, fields } = hold.message;
    const { messageId, headers = {} } = properties;
    const count = Number(headers['x-delivery-count'] ?? 0);
    const returned = Number.isFinite(count) && count > 0 ? count : fields.redelivered === true ? 1 : 0;
    return {
      // A message has no name of its own where its sender gave it none.
      id: typeof messageId === 'string' && messageId !== '' ? messageId : receipt,
      receipt,
      body: content.toString(),
      attributes: textsIn(headers),
      receives: returned + 1,
    };
  }

  #letGo(receipt: string, tell: (hold: Hold) => void): ItemResult {
    const hold = this.#held.get(receipt);
    if (hold === undefined) return STALE;
    this.#held.delete(receipt);
    quietly(() => tell(hold));
    return OK;
  }
}

function textsIn(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)]] : [],
    ),
  );
}

/** A channel that is closed throws; its messages come again by themselves. */
function quietly(call: () => void): void {
  try {
    call();
  } catch {
    // Heard by the next receive.
  }
}
