// A worker is killed in the middle, a new one is started at once, and the provider says who was told how often.
import { fork } from 'node:child_process';
import { servers } from '../peers/servers.js';
import { idsFrom } from '../peers/work.js';
import { ROWS, SCENARIOS } from './rows.js';

const PLAN = { count: 2_000, killAt: 800, concurrency: 50, answerMs: 20, limitMs: 90_000, quietMs: 8_000 };
const QUICK = { ...PLAN, count: 100, killAt: 40, limitMs: 20_000, quietMs: 500 };
const POLL_MS = 50;
const CHUNK = 500;

/**
 * All of these rows in all scenarios, or some. Only one run at a time is in the part that costs (until `quietMs` after the kill); while
 * one waits for a lock to end, the next begins. `told` hears of each as it ends.
 */
export async function runKills({ quick = false, names = Object.keys(ROWS), scenarios = Object.keys(SCENARIOS), told }) {
  const plan = quick ? QUICK : PLAN;
  const runs = [];
  for (const scenario of scenarios)
    for (const name of names) {
      const turn = {};
      turn.isOver = new Promise((resolve) => (turn.over = resolve));
      const run = killed(name, SCENARIOS[scenario], plan, turn.over).then((figures) => {
        told(scenario, name, figures);
        return { scenario, name, ...figures };
      });
      runs.push(run);
      await Promise.race([turn.isOver, run]);
    }
  return Promise.all(runs);
}

async function killed(name, faults, plan, quiet) {
  const { servers: kinds, load, options } = ROWS[name];
  const { addresses, stop } = await servers(kinds);
  const { count, killAt, concurrency, answerMs } = plan;
  const provider = child('provider.js', { keyed: options.keyed === true, ...faults, killAt, count, answerMs });
  const { port } = await heard(provider, 'port');
  const { open } = await load();
  const peer = await open({
    addresses,
    concurrency,
    options,
    send: () => Promise.reject(new Error('nothing is sent from here')),
  });
  await enqueue(peer, count);
  const worker = { name, addresses, port, concurrency };
  const first = child('worker.js', worker);
  await heard(provider, 'kill');
  first.kill('SIGKILL');
  const killedAt = Date.now();
  await new Promise((resolve) => first.once('exit', resolve));
  const second = child('worker.js', worker);
  setTimeout(quiet, plan.quietMs);
  const settledMs = await emptied(peer, killedAt, plan.limitMs);
  const [gaveUp, waiting, left] = [await peer.gaveUp(), await peer.waiting(), await peer.left()];
  provider.send('report');
  const { once, twice, never, lastFirstAt } = await heard(provider, 'report');
  second.kill('SIGKILL');
  provider.kill('SIGKILL');
  await peer.close();
  await stop();
  const lost = lostOf(never, { gaveUp, waiting, left });
  const [lastRecipientS, settledS] = [lastFirstAt - killedAt, settledMs].map(seconds);
  return { once, twice, never: never.length, lost, gaveUp: gaveUp.length, left, lastRecipientS, settledS };
}

/** How many were not told, and are in no list; null where what waits can only be counted. */
export function lostOf(never, { gaveUp, waiting, left }) {
  if (waiting.length < left) return null;
  const known = new Set([...gaveUp, ...waiting]);
  return never.filter((id) => !known.has(id)).length;
}

async function enqueue(peer, count) {
  if (peer.seal !== undefined) return peer.enqueue(idsFrom(0, count));
  for (let from = 0; from < count; from += CHUNK) await peer.enqueue(idsFrom(from, Math.min(CHUNK, count - from)));
}

/** Milliseconds from the kill until nothing is left, or null when something still is after the limit. */
async function emptied(peer, killedAt, limitMs) {
  for (;;) {
    const isEmpty = (await peer.left()) === 0;
    const tookMs = Date.now() - killedAt;
    if (isEmpty) return tookMs;
    if (tookMs > limitMs) return null;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function child(file, options) {
  return fork(new URL(file, import.meta.url), [JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

function heard(from, kind) {
  return new Promise((resolve, reject) => {
    const listen = (message) => {
      if (message.kind !== kind) return;
      from.removeListener('message', listen);
      resolve(message);
    };
    from.on('message', listen);
    from.once('exit', (code) =>
      reject(new Error(`a process of a kill run ended with ${code} before it said '${kind}'`)),
    );
  });
}

const seconds = (ms) => (ms === null ? null : Math.round(ms / 100) / 10);
