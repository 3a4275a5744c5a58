import type { ReceivedWake } from '@sendonce/core';
import { unavailable } from '../queue/answers.ts';
import { wakeIn, type WakeBody } from '../queue/body.ts';
import { inTime } from '../queue/in-time.ts';
import { Ring } from '../queue/ring.ts';
import type { AmqpChannel, AmqpMessage } from './library.ts';
import { Link, messageOf, type LinkOptions } from './link.ts';
import { declareWakes } from './topology.ts';

export interface ConsumerOptions {
  readonly name: string;
  readonly maxWakes: number;
  readonly prefetch: number;
  readonly visibilityMs: number;
  readonly unreadable: (body: string) => void;
}

/** A message that the broker has given to us: it waits here to be handed out, or was, and is hidden from all others. */
export interface Hold {
  readonly channel: AmqpChannel;
  readonly message: AmqpMessage;
  readonly body: WakeBody;
  /** Given back to the broker then, `performance.now()` ms. */
  until: number;
}

/**
 * Receives from the broker ahead of those who ask, `prefetch` messages at most with those that were handed out. RabbitMQ knows no
 * visibility: it hides a message as long as its receiver is connected, so the time is kept here.
 */
export class Consumer {
  readonly #linkOptions: LinkOptions;
  readonly #options: ConsumerOptions;
  readonly #link: Link;
  readonly #ring = new Ring();
  #waiting: Hold[] = [];
  readonly #held = new Map<string, Hold>();
  #receipts = 0;
  #askedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(linkOptions: LinkOptions, options: ConsumerOptions) {
    this.#linkOptions = linkOptions;
    this.#options = options;
    this.#link = new Link(linkOptions, {
      open: (connection) => connection.createChannel(),
      prepare: async (channel) => {
        await declareWakes(channel, options.name, options.maxWakes);
        await channel.prefetch(options.prefetch);
        await channel.consume(options.name, (message) => this.#heard(channel, message));
      },
      lost: () => {
        this.#waiting = [];
        this.#held.clear();
        this.#ring.ring();
      },
    });
  }

  /** Messages that are here, handed out or not. */
  get count(): number {
    return this.#waiting.length + this.#held.size;
  }

  /** @throws SendonceError QUEUE_UNAVAILABLE */
  async receive(max: number, waitMs: number, signal?: AbortSignal): Promise<readonly ReceivedWake[]> {
    const untilMs = performance.now() + waitMs;
    for (;;) {
      if (this.#isClosed || signal?.aborted === true) return [];
      this.#askedAt = performance.now();
      const rings = this.#ring.count;
      const channel = await this.#link.channel();
      if (waitMs === 0 && this.#waiting.length === 0) await this.#hearAll(channel);
      const taken = this.#waiting.splice(0, max);
      const leftMs = untilMs - performance.now();
      if (taken.length > 0 || leftMs <= 0) return taken.map((hold) => this.#handOut(hold));
      await this.#ring.wait(rings, leftMs, signal);
    }
  }

  holdOf({ receipt }: ReceivedWake): Hold | undefined {
    return this.#held.get(receipt);
  }

  /** Removes the message for good. RabbitMQ does not answer; where it did not hear, the message comes again. */
  ack(receipt: string, { channel, message }: Hold): void {
    this.#held.delete(receipt);
    quietly(() => channel.ack(message));
  }

  giveBack(receipt: string, { channel, message }: Hold): void {
    this.#held.delete(receipt);
    quietly(() => channel.nack(message, false, true));
  }

  extend(hold: Hold, ms: number): void {
    hold.until = performance.now() + ms;
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#link.close();
    this.#ring.ring();
  }

  /** Asks for one message: the answer comes after what is on its way here already. */
  async #hearAll(channel: AmqpChannel): Promise<void> {
    const { who, timeoutMs } = this.#linkOptions;
    try {
      const late = (): Error => new Error(`RabbitMQ gave no answer within ${timeoutMs} ms`);
      const message = await inTime(channel.get(this.#options.name), timeoutMs, late);
      if (message !== false) this.#heard(channel, message);
    } catch (error) {
      this.#link.drop();
      throw unavailable(who, messageOf(error), error);
    }
  }

  #heard(channel: AmqpChannel, message: AmqpMessage | null): void {
    // The queue was deleted. Whoever receives next declares it again.
    if (message === null) return this.#link.drop();
    const body = wakeIn(message.content.toString());
    if (body === null) {
      quietly(() => channel.nack(message, false, false));
      this.#options.unreadable(message.content.toString());
      return;
    }
    this.#waiting.push({ channel, message, body, until: performance.now() + this.#options.visibilityMs });
    this.#schedule();
    this.#ring.ring();
  }

  #handOut(hold: Hold): ReceivedWake {
    const { body, message } = hold;
    const receipt = `r${(this.#receipts += 1)}`;
    this.#held.set(receipt, hold);
    this.extend(hold, this.#options.visibilityMs);
    const { id, at = Date.now(), receives = 0 } = body;
    return { id, receipt, receives: receives + returnsOf(message) + 1, ageMs: Math.max(0, Date.now() - at) };
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    let next = Infinity;
    for (const { until } of [...this.#held.values(), ...this.#waiting]) next = Math.min(next, until);
    if (next === Infinity) return;
    this.#timer = setTimeout(() => this.#giveBackLate(), Math.max(1, next - performance.now()));
    this.#timer.unref();
  }

  #giveBackLate(): void {
    const now = performance.now();
    const isIdle = now - this.#askedAt > this.#options.visibilityMs;
    // Nobody asks here any more: others shall have what comes.
    if (isIdle && this.#held.size === 0) return this.#link.drop();
    for (const [receipt, hold] of this.#held) if (hold.until <= now) this.giveBack(receipt, hold);
    for (const { channel, message, until } of this.#waiting)
      if (until <= now) quietly(() => channel.nack(message, false, true));
    this.#waiting = this.#waiting.filter(({ until }) => until > now);
    this.#schedule();
  }
}

/** How often the broker has handed out this very message before. */
function returnsOf({ fields, properties }: AmqpMessage): number {
  const count = Number(properties.headers?.['x-delivery-count'] ?? 0);
  return Math.max(Number.isFinite(count) ? count : 0, fields.redelivered === true ? 1 : 0);
}

/** A channel that is closed throws; its messages come again by themselves. */
function quietly(call: () => void): void {
  try {
    call();
  } catch {
    // Heard by the next receive.
  }
}
