/** What is used of an `ioredis` client. */
export interface RedisStreamClientLike {
  duplicate(): RedisStreamClientLike;
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  on(event: string, listener: (about?: unknown) => void): unknown;
  disconnect(): void;
}

export interface Connection {
  get(): RedisStreamClientLike;
  drop(): void;
}

/** Made when it is needed, and again after it was thrown away. */
export function connection(client: RedisStreamClientLike): Connection {
  let own: RedisStreamClientLike | null = null;
  return {
    get() {
      if (own !== null) return own;
      own = client.duplicate();
      // Heard by the calls that fail; without a listener the client would print it.
      own.on('error', () => undefined);
      return own;
    },
    drop() {
      own?.disconnect();
      own = null;
    },
  };
}
