import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildApp } from 'fauxqs';

const notify = fileURLToPath(new URL('../../node_modules/.bin/notify', import.meta.url));
const RECIPIENTS = 2000;

const LEDGERS = { sqlite: [], postgres: ['--ledger', 'postgres:'], redis: ['--ledger', 'redis:'] };
/** Without an address: a server that each run starts for itself. */
const QUEUES = { none: 'none', redis: 'redis:', sqs: null, rabbitmq: 'amqp:' };
export const PAIRS = Object.keys(LEDGERS).flatMap((ledger) => Object.keys(QUEUES).map((queue) => `${ledger}+${queue}`));

/** Tells each run in a line, and of each pair the worst; answers how many runs were not as they have to be. */
export async function soakPairs(pairs, runs) {
  const app = buildApp({ logger: false });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const sqs = `sqs+http://127.0.0.1:${app.server.address().port}`;
  const table = [];
  let failed = 0;
  for (const pair of pairs)
    for (const provider of ['keyed', 'plain']) {
      const results = [];
      for (let n = 1; n <= runs; n += 1) {
        const result = await run(pair, provider, sqs);
        results.push(result);
        if (!result.isGood) failed += 1;
        console.log(`${result.isGood ? 'ok    ' : 'FAILED'} ${pair} ${provider} ${n}/${runs}: ${result.words}`);
        if (!result.isGood) console.log(result.said);
      }
      table.push(rowOf(pair, provider, results));
    }
  console.table(table);
  app.server.closeAllConnections();
  await app.close();
  return failed;
}

async function run(pair, provider, sqs) {
  const [ledger, queue] = pair.split('+');
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-soak-'));
  const args = ['simulate', '--real', '--recipients', String(RECIPIENTS), '--kill-at', '800', '--kill-at', '1500'];
  const more = [...LEDGERS[ledger], '--queue', QUEUES[queue] ?? sqs, '--provider', provider];
  const startedAt = performance.now();
  const { code, stdout, stderr } = await ended([...args, ...more, '--json', '--report', folder]);
  const seconds = (performance.now() - startedAt) / 1000;
  const said = `${stdout}\n${stderr}`;
  try {
    const summary = JSON.parse(stdout);
    const { kills } = JSON.parse(readFileSync(join(folder, 'real.json'), 'utf8'));
    const recoveries = kills.map(({ recovery }) => recovery).filter(({ orphans }) => orphans > 0);
    const { once, recovered, parked, duplicated, lost, phantom } = summary;
    const isBalanced = duplicated + lost + phantom === 0 && once + recovered + parked === RECIPIENTS;
    const isGood = code === 0 && isBalanced && kills.length === 2 && (provider === 'plain' || parked === 0);
    const waits = recoveries.map(({ orphans, firstMs }) => `${orphans} orphans, first moved after ${firstMs} ms`);
    const words = `${once} once, ${recovered} recovered, ${parked} parked; ${waits.join('; ')}; ${seconds.toFixed(1)} s`;
    return { isGood, words, said, seconds, recoveries, parked };
  } catch (error) {
    return { isGood: false, words: `exit ${code}: ${error.message}`, said, seconds, recoveries: [], parked: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ended(args) {
  const child = spawn(notify, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (more) => (text[name] += more));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...text })));
}

function rowOf(pair, provider, results) {
  const firsts = results.flatMap(({ recoveries }) => recoveries.map(({ firstMs }) => firstMs));
  const seconds = results.map((result) => result.seconds);
  return {
    pair,
    provider,
    good: `${results.filter(({ isGood }) => isGood).length} of ${results.length}`,
    'most orphans': Math.max(...results.flatMap(({ recoveries }) => recoveries.map(({ orphans }) => orphans))),
    'first moved, ms': `${Math.min(...firsts)} to ${Math.max(...firsts)}`,
    'most parked': Math.max(...results.map(({ parked }) => parked)),
    'wall, s': `${Math.min(...seconds).toFixed(1)} to ${Math.max(...seconds).toFixed(1)}`,
  };
}
