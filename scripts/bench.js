// Speed on this machine, as ratios and rates: never a timed test. Needs a build (npm run build).
// `npm run bench -- sqlite` runs one part: simulate, sqlite, postgres, redis. With --write the second one also writes docs/reference/benchmarks.md.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { benchmarksPage } from './bench/page.js';
import { ROW_NAMES as ROWS } from './bench/rows.js';

const notify = fileURLToPath(new URL('../node_modules/.bin/notify', import.meta.url));
const [cpu] = cpus();
const machine = `${cpus().length} x ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
const load = loadavg()[0].toFixed(1);
console.log(`machine: ${machine}; load ${load}\n`);

const redisScript = fileURLToPath(new URL('bench/redis.js', import.meta.url));
const PARTS = {
  simulate,
  sqlite,
  postgres,
  redis: () => spawnSync(process.execPath, [redisScript, 'all'], { stdio: 'inherit' }),
};
const isWriting = process.argv.includes('--write');
const wanted = process.argv.slice(2).filter((name) => name !== '--write');
for (const part of wanted.length === 0 ? Object.keys(PARTS) : wanted) PARTS[part]();

function simulate() {
  const main = ['simulate', '--recipients', '2000', '--kill-at', '800', '--seed', 'bench'];
  const rounds = 7;
  const times = { node: [], notify: [] };
  // Interleaved, so that a noisy neighbour disturbs both alike.
  for (let round = 0; round < rounds; round += 1) {
    times.node.push(wallMs(process.execPath, ['-e', '0']));
    times.notify.push(wallMs(notify, main));
  }
  const base = median(times.node);
  const whole = median(times.notify);
  row('node -e 0', `${base.toFixed(0)} ms`, '1.0 x');
  row(`notify ${main.slice(0, 5).join(' ')}`, `${whole.toFixed(0)} ms`, `${(whole / base).toFixed(1)} x (at most 8)`);

  for (const { recipients, seconds, least } of [
    { recipients: 20, seconds: 20, least: 10_000 },
    { recipients: 2_000, seconds: 30, least: 1_000 },
  ]) {
    const report = run([
      'simulate',
      '--recipients',
      String(recipients),
      '--for',
      `${seconds}s`,
      '--faults',
      'all',
      '--seed',
      'bench',
      '--json',
    ]);
    const perMinute = Math.round((report.schedules / report.wallMs) * 60_000);
    row(
      `random search, ${recipients} recipients`,
      `${perMinute} schedules/min`,
      `at least ${least}; verdict ${report.verdict}`,
    );
  }

  const big = spawnSync(
    process.execPath,
    [notify, 'simulate', '--recipients', '1000000', '--kill-at', '800000', '--json', '--seed', 'bench'],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      env: { ...process.env, NODE_OPTIONS: `--import=${new URL('peak-memory.js', import.meta.url).href}` },
    },
  );
  const peak = /peak rss (\d+)/.exec(big.stderr)?.[1];
  const millionReport = JSON.parse(big.stdout);
  row(
    '1,000,000 recipients, one kill',
    `${peak} MB peak RSS`,
    `under 512; verdict ${millionReport.verdict}, ${Math.round(millionReport.wallMs / 1000)} s`,
  );
}

/** Each row in a process of its own: its memory is its own. */
function sqlite() {
  console.log(
    '\nSQLite (libsql, synchronous FULL), batches of 50 at the ledger, of 200 in whole workers; bare: the same SQL without our code',
  );
  const script = fileURLToPath(new URL('bench/sqlite.js', import.meta.url));
  const rows = [];
  for (const name of ROWS) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, name], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
    const measured = JSON.parse(stdout);
    const { perSecond, barePerSecond, rssMb } = measured;
    rows.push({ name, ...measured });
    const note =
      barePerSecond === undefined
        ? `${rssMb} MB peak RSS`
        : `${Math.round((perSecond / barePerSecond) * 100)} % of the bare loop (${barePerSecond}/s)`;
    row(name, `${perSecond}/s`, note);
  }
  if (isWriting)
    writeFileSync(new URL('../docs/reference/benchmarks.md', import.meta.url), benchmarksPage({ machine, load, rows }));
}

/** On a server of yours: it is left out where `SENDONCE_POSTGRES_URL` names none. */
function postgres() {
  const script = fileURLToPath(new URL('bench/postgres.js', import.meta.url));
  if (process.env.SENDONCE_POSTGRES_URL !== undefined) spawnSync(process.execPath, [script], { stdio: 'inherit' });
}

function wallMs(command, args) {
  const start = performance.now();
  const { status } = spawnSync(command, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${status}`);
  return performance.now() - start;
}

function run(args) {
  return JSON.parse(spawnSync(notify, args, { encoding: 'utf8', maxBuffer: 2 ** 30 }).stdout);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function row(what, value, note) {
  console.log(`${what.padEnd(48)} ${value.padEnd(26)} ${note}`);
}
