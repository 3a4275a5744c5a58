import { Ring } from '../queue/ring.ts';
import { RedisConnection, type ConnectionOptions } from './connection.ts';

/**
 * Hears when something comes into an idle queue, on a connection of its own, since one that subscribes can do nothing else. Nothing
 * rests on it: whoever waits also looks every second.
 */
export class Bell {
  readonly #connection: RedisConnection;
  readonly #channel: string;
  readonly #ring = new Ring();
  #isHeard = false;
  #isOpening = false;

  constructor(options: ConnectionOptions, channel: string) {
    this.#connection = new RedisConnection(options);
    this.#channel = channel;
  }

  get count(): number {
    return this.#ring.count;
  }

  async wait(seen: number, ms: number, signal?: AbortSignal): Promise<void> {
    this.#listen();
    await this.#ring.wait(seen, ms, signal);
  }

  close(): void {
    this.#connection.close();
    this.#ring.ring();
  }

  #listen(): void {
    if (this.#isHeard || this.#isOpening) return;
    this.#isOpening = true;
    this.#connection
      .use(async (client) => {
        client.on('message', () => this.#ring.ring());
        client.on('end', () => (this.#isHeard = false));
        await client.subscribe(this.#channel);
      })
      .then(
        () => {
          this.#isHeard = true;
          // What came before it could be heard.
          this.#ring.ring();
        },
        () => undefined,
      )
      .finally(() => (this.#isOpening = false));
  }
}
