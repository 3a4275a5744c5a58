// Ours beside peers: interleaved rounds, each run in a process of its own on servers of its own; medians.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { servers } from './servers.js';
import { COUNTS, isOurs, SET_UPS } from './set-ups.js';

const CONCURRENCY = 200;
const LATENCY_S = 8;
/** A run that hangs ends the whole, rather than to hold it. */
const LIMIT_MS = 300_000;
const script = fileURLToPath(new URL('measure.js', import.meta.url));

/**
 * Measures everybody of these names (default: all); `quick` takes few recipients and one round, to see that it runs. `told` hears of
 * each run as it ends, `soFar` of all that there is after each kind of run: who breaks off a long bench has what was measured until then.
 */
export async function runPeers({ quick = false, names = Object.keys(SET_UPS), told, soFar }) {
  const plan = quick
    ? { rounds: 1, share: 0.005, seconds: 0.2, fanOut: 500 }
    : { rounds: 3, share: 1, seconds: LATENCY_S, fanOut: 100_000 };
  const one = async (name, mode, more) => {
    const figures = await measure(name, mode, more);
    told(name, mode, figures);
    return figures;
  };
  const results = Object.fromEntries(names.map((name) => [name, { name, group: SET_UPS[name].group }]));
  const rounds = async (mode, countOf, of = names) => {
    const runs = Object.fromEntries(of.map((name) => [name, []]));
    for (let round = 0; round < plan.rounds; round += 1)
      for (const name of round % 2 === 0 ? of : of.toReversed())
        runs[name].push(await one(name, mode, { count: countOf(name) }));
    for (const name of of)
      results[name][mode] = { ...medians(runs[name]), rates: runs[name].map((run) => run.perSecond) };
    soFar(Object.values(results));
  };
  const countOf = (name) => Math.max(100, Math.round(COUNTS[SET_UPS[name].group] * plan.share));
  await rounds('batch', countOf);
  await rounds('flow', (name) => Math.max(100, countOf(name) / 2));
  await rounds('accept', countOf);
  await rounds(
    'fan-out',
    () => plan.fanOut,
    names.filter((name) => SET_UPS[name].group !== 'SQS + Redis'),
  );
  for (const name of names) {
    const perSecond = Math.max(1, Math.round(results[name].flow.perSecond / 2));
    const count = Math.max(50, Math.round(perSecond * plan.seconds));
    results[name].latency = await one(name, 'latency', { count, perSecond });
  }
  soFar(Object.values(results));
}

async function measure(name, mode, { count, ...more }) {
  const { addresses, stop } = await servers(SET_UPS[name].servers);
  try {
    return await inProcess({
      name,
      mode,
      count: Math.round(count),
      concurrency: CONCURRENCY,
      addresses,
      isOurs: isOurs(name),
      ...more,
    });
  } finally {
    await stop();
  }
}

function inProcess(run) {
  const child = spawn(process.execPath, [script, JSON.stringify(run)], { timeout: LIMIT_MS, killSignal: 'SIGKILL' });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  return new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(JSON.parse(out.trim().split('\n').at(-1)));
      else reject(new Error(`${run.name}, ${run.mode}: ended with ${code ?? signal}\n${err.slice(-3_000)}`));
    });
  });
}

function medians(runs) {
  const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  return Object.fromEntries(Object.keys(runs[0]).map((figure) => [figure, middle(runs.map((run) => run[figure]))]));
}
