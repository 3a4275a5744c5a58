import { unavailable } from '../queue/answers.ts';
import { inTime } from '../queue/in-time.ts';
import type { AmqpChannel, AmqpConnection, AmqpLibrary } from './library.ts';

export interface LinkOptions {
  readonly library: AmqpLibrary;
  /** The queue, as errors name it. */
  readonly who: string;
  /** Tried in turn. */
  readonly urls: readonly string[];
  /** Beside Node's defaults for the socket: an authority of one's own, for one. */
  readonly socket: object;
  readonly timeoutMs: number;
}

export interface LinkUse {
  open(connection: AmqpConnection): Promise<AmqpChannel>;
  /** Before anybody gets the channel. */
  prepare(channel: AmqpChannel): Promise<void>;
  /** The channel is gone: what was received on it comes again to somebody. */
  lost(): void;
}

/**
 * A connection with one channel, opened when it is needed, thrown away whole when either is closed from the other side. Nobody waits
 * for it to come back: whoever calls next opens another, and is told when that fails; a worker then waits longer from try to try.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #use: LinkUse;
  #opening: Promise<AmqpChannel> | null = null;
  #connection: AmqpConnection | null = null;
  #tries = 0;
  #isClosed = false;

  constructor(options: LinkOptions, use: LinkUse) {
    this.#options = options;
    this.#use = use;
  }

  /** @throws SendonceError QUEUE_UNAVAILABLE within `timeoutMs` */
  async channel(): Promise<AmqpChannel> {
    if (this.#isClosed) throw unavailable(this.#options.who, 'it is closed');
    if (this.#opening !== null) return this.#opening;
    const opening = this.#open();
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = null;
    });
    return opening;
  }

  /** Throws the connection away; a broker hands out again what was received on it. */
  drop(): void {
    const connection = this.#connection;
    this.#connection = null;
    this.#opening = null;
    if (connection === null) return;
    this.#use.lost();
    close(connection);
  }

  close(): void {
    this.#isClosed = true;
    this.drop();
  }

  async #open(): Promise<AmqpChannel> {
    const { library, who, urls, socket, timeoutMs } = this.#options;
    const url = urls[this.#tries % urls.length] ?? '';
    let isLate = false;
    let opened: AmqpConnection | null = null;
    let problem: unknown = null;
    const work = async (): Promise<AmqpChannel> => {
      const connection = await library.connect(url, { ...socket, timeout: timeoutMs });
      opened = connection;
      // Without a listener an error would end the process; what it means is heard from the calls that fail.
      connection.on('error', (error) => (problem = error));
      const gone = (): void => {
        if (this.#connection === connection) this.drop();
      };
      connection.on('close', gone);
      if (isLate || this.#isClosed) throw new Error('it was closed');
      const channel = await this.#use.open(connection);
      channel.on('error', (error) => (problem = error));
      channel.on('close', gone);
      this.#connection = connection;
      await this.#use.prepare(channel);
      if (this.#isClosed) throw new Error('it was closed');
      return channel;
    };
    try {
      const working = work();
      // Where it is given up, it fails later, and nobody listens any more.
      working.catch(() => opened !== null && close(opened));
      return await inTime(working, timeoutMs, () => {
        isLate = true;
        return new Error(`RabbitMQ gave no answer within ${timeoutMs} ms`);
      });
    } catch (error) {
      this.#tries += 1;
      if (opened !== null) close(opened);
      if (this.#connection === opened) this.#connection = null;
      throw unavailable(who, messageOf(problem ?? error), error);
    }
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Of a connection that is half open no answer comes; its heartbeat ends it. */
function close(connection: AmqpConnection): void {
  try {
    connection.close().catch(() => undefined);
  } catch {
    // Closed already.
  }
}
