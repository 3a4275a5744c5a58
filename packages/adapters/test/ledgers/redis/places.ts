import type { Ledger } from '@sendonce/core';
import { Redis } from 'ioredis';
import { afterAll, afterEach } from 'vitest';
import { redisLedger, type RedisLedgerOptions } from '../../../src/ledgers/redis.ts';
import { redisServer, type RedisServer, type RedisServerOptions } from '../../support/redis-server.ts';
import type { Place } from '../processes/protocol.ts';

export type RedisPlace = Extract<Place, { kind: 'redis' }>;

export interface Places {
  readonly server: Promise<RedisServer>;
  /** A ledger that is empty. */
  make(): Promise<RedisPlace>;
  /** A client as a user makes it, with its default settings; it is ended after the test. */
  client(port: number): Redis;
  open(place: RedisPlace, options?: Partial<RedisLedgerOptions>): Ledger;
}

let made = 0;

/** A server that keeps a log, as the ledger wants it; when it is started again it is empty. */
export async function loggingServer(options?: RedisServerOptions): Promise<RedisServer> {
  const server = await redisServer(options);
  const redis = new Redis(server.port, '127.0.0.1');
  // Without a delay of five seconds before a replica gets its first copy.
  await redis.config('SET', 'appendfsync', 'no', 'appendonly', 'yes', 'repl-diskless-sync-delay', '0');
  redis.disconnect();
  return server;
}

export function places(): Places {
  const server = loggingServer();
  const clients: Redis[] = [];
  const end = (): void => {
    for (const each of clients.splice(0)) each.disconnect();
  };
  afterEach(end);
  afterAll(async () => {
    end();
    await (await server).close();
  });

  function client(port: number): Redis {
    const opened = new Redis(port, '127.0.0.1');
    opened.on('error', () => undefined);
    clients.push(opened);
    return opened;
  }

  return {
    server,
    client,
    make: async () => ({ kind: 'redis', port: (await server).port, name: `test-${process.pid}-${(made += 1)}` }),
    open: ({ port, name }, options = {}) => redisLedger({ client: client(port), name, ...options }),
  };
}

/** A client that does something just before it sends a script that writes: once for each function given, in order. */
export function interrupted(
  client: RedisLedgerOptions['client'],
  ...before: (() => unknown)[]
): RedisLedgerOptions['client'] {
  const isWrite = (args: readonly unknown[]): boolean => args.length > 15;
  return {
    async evalsha(sha, keys, ...args) {
      if (isWrite(args)) await before.shift()?.();
      return client.evalsha(sha, keys, ...args);
    },
    eval: (text, keys, ...args) => client.eval(text, keys, ...args),
    pipeline: (commands) => client.pipeline(commands),
  };
}
