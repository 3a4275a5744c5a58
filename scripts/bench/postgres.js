// The PostgreSQL ledger beside bare statements of the same kind, and whole workers on it. Needs a build (npm run prepare) and a database:
// `SENDONCE_POSTGRES_URL=postgres://... node scripts/bench/postgres.js` runs all rows, `... postgres.js ROW` one, as a line of JSON.
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate, postgresLedger } from '@sendonce/adapters/ledgers/postgres';
import { memoryLedger } from '@sendonce/core/memory';
import { bareAccept, bareFanOut, bareProtocol } from './postgres-bare.js';
import { serverCpu } from './postgres-cpu.js';
import { counting, median, notifierOn, people, personOf } from './sending.js';

const { SENDONCE_POSTGRES_URL: url } = process.env;
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const CONNECTIONS = 8;

const ROWS = {
  'fan-out': () => besideBare(100_000, fanOut, bareFanOut),
  'worker, 0 ms provider': () => besideBare(40_000, protocol, bareProtocol),
  accept: () => besideBare(20_000, accept, bareAccept),
  'worker in memory': async () => ({
    perSecond: (await protocol(100_000, { ledger: memoryLedger({ clock: Date }) })).perSecond,
  }),
  'fan-out in memory': async () => ({
    perSecond: (await fanOut(100_000, { ledger: memoryLedger({ clock: Date }) })).perSecond,
  }),
};

/** Interleaved rounds of ours and of bare statements, each in an empty schema; the median of each. */
async function besideBare(count, ours, bare) {
  const rates = { ours: [], bare: [] };
  const notes = [];
  const bareCpu = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const turns = [
      async () => {
        const { perSecond, ...rest } = await withLedger((place) => ours(count, place));
        rates.ours.push(perSecond);
        notes.push(rest);
      },
      async () => {
        const { perSecond, serverCpuUs } = await withSchema(({ pool, schema }) => bare(count, pool, schema));
        rates.bare.push(perSecond);
        bareCpu.push(serverCpuUs);
      },
    ];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
  }
  return {
    perSecond: median(rates.ours),
    barePerSecond: median(rates.bare),
    ...mediansOf(notes),
    bareServerCpuUs: median(bareCpu),
  };
}

async function withSchema(run) {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  const schema = `bench_${process.pid}_${(made += 1)}`;
  try {
    return await run({ pool, schema });
  } finally {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.end();
  }
}
let made = 0;

function withLedger(run) {
  return withSchema(async ({ pool, schema }) => {
    await migrate({ client: pool, schema });
    let statements = 0;
    const client = {
      query(...asked) {
        statements += 1;
        return pool.query(...asked);
      },
    };
    const ledger = postgresLedger({ client, schema, prepare: process.env.PREPARE !== undefined });
    await ledger.count();
    return run({ ledger, statements: () => statements, serverCpu: () => serverCpu(pool) });
  });
}

/** From the sealed list to the last delivery. */
async function fanOut(count, { ledger, ...server }) {
  const notifier = notifierOn(ledger, async () => ({ kind: 'accepted', providerMessageId: 'm' }));
  await notifier.publish('order', { order: 1 }, { key: 'bench', recipients: people(count) });
  const finish = await measuring(count, server);
  const stop = new AbortController();
  const running = notifier.worker({ ...WORKER, chunk: 1_000, stages: ['decide'] }).run({ signal: stop.signal });
  await until(async () => (await ledger.count()).notifications.expanded > 0);
  const figures = await finish();
  stop.abort();
  await running;
  return figures;
}

/** Claim, send to a provider that does nothing, settle; all of it expanded before. */
async function protocol(count, { ledger, ...server }) {
  let done;
  const all = new Promise((resolve) => (done = resolve));
  const notifier = notifierOn(
    ledger,
    counting((sent) => sent === count && done()),
  );
  await notifier.publish('order', { order: 1 }, { key: 'bench', recipients: people(count) });
  const deciding = new AbortController();
  const decided = notifier.worker({ ...WORKER, chunk: 1_000, stages: ['decide'] }).run({ signal: deciding.signal });
  await until(async () => (await ledger.count()).notifications.expanded > 0);
  deciding.abort();
  await decided;
  const finish = await measuring(count, server);
  const stop = new AbortController();
  const running = notifier.worker({ ...WORKER, stages: ['deliver'] }).run({ signal: stop.signal });
  await all;
  await until(async () => (await ledger.count()).deliveries.sent === count);
  const figures = await finish();
  stop.abort();
  await running;
  return figures;
}

/** One recipient each, a hundred a call, two calls at a time. */
async function accept(count, { ledger, ...server }) {
  const notifier = notifierOn(ledger, async () => ({ kind: 'accepted', providerMessageId: 'm' }));
  const finish = await measuring(count, server);
  let next = 0;
  const producer = async () => {
    for (let from = next; from < count; from = next) {
      next += 100;
      const each = Array.from({ length: 100 }, (_, i) => ({
        data: { order: from + i },
        key: `order-${from + i}`,
        recipients: [personOf(from + i)],
      }));
      await notifier.publishMany('order', each);
    }
  };
  await Promise.all(Array.from({ length: PRODUCERS }, producer));
  return finish();
}
const PRODUCERS = 4;
const WORKER = { concurrency: Number(process.env.CONCURRENCY ?? 200), batch: Number(process.env.BATCH ?? 200) };

async function measuring(count, { statements = () => 0, serverCpu: seconds = async () => NaN }) {
  const before = { statements: statements(), seconds: await seconds(), cpu: process.cpuUsage(), at: performance.now() };
  return async () => {
    const tookMs = performance.now() - before.at;
    const { user, system } = process.cpuUsage(before.cpu);
    const asked = statements() - before.statements;
    return {
      perSecond: Math.round((count / tookMs) * 1_000),
      clientCpuUs: Math.round((user + system) / count),
      serverCpuUs: Math.round((((await seconds()) - before.seconds) / count) * 1e6),
      statements: Number((asked / count).toFixed(4)),
    };
  };
}

function mediansOf(notes) {
  return Object.fromEntries(Object.keys(notes[0]).map((name) => [name, median(notes.map((each) => each[name]))]));
}

async function until(isSo) {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const [name] = process.argv.slice(2);
if (name !== undefined) console.log(JSON.stringify(await ROWS[name]()));
else
  for (const row of Object.keys(ROWS)) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), row], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${row}: ${stderr}`);
    console.log(row.padEnd(24), stdout.trim(), `load ${loadavg()[0].toFixed(1)}`);
  }
