import PgBoss from 'pg-boss';
import { handlerOf, postgresDedup } from './work.js';

const UNDONE = `state < 'completed'`;

/** pg-boss: as many workers as `options` says, each with a batch of its own; a batch is done when all of it is. */
export async function open({ addresses, send, options = {} }) {
  const { workers = 1, batchSize = 50 } = options;
  const boss = new PgBoss({ connectionString: addresses.postgres, max: 10, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  if ((await boss.getQueue('jobs')) === null) await boss.createQueue('jobs');
  const dedup = options.dedup === true ? await postgresDedup(addresses.postgres) : undefined;
  const handle = handlerOf({ send, dedup });
  const add = (ids) => boss.insert(ids.map((id) => ({ name: 'jobs', data: { id } })));
  const idsWhere = async (where) => {
    const { rows } = await boss
      .getDb()
      .executeSql(`SELECT (data->>'id')::int AS id FROM pgboss.job WHERE ${where}`, []);
    return rows.map(({ id }) => id);
  };
  return {
    enqueue: add,
    publish: add,
    async work() {
      const polling = { batchSize, pollingIntervalSeconds: 0.5 };
      const run = (jobs) => Promise.all(jobs.map(({ data }) => handle(data.id)));
      for (let each = 0; each < workers; each += 1) await boss.work('jobs', polling, run);
      return () => boss.offWork('jobs');
    },
    left: async () => (await idsWhere(UNDONE)).length,
    waiting: () => idsWhere(UNDONE),
    gaveUp: () => idsWhere(`state = 'failed'`),
    async close() {
      await boss.stop({ graceful: false });
      await dedup?.close();
    },
  };
}
