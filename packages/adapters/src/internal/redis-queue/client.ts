import { isFields, type Rule } from '@sendonce/core/internal';

/** What the queue uses of an `ioredis` client: a single server, Sentinel, or Cluster. */
export interface RedisClientLike {
  readonly status: string;
  /** Another connection with the same settings. */
  duplicate(): RedisClientLike;
  connect(): Promise<unknown>;
  /** Ends the connection; what waits for a reply is rejected and not sent again. */
  disconnect(): void;
  eval(script: string, keys: number, ...args: (string | number)[]): Promise<unknown>;
  evalsha(sha: string, keys: number, ...args: (string | number)[]): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  on(event: string, listener: (about?: unknown) => void): unknown;
  off(event: string, listener: (about?: unknown) => void): unknown;
}

const USED = ['duplicate', 'connect', 'disconnect', 'eval', 'evalsha', 'subscribe', 'on', 'off'] as const;

export const CLIENT_RULE: Rule = {
  must: "a client of the 'ioredis' package: new Redis(...) or new Redis.Cluster(...)",
  fits: (value) => isFields(value) && USED.every((method) => typeof value[method] === 'function'),
  required: true,
  hidden: true,
};
