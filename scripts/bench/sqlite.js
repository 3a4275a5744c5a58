// The SQLite ledger beside a bare loop of the same SQL, and whole workers on it. `node scripts/bench/sqlite.js ROW` runs one row in this
// process and prints one line of JSON; scripts/bench.js runs them all.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { deliveryId, notificationId, providerKey } from '@sendonce/core';
import { recording, replay } from './recorder.js';
import { CONTENT, counting, median, notifierOn, people, targetOf } from './sending.js';

const PAGE = 500;
const LEASE = { owner: 'w_abcdefghijklmnopqrst', leaseMs: 600_000 };
const folder = mkdtempSync(join(tmpdir(), 'sendonce-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = () => join(folder, `${(files += 1)}.db`);

export const ROWS = {
  'fan-out': () => besideBare(20_000, fanOut),
  protocol: () => besideBare(10_000, protocol),
  'fan-out beside 1,000,000': () => besideBare(20_000, fanOut, 1_000_000),
  'protocol beside 1,000,000': () => besideBare(10_000, protocol, 1_000_000),
  'worker, 0 ms provider': () => worker(20_000, 0),
  'worker, 5 ms provider': () => worker(20_000, 5),
  'memory at 10,000': () => worker(10_000, 0),
  'memory at 1,000,000': () => worker(1_000_000, 0),
};

/**
 * Interleaved rounds of ours and of the same statements bare, on files that hold the same, `old` deliveries above all; the median of each.
 * Every other round begins with the bare loop, so that what the one leaves behind (a warm disk, a full log) helps both alike.
 */
async function besideBare(count, job, old = 0) {
  const ours = [];
  const bare = [];
  const record = recording(new Database(await filled(old)));
  const plain = new Database(await filled(old));
  const again = new Database(await filled(old));
  const [recorded, ledger] = [record.database, plain].map((database) => sqliteLedger({ database }));
  await recorded.count();
  await ledger.count();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { prepare, run } = job(count, `bench-${round}`);
    await prepare(recorded);
    await prepare(ledger);
    replay(again, record.statements.splice(0));
    await run(recorded);
    const statements = record.statements.splice(0);
    const turns = [
      async () => ours.push(await rate(count, () => run(ledger))),
      async () => bare.push(await rate(count, async () => replay(again, statements))),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
  }
  for (const database of [record.database, plain, again]) database.close();
  return { perSecond: median(ours), barePerSecond: median(bare) };
}
const ROUNDS = 3;

let template = null;

/** A file with this many deliveries that were sent before: some by the ledger, and copies of their rows under other ids. */
async function filled(old) {
  if (old === 0) return newFile();
  template ??= await makeTemplate(old);
  const file = newFile();
  copyFileSync(template, file);
  return file;
}

async function makeTemplate(old) {
  const made = 20_000;
  const file = newFile();
  const database = new Database(file);
  const ledger = sqliteLedger({ database });
  const { prepare, run } = protocol(made, 'old');
  await prepare(ledger);
  await run(ledger);
  for (let copy = 1; copy * made < old; copy += 1) database.exec(copyOfRows(made, copy * made));
  database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
  database.close();
  return file;
}

function copyOfRows(made, by) {
  const rest = 'notification, recipient, channel, provider, state, settled_at, erase_at, fixed, body, story';
  return `BEGIN;
    INSERT INTO sendonce_deliveries (seq, id, ${rest})
      SELECT seq + ${by}, 'd_' || hex(randomblob(11)), ${rest} FROM sendonce_deliveries WHERE seq <= ${made};
    INSERT INTO sendonce_contents SELECT delivery + ${by}, message FROM sendonce_contents WHERE delivery <= ${made};
    INSERT INTO sendonce_provider_messages SELECT key || hex(randomblob(4)), delivery + ${by} FROM sendonce_provider_messages
      WHERE delivery <= ${made};
    COMMIT`;
}

async function rate(count, run) {
  const start = performance.now();
  await run();
  return Math.round((count / (performance.now() - start)) * 1_000);
}

async function seal(ledger, count, key) {
  const sendAt = null;
  const notification = notificationId('default', 'order', key);
  const accept = {
    id: notification,
    tenant: 'default',
    type: 'order',
    key,
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

async function expand(ledger, key) {
  const notification = notificationId('default', 'order', key);
  const [claimed] = await ledger.claimNotifications({ due: 1, lateMs: 0 }, { ...LEASE, requestId: `expand-${key}` });
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

function fanOut(count, key) {
  return { prepare: (ledger) => seal(ledger, count, key), run: (ledger) => expand(ledger, key) };
}

function protocol(count, key) {
  return {
    async prepare(ledger) {
      await seal(ledger, count, key);
      await expand(ledger, key);
    },
    async run(ledger) {
      for (let batch = 0; ; batch += 1) {
        const granted = await ledger.claim(
          { due: 50, lateMs: 0 },
          { ...LEASE, requestId: `r_abcdefghijklmnopqrs-${key}-${batch}` },
        );
        if (granted.length === 0) return;
        const of = ({ id, fence }) => ({ id, fence, provider: 'smtp', key: providerKey(id, 'smtp') });
        const window = { keyWindowMs: 86_400_000, dispatchMs: 60_000, sendMarginMs: 5_000 };
        await ledger.mark(granted.map((each) => ({ ...of(each), ...window, message: CONTENT })));
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
  let firstAt = 0;
  let done;
  const all = new Promise((resolve) => (done = resolve));
  const send = counting((sent) => sent === count && done(), latencyMs);
  const notifier = notifierOn(ledger, (...asked) => {
    if (firstAt === 0) firstAt = performance.now();
    return send(...asked);
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

const [name] = process.argv.slice(2);
if (name !== undefined) console.log(JSON.stringify(await ROWS[name]()));
