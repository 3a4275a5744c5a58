import { isFields, type Rule } from '@sendonce/core/internal';

export type Argument = string | number | Buffer;

/** What the ledger uses of an `ioredis` client: a single server, Sentinel, or Cluster. */
export interface RedisClientLike {
  eval(script: string, keys: number, ...args: Argument[]): Promise<unknown>;
  evalsha(sha: string, keys: number, ...args: Argument[]): Promise<unknown>;
  /** Several commands on one connection, in this order. */
  pipeline(commands: Argument[][]): { exec(): Promise<[error: Error | null, answer: unknown][] | null> };
}

const USED = ['eval', 'evalsha', 'pipeline'] as const;

export const CLIENT_RULE: Rule = {
  must: "a client of the 'ioredis' package: new Redis(...) or new Redis.Cluster(...)",
  fits: (value) => isFields(value) && USED.every((method) => typeof value[method] === 'function'),
  required: true,
  hidden: true,
};
