import type { SendonceError } from '@sendonce/core';
import { unavailable } from '../queue/answers.ts';
import { inTime } from '../queue/in-time.ts';
import type { RedisClientLike } from './client.ts';
import type { Script } from './scripts.ts';

export interface ConnectionOptions {
  readonly client: RedisClientLike;
  readonly name: string;
  readonly timeoutMs: number;
}

/**
 * A connection of the queue's own, made from the user's client when it is first needed. The client reconnects by itself and sends again
 * what had no reply; a connection on which a call ran out of time is thrown away instead, with everything that waits on it: a script
 * that arrives when its caller has gone would take wakes for nobody.
 */
export class RedisConnection {
  readonly #options: ConnectionOptions;
  #current: RedisClientLike | null = null;
  #lastProblem: unknown = null;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** @throws SendonceError QUEUE_UNAVAILABLE */
  async run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.use(async (client) => {
      try {
        return await client.evalsha(script.sha, keys.length, ...keys, ...args);
      } catch (error) {
        // It did not run. A server that restarted, or another node of a Cluster, has not seen it yet.
        if (!messageOf(error).startsWith('NOSCRIPT')) throw error;
        return client.eval(script.text, keys.length, ...keys, ...args);
      }
    });
  }

  /** @throws SendonceError QUEUE_UNAVAILABLE */
  async use<T>(work: (client: RedisClientLike) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw unavailable(this.#who, 'it is closed');
    const client = (this.#current ??= this.#open());
    let isLate = false;
    try {
      return await inTime(
        ready(client).then(() => work(client)),
        this.#options.timeoutMs,
        () => {
          isLate = true;
          return this.#silence();
        },
      );
    } catch (error) {
      // A replica that was the master before says READONLY; connecting again finds the new one.
      if (isLate || messageOf(error).startsWith('READONLY')) this.#drop(client);
      throw isLate ? error : unavailable(this.#who, `Redis refused: ${messageOf(error)}`, error);
    } finally {
      if (client.status === 'end') this.#drop(client);
    }
  }

  close(): void {
    this.#isClosed = true;
    if (this.#current !== null) this.#drop(this.#current);
  }

  get #who(): string {
    return `Redis queue '${this.#options.name}'`;
  }

  #open(): RedisClientLike {
    const client = this.#options.client.duplicate();
    this.#lastProblem = null;
    // Heard by the calls that fail; without a listener the client would print it.
    client.on('error', (error: unknown) => (this.#lastProblem = error));
    if (client.status === 'wait') client.connect().catch((error: unknown) => (this.#lastProblem = error));
    return client;
  }

  #drop(client: RedisClientLike): void {
    if (this.#current === client) this.#current = null;
    client.disconnect();
  }

  #silence(): SendonceError {
    const problem = this.#lastProblem === null ? '' : ` (${messageOf(this.#lastProblem)})`;
    return unavailable(this.#who, `Redis gave no answer within ${this.#options.timeoutMs} ms${problem}`);
  }
}

/** Nothing is given to a client that is not connected: what it would queue up would run later, for nobody. */
async function ready(client: RedisClientLike): Promise<void> {
  if (client.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      client.off('ready', isReady);
      client.off('end', hasEnded);
    };
    const isReady = (): void => {
      stop();
      resolve();
    };
    const hasEnded = (): void => {
      stop();
      reject(new Error('the connection has ended'));
    };
    client.on('ready', isReady);
    client.on('end', hasEnded);
    if (client.status === 'end') hasEnded();
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
