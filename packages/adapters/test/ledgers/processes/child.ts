import { appendFileSync } from 'node:fs';
import { providerKey, type Ledger } from '@sendonce/core';
import { Redis } from 'ioredis';
import Database from 'libsql';
import pg from 'pg';
import { postgresLedger, type PostgresLike } from '../../../src/ledgers/postgres.ts';
import { redisLedger } from '../../../src/ledgers/redis.ts';
import { sqliteLedger, type SqliteDatabaseLike } from '../../../src/ledgers/sqlite.ts';
import type { Answer, CrashPoint, Order, Outbox, Place, Work } from './protocol.ts';

// A process with a ledger at the given place, which does as its parent says, and dies when told so, or when the parent is gone.

let crash: CrashPoint | null = null;

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // Not reached: the signal cannot be caught. A loop says so to the compiler, and to a system that is slow to deliver.
  for (;;);
}

/** Dies around what commits, when told so. */
async function around<T>(commit: () => T | Promise<T>): Promise<T> {
  if (crash === 'before-commit') die();
  const result = await commit();
  return crash === 'after-commit' ? die() : result;
}

function sqlite(file: string): Ledger {
  const inner = new Database(file);
  const database: SqliteDatabaseLike = {
    prepare: (sql) => inner.prepare(sql),
    exec(sql) {
      if (sql !== 'COMMIT' || crash === null) return inner.exec(sql);
      if (crash === 'before-commit') die();
      inner.exec(sql);
      return die();
    },
    close: () => inner.close(),
  };
  return sqliteLedger({ database });
}

function postgres(url: string, schema: string): Ledger {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  const client: PostgresLike = {
    // What writes says whether it may.
    query: (text, values) =>
      text.includes('verdict') ? around(() => pool.query(text, values)) : pool.query(text, values),
  };
  return postgresLedger({ client, schema });
}

function redis(port: number, name: string): Ledger {
  const client = new Redis(port, '127.0.0.1');
  client.on('error', () => undefined);
  // What writes has many arguments; of what reads no call here has as many.
  const isWrite = (args: readonly unknown[]): boolean => args.length > 15;
  return redisLedger({
    name,
    client: {
      evalsha: (sha, keys, ...args) =>
        isWrite(args) ? around(() => client.evalsha(sha, keys, ...args)) : client.evalsha(sha, keys, ...args),
      eval: (text, keys, ...args) =>
        isWrite(args) ? around(() => client.eval(text, keys, ...args)) : client.eval(text, keys, ...args),
      pipeline: (commands) => client.pipeline(commands),
    },
  });
}

function open(at: Place): Ledger {
  if (at.kind === 'sqlite') return sqlite(at.file);
  return at.kind === 'postgres' ? postgres(at.url, at.schema) : redis(at.port, at.name);
}

const place = JSON.parse(process.argv[2] as string) as Place;
const ledger = open(place);
process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => void carryOut(order));
// Opened before anything is timed or told to crash.
await ledger.count();
tell({ kind: 'ready' });

function tell(answer: Answer): void {
  process.send?.(answer);
}

async function carryOut(order: Order): Promise<void> {
  try {
    if (order.kind === 'outbox') await outbox(order);
    else if (order.kind === 'work') tell({ kind: 'done', value: await work(order) });
    else {
      ({ crash } = order);
      const call = ledger[order.method] as (...args: readonly unknown[]) => Promise<unknown>;
      tell({ kind: 'done', value: await call(...order.args) });
    }
  } catch (error) {
    tell({ kind: 'failed', error: String(error) });
  }
}

/** Accepts in a transaction of the application's, and dies around its commit. */
async function outbox({ notification, dies }: Outbox): Promise<never> {
  if (place.kind !== 'postgres') throw new TypeError(place.kind);
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  await client.query('BEGIN');
  await ledger.accept([notification], { transaction: client });
  if (dies === 'before-commit') die();
  await client.query('COMMIT');
  return die();
}

type Granted = Extract<Awaited<ReturnType<Ledger['claim']>>[number], { kind: 'granted' }>;

async function work({ owner, mailbox, ids, batch, dispatchMs }: Work): Promise<number> {
  let sent = 0;
  for (let from = 0, round = 0; from < ids.length; from += batch, round += 1) {
    const mine = ids.slice(from, from + batch);
    const selector = { ids: mine, agesMs: mine.map(() => 0), strayAfterMs: 60_000 };
    const verdicts = await ledger.claim(selector, { owner, requestId: `${owner}-${round}`, leaseMs: 30_000 });
    const granted = verdicts.filter((verdict): verdict is Granted => verdict.kind === 'granted');
    const marks = await ledger.mark(
      granted.map(({ id, fence }) => ({
        id,
        fence,
        provider: 'smtp',
        key: providerKey(id, 'smtp'),
        keyWindowMs: null,
        message: { text: `for ${id}` },
        dispatchMs,
        sendMarginMs: 1,
      })),
    );
    for (const [i, mark] of marks.entries()) {
      if (mark.kind !== 'go') continue;
      const { id, attempt } = mark;
      appendFileSync(mailbox, `${id}\n`);
      sent += 1;
      const outcome = { kind: 'accepted', providerMessageId: `m-${id}` } as const;
      const fence = granted[i]?.fence ?? 0;
      const key = providerKey(id, 'smtp');
      await ledger.settle([
        { id, fence, attempt, provider: 'smtp', key, outcome, next: { kind: 'sent' }, refund: false },
      ]);
    }
  }
  return sent;
}
