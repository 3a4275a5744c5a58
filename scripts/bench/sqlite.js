// The SQLite ledger beside a bare loop of the same SQL, and whole workers on it. `node scripts/bench/sqlite.js ROW` runs one row in this
// process and prints one line of JSON; scripts/bench.js runs them all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { createNotifier, deliveryId, notificationId, providerKey } from '@sendonce/core';
import { recording, replay } from './recorder.js';

const PAGE = 500;
const LEASE = { owner: 'w_abcdefghijklmnopqrst', leaseMs: 600_000 };
const folder = mkdtempSync(join(tmpdir(), 'sendonce-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = () => join(folder, `${(files += 1)}.db`);

export const ROWS = {
  'fan-out': () => besideBare(50_000, fanOut),
  protocol: () => besideBare(20_000, protocol),
  'worker, 0 ms provider': () => worker(20_000, 0),
  'worker, 5 ms provider': () => worker(20_000, 5),
  'memory at 10,000': () => worker(10_000, 0),
  'memory at 1,000,000': () => worker(1_000_000, 0),
};

/** Three interleaved rounds of ours and of the same statements bare; the median of each. */
async function besideBare(count, job) {
  const ours = [];
  const bare = [];
  for (let round = 0; round < 3; round += 1) {
    const { prepare, run } = job(count);
    const record = recording(new Database(newFile()));
    const recorded = sqliteLedger({ database: record.database });
    await prepare(recorded);
    const preparing = record.statements.splice(0);
    await run(recorded);
    record.database.close();

    const plain = new Database(newFile());
    const ledger = sqliteLedger({ database: plain });
    await prepare(ledger);
    ours.push(await rate(count, () => run(ledger)));
    plain.close();

    const again = new Database(newFile());
    replay(again, preparing);
    bare.push(await rate(count, async () => replay(again, record.statements)));
    again.close();
  }
  return { perSecond: median(ours), barePerSecond: median(bare) };
}

async function rate(count, run) {
  const start = performance.now();
  await run();
  return Math.round((count / (performance.now() - start)) * 1_000);
}

const targetOf = (i) => ({
  channel: 'email',
  to: `someone.${i}@example.com`,
  recipientId: `someone.${i}@example.com`,
  destinationId: '',
  data: { name: 'Some One', locale: 'de' },
});
const notification = notificationId('default', 'order', 'bench');

async function seal(ledger, count) {
  const sendAt = null;
  const accept = {
    id: notification,
    tenant: 'default',
    type: 'order',
    key: 'bench',
    class: 'transactional',
    fingerprint: 'f',
  };
  await ledger.accept([
    { ...accept, data: { order: 1 }, sendAt, expiresInMs: 86_400_000, recipients: 'explicit', page: null },
  ]);
  for (let page = 0; page * PAGE < count; page += 1) {
    const targets = Array.from({ length: Math.min(PAGE, count - page * PAGE) }, (_, i) => targetOf(page * PAGE + i));
    await ledger.seal([{ notificationId: notification, page, targets, last: (page + 1) * PAGE >= count, fence: null }]);
  }
}

async function expand(ledger) {
  const [claimed] = await ledger.claimNotifications({ due: 1, lateMs: 0 }, { ...LEASE, requestId: 'expand' });
  for (let page = 0, targets = claimed.page; targets !== null; page += 1) {
    const deliveries = targets.map((target) => ({
      id: deliveryId({ notificationId: notification, ...target, generation: 0 }),
      target,
      provider: 'smtp',
      maxAttempts: 5,
      topic: 'order',
      failed: null,
    }));
    const request = { notificationId: notification, fence: claimed.fence, page, deliveries, sealTargets: null };
    const [added] = await ledger.add([{ ...request, leaseMs: LEASE.leaseMs }]);
    targets = added.next;
  }
}

function fanOut(count) {
  return { prepare: (ledger) => seal(ledger, count), run: expand };
}

function protocol(count) {
  return {
    async prepare(ledger) {
      await seal(ledger, count);
      await expand(ledger);
    },
    async run(ledger) {
      const message = { subject: 'Order 1', text: 'Your order is on its way. '.repeat(8) };
      for (let batch = 0; ; batch += 1) {
        const granted = await ledger.claim(
          { due: 50, lateMs: 0 },
          { ...LEASE, requestId: `r_abcdefghijklmnopqrs-${batch}` },
        );
        if (granted.length === 0) return;
        const of = ({ id, fence }) => ({ id, fence, provider: 'smtp', key: providerKey(id, 'smtp') });
        const window = { keyWindowMs: 86_400_000, dispatchMs: 60_000, sendMarginMs: 5_000 };
        await ledger.mark(granted.map((each) => ({ ...of(each), ...window, message })));
        await ledger.settle(
          granted.map((each) => ({
            ...of(each),
            attempt: 1,
            outcome: { kind: 'accepted', providerMessageId: `0100018c-${each.id}` },
            next: { kind: 'sent' },
            refund: false,
          })),
        );
      }
    },
  };
}

/** A whole worker, from the sealed list to the last message; the time runs from the first message to the last. */
async function worker(count, latencyMs) {
  const ledger = sqliteLedger({ file: newFile() });
  let sent = 0;
  let firstAt = 0;
  let done;
  const all = new Promise((resolve) => (done = resolve));
  const provider = {
    name: 'bench',
    capabilities: {
      idempotency: { kind: 'key', windowMs: 86_400_000 },
      lookup: 'none',
      correlation: { field: 'key', maxBytes: 64, charset: 'ascii' },
      coalesce: false,
      events: 'none',
    },
    async send(_message, { key }) {
      if (firstAt === 0) firstAt = performance.now();
      if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
      sent += 1;
      if (sent === count) done();
      return { kind: 'accepted', providerMessageId: `m-${key}` };
    },
    async close() {},
  };
  const content = () => ({ subject: 'Order 1', text: 'Your order is on its way. '.repeat(8) });
  const notifier = createNotifier({
    ledger,
    channels: { email: { providers: [provider] } },
    notifications: { order: { class: 'transactional', content } },
  });
  await notifier.publish('order', { order: 1 }, { key: 'bench', recipients: people(count) });
  const stop = new AbortController();
  const running = notifier.worker({ concurrency: 200, batch: 200 }).run({ signal: stop.signal });
  await all;
  const tookMs = performance.now() - firstAt;
  stop.abort();
  await running;
  await notifier.close();
  return { perSecond: Math.round((count / tookMs) * 1_000), rssMb: Math.round(process.resourceUsage().maxRSS / 1_024) };
}

function* people(count) {
  for (let i = 0; i < count; i += 1) yield { channel: 'email', to: `someone.${i}@example.com`, name: 'Some One' };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const [name] = process.argv.slice(2);
if (name !== undefined) console.log(JSON.stringify(await ROWS[name]()));
