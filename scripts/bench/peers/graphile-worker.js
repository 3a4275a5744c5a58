import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { handlerOf, postgresDedup } from './work.js';

const UNDONE = 'attempts < max_attempts OR locked_at IS NOT NULL';

/** graphile-worker: one job for each recipient, through its own `add_jobs`. */
export async function open({ addresses, concurrency, send, options = {} }) {
  const pgPool = new pg.Pool({ connectionString: addresses.postgres, max: 20 });
  pgPool.on('error', () => undefined);
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  const dedup = options.dedup === true ? await postgresDedup(addresses.postgres) : undefined;
  const handle = handlerOf({ send, dedup });
  const add = (ids) =>
    pgPool.query(
      `SELECT graphile_worker.add_jobs(array(
         SELECT json_populate_record(null::graphile_worker.job_spec, json_build_object('identifier', 'send', 'payload', json_build_object('id', id)))
         FROM unnest($1::int[]) AS id))`,
      [ids],
    );
  const idsWhere = async (where) => {
    const { rows } = await pgPool.query(
      `SELECT (payload->>'id')::int AS id FROM graphile_worker._private_jobs WHERE ${where}`,
    );
    return rows.map(({ id }) => id);
  };
  return {
    enqueue: add,
    publish: add,
    async work() {
      const taskList = { send: ({ id }) => handle(id) };
      const runner = await run({ pgPool, logger, concurrency, taskList, noHandleSignals: true, pollInterval: 500 });
      return () => runner.stop();
    },
    left: async () => (await idsWhere(UNDONE)).length,
    waiting: () => idsWhere(UNDONE),
    gaveUp: () => idsWhere('attempts >= max_attempts AND locked_at IS NULL'),
    async close() {
      await utils.release();
      await dedup?.close();
      await pgPool.end();
    },
  };
}
