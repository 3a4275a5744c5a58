import pg from 'pg';
import { Redis } from 'ioredis';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { startCluster } from '../../../adapters/test/ledgers/postgres/server.ts';
import { rabbitmqServer } from '../../../adapters/test/support/rabbitmq-server.ts';
import { redisServer } from '../../../adapters/test/support/redis-server.ts';
import { sqsServer } from '../../../adapters/test/support/sqs-server.ts';

export const LEDGERS = ['sqlite', 'postgres', 'redis'] as const;
export const QUEUES = ['none', 'redis', 'sqs', 'rabbitmq'] as const;

/** One server of each kind, for all runs of a file. */
export interface PairServers {
  /** The flags that name the pair. */
  flagsOf(ledger: (typeof LEDGERS)[number], queue: (typeof QUEUES)[number]): readonly string[];
  /** What runs have left in any of them, as far as it bears their name. */
  leftOver(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function pairServers(): Promise<PairServers> {
  const [postgres, redis, sqs, rabbitmq] = await Promise.all([
    startCluster(),
    redisServer(),
    sqsServer(),
    rabbitmqServer(),
  ]);
  const ledgers = {
    sqlite: [],
    postgres: ['--ledger', postgres.url],
    redis: ['--ledger', `redis://127.0.0.1:${redis.port}`],
  };
  const queues = {
    none: 'none',
    redis: `redis://127.0.0.1:${redis.port}`,
    sqs: `sqs+http://127.0.0.1:${sqs.port}`,
    rabbitmq: rabbitmq.url,
  };
  return {
    flagsOf: (ledger, queue) => [...ledgers[ledger], '--queue', queues[queue]],
    async leftOver() {
      const client = new Redis(redis.port);
      const database = new pg.Client({ connectionString: postgres.url });
      await database.connect();
      const schemas = await database.query<{ nspname: string }>(
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'sendonce%'",
      );
      await database.end();
      const keys = await client.keys('*');
      client.disconnect();
      const { QueueUrls = [] } = await sqs.client.send(new ListQueuesCommand({}));
      const listed = await rabbitmq.ctl('list_queues', '--silent', 'name');
      return [
        ...schemas.rows.map(({ nspname }) => nspname),
        ...keys,
        ...QueueUrls,
        ...listed.split('\n').filter(Boolean),
      ];
    },
    async close() {
      postgres.stop();
      await Promise.all([redis.close(), sqs.close(), rabbitmq.close()]);
    },
  };
}
