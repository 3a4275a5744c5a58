import type { Ledger } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { ledgerOn } from '../../src/internal/postgres/ledger.ts';
import { checkedOptions } from '../../src/internal/postgres/options.ts';
import { postgresLedger } from '../../src/ledgers/postgres.ts';
import { redisLedger } from '../../src/ledgers/redis.ts';
import { sqliteLedger } from '../../src/ledgers/sqlite.ts';
import { forgetNow, idOf, letter } from './forgetting.ts';
import { clockedSchemas, stillMemory } from './postgres/subject.ts';
import { clockedLedgers } from './redis/subject.ts';
import { newNotification, targetOf, temporaryFile } from './support.ts';

const DAY_MS = 86_400_000;
/** What is settled gives up its content first. */
const KEEPS = { retentionMs: DAY_MS, contentRetentionMs: 0 };
const ledgers = clockedLedgers();
const schemas = clockedSchemas();

interface Clocked {
  readonly ledger: Ledger;
  elapse(ms: number): Promise<void>;
}

type Options = typeof KEEPS & { readonly tombstoneRetentionMs?: number | null };

const STORES: Readonly<Record<string, (options: Options) => Promise<Clocked>>> = {
  async sqlite(options) {
    let now = Date.UTC(2024, 0);
    const ledger = sqliteLedger({ file: temporaryFile(), now: () => now, ...options });
    return { ledger, elapse: async (ms) => void (now += ms) };
  },
  async redis(options) {
    const { options: place, elapse } = await ledgers();
    return { ledger: redisLedger({ ...place, ...options }), elapse };
  },
  async postgres(options) {
    const { pool, schema, elapse } = await schemas();
    return { ledger: ledgerOn(checkedOptions({ client: pool, schema, ...options }), stillMemory()), elapse };
  },
};

async function accept(ledger: Ledger, key: string): Promise<string | undefined> {
  const [verdict] = await ledger.accept([newNotification(idOf(key), key, [targetOf(0)])]);
  return verdict?.kind;
}

/** Housekeeping comes with a sweep, at most once a second. */
async function keepHouse(ledger: Ledger, isDone: () => Promise<boolean>): Promise<void> {
  const sweep = async (): Promise<boolean> => {
    await ledger.sweep({ max: 1, reconcileLeaseMs: 1 });
    return isDone();
  };
  await expect.poll(sweep, { timeout: 10_000, interval: 250 }).toBe(true);
}

describe.each(Object.entries(STORES))('a tombstone in %s', (_name, open) => {
  test('stays for good, long after what was not forgotten is gone', async () => {
    const { ledger, elapse } = await open(KEEPS);
    await letter(ledger, 'forgotten');
    await letter(ledger, 'left');
    await forgetNow(ledger, ['forgotten']);
    await elapse(1_000 * DAY_MS);
    await keepHouse(ledger, async () => (await ledger.findNotifications([idOf('left')]))[0] === null);
    expect((await ledger.count()).forgotten).toBe(1);
    expect(await accept(ledger, 'forgotten')).toBe('repeated');
    await ledger.close();
  });

  test('goes after its own time, where it has one, and not before', async () => {
    const { ledger, elapse } = await open({ ...KEEPS, tombstoneRetentionMs: 10 * DAY_MS });
    await letter(ledger, 'forgotten');
    await letter(ledger, 'left');
    await forgetNow(ledger, ['forgotten']);
    await elapse(9 * DAY_MS);
    await keepHouse(ledger, async () => (await ledger.findNotifications([idOf('left')]))[0] === null);
    expect(await accept(ledger, 'forgotten')).toBe('repeated');
    await elapse(2 * DAY_MS);
    await keepHouse(ledger, async () => (await ledger.count()).forgotten === 0);
    expect(await accept(ledger, 'forgotten')).toBe('accepted');
    await ledger.close();
  });
});

describe('what is left in Redis', () => {
  test('is one small hash for each notification, however many deliveries it had', async () => {
    const { options, redis, keys } = await ledgers();
    const ledger = redisLedger(options);
    const all = Array.from({ length: 30 }, (_, i) => `order-${i}`);
    for (const key of all) await letter(ledger, key);
    const before = (await keys()).length;
    await forgetNow(ledger, all);
    // What claims were granted goes by itself, when their leases are over.
    const left = (await keys()).filter((key) => !key.includes(':claim:'));
    expect(before).toBeGreaterThan(60);
    const names = left.map((key) => key.replace(/^\{[^}]*\}:/, '').replace(/:.*/, ''));
    expect(names.toSorted()).toEqual([...all.map(() => 'n'), 'store', 'sums']);
    for (const key of left.filter((each) => each.includes(':n:'))) {
      expect(await redis.memory('USAGE', key)).toBeLessThan(500);
      expect(await redis.object('ENCODING', key)).toMatch(/^(listpack|ziplist)$/);
    }
  });

  test('reads keys of any length and script whole', async () => {
    const { options } = await ledgers();
    const ledger = redisLedger(options);
    const key = 'Ünïcödé “quoted”\u2028日本語 '.repeat(20);
    await letter(ledger, key);
    const [before] = await ledger.findNotifications([idOf(key)]);
    await forgetNow(ledger, [key]);
    const [after] = await ledger.findNotifications([idOf(key)]);
    expect([after?.key, after?.fingerprint]).toEqual([key, before?.fingerprint]);
  });
});

describe('tombstoneRetentionMs', () => {
  const client = { query: () => Promise.resolve([]) };
  const redis = { evalsha: () => Promise.resolve(1), eval: () => Promise.resolve(1), pipeline: () => ({}) } as never;
  test.each<readonly [string, (tombstoneRetentionMs: never) => unknown]>([
    ['sqlite', (tombstoneRetentionMs) => sqliteLedger({ file: 'x.db', tombstoneRetentionMs })],
    ['postgres', (tombstoneRetentionMs) => postgresLedger({ client, tombstoneRetentionMs })],
    ['redis', (tombstoneRetentionMs) => redisLedger({ client: redis, tombstoneRetentionMs })],
  ])('of %s is null or at least retentionMs', (_name, make) => {
    for (const wrong of [0, 89 * DAY_MS, -1, 1.5, '90d', NaN])
      expect(() => make(wrong as never)).toThrow(/tombstoneRetentionMs must be null or/);
    for (const right of [null, 90 * DAY_MS]) expect(() => make(right as never)).not.toThrow();
  });
});
