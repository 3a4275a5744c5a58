import { ledgerCapabilities, type LedgerSubject } from '@sendonce/core/conformance';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { markRestored, redisLedger, type RedisLedgerOptions } from '../../../src/ledgers/redis.ts';
import { loggingServer } from './places.ts';
import { clocked, clockOf } from './clocked.ts';

/** An empty ledger, and a clock that stands still until a test moves it. */
export interface ClockedLedger {
  readonly redis: Redis;
  readonly options: Pick<RedisLedgerOptions, 'client' | 'name'>;
  elapse(ms: number): Promise<void>;
  /** The names of its keys, but for the clock. */
  keys(): Promise<readonly string[]>;
}

const START_MS = Date.UTC(2023, 10, 14);
let made = 0;

export function clockedLedgers(): () => Promise<ClockedLedger> {
  const starting = loggingServer();
  let redis: Redis | null = null;
  afterAll(async () => {
    redis?.disconnect();
    await (await starting).close();
  });
  return async () => {
    const { port } = await starting;
    redis ??= new Redis(port, '127.0.0.1');
    const name = `clocked-${(made += 1)}`;
    const own = redis;
    await own.set(clockOf(name), START_MS);
    return {
      redis: own,
      options: { client: clocked(own), name },
      elapse: async (ms) => void (await own.incrby(clockOf(name), ms)),
      keys: async () => (await own.keys(`{${name}}:*`)).filter((key) => key !== clockOf(name)),
    };
  };
}

export async function subjectOn(ledgers: () => Promise<ClockedLedger>): Promise<LedgerSubject> {
  const { options, elapse } = await ledgers();
  const warnings: string[] = [];
  const ledger = redisLedger({ ...options, onWarning: (each) => warnings.push(each) });
  return {
    ledger,
    loseMemory: null,
    capabilities: ledgerCapabilities({ ledger, loseMemory: null }),
    unitMs: 1_000,
    elapse,
    async close() {
      await ledger.close();
      if (warnings.length > 0) throw new Error(warnings.join('\n'));
    },
  };
}

/** One that can be made to forget: its keys are copied before the clock is moved, and put back as they were then. */
export async function amnesicSubject(ledgers: () => Promise<ClockedLedger>): Promise<LedgerSubject> {
  const { redis, options, elapse, keys } = await ledgers();
  const ledger = redisLedger(options);
  const copies: { readonly untilMs: number; readonly values: readonly (readonly [string, Buffer])[] }[] = [];
  let nowMs = 0;

  async function copy(): Promise<void> {
    const values: [string, Buffer][] = [];
    for (const key of await keys()) {
      const value = await redis.dumpBuffer(key);
      if (value !== null) values.push([key, value]);
    }
    copies.push({ untilMs: nowMs, values });
  }

  async function goBack(lastMs: number): Promise<void> {
    const kept = copies.findLast(({ untilMs }) => untilMs <= nowMs - lastMs)?.values ?? [];
    const all = await keys();
    if (all.length > 0) await redis.del(...all);
    for (const [key, value] of kept) await redis.restore(key, 0, value);
  }

  const loseMemory: LedgerSubject['loseMemory'] = async ({ lastMs, quarantineMs }) => {
    if (lastMs > 0) await goBack(lastMs);
    await markRestored(options, quarantineMs);
  };

  return {
    ledger,
    loseMemory,
    capabilities: ledgerCapabilities({ ledger, loseMemory }),
    unitMs: 1_000,
    async elapse(ms) {
      await copy();
      nowMs += ms;
      await elapse(ms);
    },
    close: () => ledger.close(),
  };
}
