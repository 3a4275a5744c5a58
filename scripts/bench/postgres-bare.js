// What the same work costs when nothing but the statements is there: one row a delivery with the same bytes, and the fewest indexes that
// could find it again. No rules, no conditions but the fence, no story, no sums.

import { serverCpu } from './postgres-cpu.js';

const PAGE = 1_000;
const BATCH = 200;
const WORKERS = 4;
const FIXED = JSON.stringify({ v: 1, target: { to: 'someone@example.com' } }).padEnd(320, '.');
const BODY = ''.padEnd(120, '.');
const MARKED = ''.padEnd(380, '.');
const SETTLED = ''.padEnd(420, '.');
const MESSAGE = ''.padEnd(250, '.');

async function makeTables(pool, schema) {
  await pool.query(`CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.d (id text COLLATE "C" PRIMARY KEY, state text NOT NULL, fence bigint NOT NULL DEFAULT 0, work_at bigint,
      watch_at bigint, fixed text NOT NULL, body text NOT NULL, message text);
    CREATE INDEX ON ${schema}.d (work_at) WHERE work_at IS NOT NULL;
    CREATE INDEX ON ${schema}.d (watch_at) WHERE watch_at IS NOT NULL`);
}

const idOf = (i) => `d_${(Math.imul(i + 1, 2_654_435_761) >>> 0).toString(36).padStart(8, '0')}${i}abcdefgh`;

async function fill(count, pool, schema) {
  for (let from = 0; from < count; from += PAGE) {
    const ids = Array.from({ length: Math.min(PAGE, count - from) }, (_, i) => idOf(from + i));
    await pool.query(
      `INSERT INTO ${schema}.d (id, state, work_at, fixed, body) SELECT id, 'queued', 1, f, b
       FROM unnest($1::text[], $2::text[], $3::text[]) AS r(id, f, b) ON CONFLICT DO NOTHING`,
      [ids, ids.map(() => FIXED), ids.map(() => BODY)],
    );
  }
}

export async function bareFanOut(count, pool, schema) {
  await makeTables(pool, schema);
  return rate(count, pool, () => fill(count, pool, schema));
}

export async function bareProtocol(count, pool, schema) {
  await makeTables(pool, schema);
  await fill(count, pool, schema);
  return rate(count, pool, () => Promise.all(Array.from({ length: WORKERS }, () => work(pool, schema))));
}

async function work(pool, schema) {
  for (;;) {
    const { rows } = await pool.query(`WITH picked AS MATERIALIZED (SELECT id FROM ${schema}.d WHERE work_at <= 2
        ORDER BY work_at FOR UPDATE SKIP LOCKED LIMIT ${BATCH})
      UPDATE ${schema}.d SET state = 'processing', fence = fence + 1, work_at = 3 FROM picked WHERE d.id = picked.id
      RETURNING d.id, d.fence, d.fixed, d.body`);
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id).sort();
    const write = (state, watchAt) =>
      pool.query(
        `UPDATE ${schema}.d SET state = '${state}', work_at = NULL, watch_at = ${watchAt}, body = r.body, message = r.message
         FROM unnest($1::text[], $2::text[], $3::text[]) AS r(id, body, message) WHERE d.id = r.id AND d.fence = 1 RETURNING d.id`,
        [ids, ids.map(() => (state === 'sent' ? SETTLED : MARKED)), ids.map(() => MESSAGE)],
      );
    await write('dispatching', '4');
    await write('sent', 'NULL');
  }
}

export async function bareAccept(count, pool, schema) {
  await makeTables(pool, schema);
  const batch = 100;
  let next = 0;
  const producer = async () => {
    for (let from = next; from < count; from = next) {
      next += batch;
      const ids = Array.from({ length: batch }, (_, i) => idOf(from + i));
      await pool.query(
        `INSERT INTO ${schema}.d (id, state, work_at, fixed, body) SELECT id, 'accepted', 1, f, b
         FROM unnest($1::text[], $2::text[], $3::text[]) AS r(id, f, b) ON CONFLICT DO NOTHING`,
        [ids, ids.map(() => FIXED), ids.map(() => BODY)],
      );
    }
  };
  return rate(count, pool, () => Promise.all(Array.from({ length: WORKERS }, producer)));
}

async function rate(count, pool, run) {
  const before = await serverCpu(pool);
  const start = performance.now();
  await run();
  const tookMs = performance.now() - start;
  const serverCpuUs = Math.round((((await serverCpu(pool)) - before) / count) * 1e6);
  return { perSecond: Math.round((count / tookMs) * 1_000), serverCpuUs };
}
