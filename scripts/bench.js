// Speed on this machine, as ratios and rates: never a timed test. Needs a build (npm run build).
// `npm run bench` runs all parts; `npm run bench -- --only peers` one of: simulate, sqlite, postgres, redis, peers, kills (may be repeated). `--write` puts
// what sqlite, peers and kills measured into docs/reference/benchmarks.md; `--quick` takes tiny numbers, to see that peers and kills run.
import { spawnSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runKills } from './bench/kills/run.js';
import { killsSection, killTables } from './bench/kills/tables.js';
import { sqliteSection, writeSection } from './bench/page.js';
import { runPeers } from './bench/peers/run.js';
import { peersSection, peersTables } from './bench/peers/tables.js';
import { ROW_NAMES as ROWS } from './bench/rows.js';
import { versions } from './bench/versions.js';

const notify = fileURLToPath(new URL('../node_modules/.bin/notify', import.meta.url));
const [cpu] = cpus();
const machine = `${cpus().length} x ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
const load = loadavg()[0].toFixed(1);
console.log(`machine: ${machine}; load ${load}\n`);

const PARTS = { simulate, sqlite, postgres, redis, peers, kills };
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    /** Names of set-ups or rows. */
    who: { type: 'string', multiple: true },
    /** Of the kills. */
    scenario: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const wanted = [...flags.only, ...positionals];
const unknown = wanted.find((name) => !(name in PARTS));
if (unknown !== undefined)
  throw new Error(`'${unknown}' is no part of the bench; known: ${Object.keys(PARTS).join(', ')}`);
// The SDK's word about a later Node, once for each of a hundred processes.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
for (const part of wanted.length === 0 ? Object.keys(PARTS) : wanted) await PARTS[part]();
// Clients of peers may keep a timer of their own.
process.exit();

/** Ours and peers on the same work, side by side. */
async function peers() {
  const told = (name, mode, figures) => row(`${name}: ${mode}`, '', JSON.stringify(figures));
  let last = [];
  const soFar = (results) => {
    last = results;
    if (flags.write) writeSection('peers', peersSection({ machine, load, versions: versions(), results }));
  };
  await runPeers({ quick: flags.quick, names: flags.who, told, soFar });
  console.log(`\n${peersTables(last)}\n`);
}

/** Ours and peers, killed in the middle. */
async function kills() {
  const told = (scenario, name, figures) => row(`${scenario}: ${name}`, '', JSON.stringify(figures));
  const runs = await runKills({ quick: flags.quick, names: flags.who, scenarios: flags.scenario, told });
  console.log(`\n${killTables(runs)}\n`);
  if (flags.write) writeSection('kills', killsSection({ machine, load, versions: versions(), runs }));
}

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
  if (flags.write) writeSection('sqlite', sqliteSection({ machine, load, rows }));
}

/** On a server of yours: it is left out where `SENDONCE_POSTGRES_URL` names none. */
function postgres() {
  const script = fileURLToPath(new URL('bench/postgres.js', import.meta.url));
  if (process.env.SENDONCE_POSTGRES_URL !== undefined) spawnSync(process.execPath, [script], { stdio: 'inherit' });
}

function redis() {
  spawnSync(process.execPath, [fileURLToPath(new URL('bench/redis.js', import.meta.url)), 'all'], { stdio: 'inherit' });
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
