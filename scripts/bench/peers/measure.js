// One run in a process of its own: `node measure.js '{"name", "mode", "count", "addresses", ...}'` prints a line of JSON.
import { countAll, counts } from './counting.js';
import { SET_UPS } from './set-ups.js';
import { idsFrom, recorder } from './work.js';

const CHUNK = 1_000;
const PRODUCERS = 4;
/** Items of one call where each is accepted by itself. */
const MANY = 100;
/** How often the paced producer publishes, ms. */
const TICK_MS = 20;

const MODES = {
  /** Everything is in the queue before the worker starts. */
  async batch(peer, record, { count, isOurs }) {
    const enqueued = await timed(count, () => enqueueAll(peer, count, isOurs));
    const calls = counts.sqs;
    const before = { ...counts };
    const cpu = process.cpuUsage();
    const start = performance.now();
    const stop = await peer.work();
    const last = await record.all;
    // A peer's clock stops at its last message, ours at the last one that is settled.
    const end = isOurs ? await settled(peer) : last;
    const { user, system } = process.cpuUsage(cpu);
    await stop();
    record.check();
    const asked = counts.redis + counts.postgres - before.redis - before.postgres;
    return {
      enqueuedPerSecond: enqueued,
      perSecond: Math.round((count / (end - start)) * 1_000),
      cpuUs: Math.round((user + system) / count),
      rssMb: Math.round(process.resourceUsage().maxRSS / 1_024),
      roundTrips: asked / count,
      apiCalls: (counts.sqs - before.sqs + calls) / count,
    };
  },
  /** Producers and the worker at once, each recipient accepted by itself. */
  async flow(peer, record, { count }) {
    const start = performance.now();
    const stop = await peer.work();
    await acceptAll(peer, count);
    const end = await record.all;
    await stop();
    record.check();
    return { perSecond: Math.round((count / (end - start)) * 1_000) };
  },
  /** The same at a given pace; how long each waits from the call that accepts it to the provider, ms. */
  async latency(peer, record, { count, perSecond }) {
    const stop = await peer.work();
    await paced(count, perSecond, (ids) => {
      record.begin(ids);
      return peer.publish(ids);
    });
    await record.all;
    await stop();
    record.check();
    const waits = record.waits.toSorted((a, b) => a - b);
    const at = (share) => Math.round(waits[Math.ceil(waits.length * share) - 1]);
    return { perSecond, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  },
  async accept(peer, _record, { count }) {
    return { perSecond: await timed(count, () => acceptAll(peer, count)) };
  },
  async 'fan-out'(peer, _record, { count, isOurs }) {
    if (!isOurs) return { perSecond: await timed(count, () => enqueueAll(peer, count, isOurs)) };
    await peer.seal(idsFrom(0, count));
    return { perSecond: await timed(count, () => peer.fanOut()) };
  },
};

async function enqueueAll(peer, count, isOurs) {
  if (isOurs) return peer.enqueue(idsFrom(0, count));
  for (let from = 0; from < count; from += CHUNK) await peer.enqueue(idsFrom(from, Math.min(CHUNK, count - from)));
}

async function acceptAll(peer, count) {
  let next = 0;
  const producer = async () => {
    for (let from = next; from < count; from = next) {
      next += MANY;
      await peer.publish(idsFrom(from, Math.min(MANY, count - from)));
    }
  };
  await Promise.all(Array.from({ length: PRODUCERS }, producer));
}

/** Whoever accepts slowly is not waited for: the pace is the caller's. */
async function paced(count, perSecond, publish) {
  const start = performance.now();
  const calls = [];
  for (let from = 0; from < count;) {
    const due = Math.min(count, Math.floor(((performance.now() - start) * perSecond) / 1_000));
    for (; from < due; from += MANY) calls.push(publish(idsFrom(from, Math.min(MANY, due - from))));
    from = due;
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(calls);
}

async function settled(peer) {
  while ((await peer.left()) > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  return performance.now();
}

async function timed(count, run) {
  const start = performance.now();
  await run();
  return Math.round((count / (performance.now() - start)) * 1_000);
}

const run = JSON.parse(process.argv[2]);
countAll();
const { load, options } = SET_UPS[run.name];
const { open } = await load();
const record = recorder(run.count);
const peer = await open({ addresses: run.addresses, concurrency: run.concurrency, send: record.send, options });
const figures = await MODES[run.mode](peer, record, run);
await peer.close();
console.log(JSON.stringify(figures));
// A peer may keep a timer of its own.
process.exit();
