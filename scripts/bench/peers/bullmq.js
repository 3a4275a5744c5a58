import { Queue, Worker } from 'bullmq';
import { handlerOf, redisDedup } from './work.js';

const idsOf = (jobs) => jobs.map(({ data }) => data.id);

/** BullMQ: one job for each recipient, default settings but for what `options` says. */
export async function open({ addresses, concurrency, send, options = {} }) {
  const connection = { host: '127.0.0.1', port: addresses.redis };
  const queue = new Queue('jobs', { connection });
  const dedup = options.dedup === true ? redisDedup(addresses.redis) : undefined;
  const handle = handlerOf({ send, dedup });
  const { attempts = 1, lockMs } = options;
  const opts = attempts > 1 ? { attempts, backoff: { type: 'fixed', delay: 1_000 } } : {};
  const limits = lockMs === undefined ? {} : { lockDuration: lockMs, stalledInterval: lockMs };
  const add = (ids) => queue.addBulk(ids.map((id) => ({ name: 'send', data: { id }, opts })));
  return {
    enqueue: add,
    publish: add,
    work() {
      const worker = new Worker('jobs', ({ data }) => handle(data.id), { connection, concurrency, ...limits });
      worker.on('error', () => undefined);
      return () => worker.close();
    },
    left: () => queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized'),
    gaveUp: async () => idsOf(await queue.getJobs(['failed'])),
    waiting: async () => idsOf(await queue.getJobs(['waiting', 'active', 'delayed', 'prioritized'])),
    async close() {
      dedup?.close();
      await queue.close();
    },
  };
}
