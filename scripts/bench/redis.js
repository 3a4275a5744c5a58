// The Redis ledger on a server of its own, in memory alone. `node scripts/bench/redis.js ROW` runs one row in this process and prints one
// line of JSON: what was done per second, and the microseconds of CPU that worker (client) and server spent on one delivery. `all` runs all.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { redisLedger } from '@sendonce/adapters/ledgers/redis';
import { deliveryId, notificationId, providerKey } from '@sendonce/core';
import { memoryLedger } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { freePort } from './peers/servers.js';
import { CONTENT, counting, notifierOn, people, targetOf } from './sending.js';

const LEASE = { owner: 'w_abcdefghijklmnopqrst', leaseMs: 600_000 };
const script = fileURLToPath(import.meta.url);
const PAGE = 1_000;
const BATCH = 200;
/** As the kernel counts CPU time (USER_HZ). */
const TICK_US = 10_000;

const ROWS = {
  'fan-out': () => onRedis(100_000, (ledger, count) => fanOut(ledger, count)),
  protocol: () => onRedis(60_000, (ledger, count) => protocol(ledger, count)),
  'protocol, each of its own notification': () => onRedis(40_000, (ledger, count) => protocol(ledger, count, 1)),
  'fan-out by a worker': () => onRedis(100_000, (ledger, count) => worker(ledger, count, { decides: true })),
  'worker, 0 ms provider': () => onRedis(60_000, (ledger, count) => worker(ledger, count, {})),
  'worker, 5 ms provider': () => onRedis(30_000, (ledger, count) => worker(ledger, count, { latencyMs: 5 })),
  'worker, 0 ms provider, in memory': () => inMemory(60_000, (ledger, count) => worker(ledger, count, {})),
  'fan-out by a worker, in memory': () =>
    inMemory(100_000, (ledger, count) => worker(ledger, count, { decides: true })),
};

async function onRedis(count, job) {
  const port = await freePort();
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
    stdio: 'ignore',
  });
  process.once('exit', () => server.kill('SIGKILL'));
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 });
  client.on('error', () => undefined);
  await client.ping();
  const ledger = redisLedger({ client, onWarning: () => undefined });
  try {
    return await measured(count, await job(ledger, count), () => cpuOf(server.pid));
  } finally {
    client.disconnect();
    server.kill('SIGKILL');
  }
}

async function inMemory(count, job) {
  return measured(count, await job(memoryLedger({ clock: systemClock }), count), () => 0);
}

async function measured(count, run, serverCpu) {
  const [server, client, start] = [serverCpu(), process.cpuUsage(), performance.now()];
  await run();
  const tookMs = performance.now() - start;
  const { user, system } = process.cpuUsage(client);
  return {
    perSecond: Math.round((count / tookMs) * 1_000),
    clientUs: round((user + system) / count),
    ofItSystemUs: round(system / count),
    serverUs: round((serverCpu() - server) / count),
    rssMb: Math.round(process.resourceUsage().maxRSS / 1_024),
  };
}

function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

const round = (us) => Math.round(us * 10) / 10;

const newNotification = (key) => ({
  id: notificationId('default', 'order', key),
  tenant: 'default',
  type: 'order',
  key,
  class: 'transactional',
  fingerprint: 'f',
  data: { order: 1 },
  sendAt: null,
  expiresInMs: 86_400_000,
  recipients: 'explicit',
  page: null,
});

async function sealed(ledger, count, key) {
  const notification = newNotification(key);
  await ledger.accept([notification]);
  for (let page = 0; page * PAGE < count; page += 1) {
    const targets = Array.from({ length: Math.min(PAGE, count - page * PAGE) }, (_, i) => targetOf(page * PAGE + i));
    await ledger.seal([
      { notificationId: notification.id, page, targets, last: (page + 1) * PAGE >= count, fence: null },
    ]);
  }
}

/** Expands what is due, until nothing is. */
async function expand(ledger) {
  for (let round = 0; ; round += 1) {
    const held = await ledger.claimNotifications({ due: 20, lateMs: 0 }, { ...LEASE, requestId: `expand-${round}` });
    if (held.length === 0) return;
    for (let going = held.map(({ record, page }) => ({ record, page })); going.length > 0;) {
      const added = await ledger.add(going.map(({ record, page }) => addOf(record, page)));
      going = added.filter(({ next }) => next !== null).map(({ record, next }) => ({ record, page: next }));
    }
  }
}

function addOf({ id, fence, cursor }, targets) {
  const deliveries = targets.map((target) => ({
    id: deliveryId({ notificationId: id, ...target, generation: 0 }),
    target,
    provider: 'smtp',
    maxAttempts: 5,
    topic: 'order',
    failed: null,
  }));
  return { notificationId: id, fence, page: cursor, deliveries, sealTargets: null, leaseMs: LEASE.leaseMs };
}

async function fanOut(ledger, count) {
  await sealed(ledger, count, 'bench');
  return () => expand(ledger);
}

async function protocol(ledger, count, each = count) {
  if (each === count) await sealed(ledger, count, 'bench');
  else
    for (let from = 0; from < count; from += PAGE)
      await ledger.accept(
        Array.from({ length: PAGE }, (_, i) => ({ ...newNotification(`k${from + i}`), page: [targetOf(from + i)] })),
      );
  await expand(ledger);
  return async () => {
    const window = { keyWindowMs: 86_400_000, dispatchMs: 60_000, sendMarginMs: 5_000 };
    for (let batch = 0; ; batch += 1) {
      const lease = { ...LEASE, requestId: `r_abcdefghijklmnopqrs-${batch}` };
      const granted = await ledger.claim({ due: BATCH, lateMs: 0 }, lease);
      if (granted.length === 0) return;
      const of = ({ id, fence }) => ({ id, fence, provider: 'smtp', key: providerKey(id, 'smtp') });
      await ledger.mark(granted.map((one) => ({ ...of(one), ...window, message: CONTENT })));
      await ledger.settle(granted.map((one) => ({ ...of(one), ...sent(one.id) })));
    }
  };
}

const sent = (id) => ({
  attempt: 1,
  outcome: { kind: 'accepted', providerMessageId: `0100018c-${id}` },
  next: { kind: 'sent' },
  refund: false,
});

/** A whole worker: one that expands what is sealed, or one that sends what is expanded. */
async function worker(ledger, count, { decides = false, latencyMs = 0 }) {
  let done;
  const notifier = notifierOn(
    ledger,
    counting((sentCount) => sentCount === count && done(), latencyMs),
  );
  await notifier.publish('order', { order: 1 }, { key: 'bench', recipients: people(count) });
  const expanding = async () => {
    const stop = new AbortController();
    const running = notifier.worker({ stages: ['decide'], chunk: PAGE }).run({ signal: stop.signal });
    while ((await ledger.count()).notifications.expanded === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort();
    await running;
  };
  if (decides) return expanding;
  await expanding();
  return async () => {
    const all = new Promise((resolve) => (done = resolve));
    const stop = new AbortController();
    const options = { stages: ['deliver'], concurrency: BATCH, batch: BATCH };
    const running = notifier.worker(options).run({ signal: stop.signal });
    await all;
    stop.abort();
    await running;
  };
}

/** Each row in a process of its own, so that none has the others' garbage. */
function all() {
  for (const row of Object.keys(ROWS)) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, row], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${row}: ${stderr}`);
    const { perSecond, clientUs, serverUs, rssMb } = JSON.parse(stdout);
    console.log(
      `${row.padEnd(48)} ${`${perSecond}/s`.padEnd(12)} CPU ${clientUs} us here, ${serverUs} us there; ${rssMb} MB peak RSS`,
    );
  }
}

const [name] = process.argv.slice(2);
if (name === 'all') all();
else console.log(JSON.stringify(await ROWS[name]()));
