// The work that is the same for everybody: who is told, the check against a second time, and a provider that does nothing but record.
import { Redis } from 'ioredis';
import pg from 'pg';

/** As long as a job may come back. */
const REMEMBER_S = 300;

export const idsFrom = (from, count) => Array.from({ length: count }, (_, i) => from + i);

/** `SET NX EX`: true for the first who asks about this id. */
export function redisDedup(port) {
  const client = new Redis(port, '127.0.0.1');
  return {
    isFirst: async (id) => (await client.set(`sent:${id}`, '1', 'EX', REMEMBER_S, 'NX')) === 'OK',
    close: () => client.disconnect(),
  };
}

/** `insert ... on conflict do nothing` through a pool of its own. */
export async function postgresDedup(url) {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query('CREATE TABLE IF NOT EXISTS bench_sent (id bigint PRIMARY KEY)');
  const insert = { name: 'sent', text: 'INSERT INTO bench_sent VALUES ($1) ON CONFLICT DO NOTHING' };
  return {
    isFirst: async (id) => (await pool.query({ ...insert, values: [id] })).rowCount === 1,
    close: () => pool.end(),
  };
}

/** A peer's handler of one recipient: with a check, who was told is not told again. */
export function handlerOf({ send, dedup }) {
  return async (id) => {
    if (dedup === undefined || (await dedup.isFirst(id))) await send(id);
  };
}

/** The provider that does nothing: counts who was told, and resolves `all` at the last one. */
export function recorder(count) {
  const times = new Uint8Array(count);
  const startedAt = new Float64Array(count);
  const waits = [];
  let done;
  let reached = 0;
  const all = new Promise((resolve) => (done = resolve));
  return {
    all,
    waits,
    /** From now on, until it is sent, these wait. */
    begin(ids) {
      for (const id of ids) startedAt[id] = performance.now();
    },
    async send(id) {
      times[id] += 1;
      if (startedAt[id] > 0) waits.push(performance.now() - startedAt[id]);
      if (times[id] === 1 && (reached += 1) === count) done(performance.now());
    },
    /** @throws when anybody was told twice: then the figures are of other work. */
    check() {
      const twice = times.filter((each) => each > 1).length;
      if (twice > 0) throw new Error(`${twice} of ${count} were told more than once`);
    },
  };
}
