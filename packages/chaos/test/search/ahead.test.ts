import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { setupFor } from '../../src/self-test.ts';
import { KNOWN_BAD_SENDERS } from '../../src/senders/index.ts';
import { simulate, type SearchOptions } from '../../src/simulate.ts';
import { runSchedule } from '../../src/schedule.ts';
import { Ahead, threadsFor, type AheadOptions } from '../../src/search/ahead.ts';
import { casesOf, type CasesSource } from '../../src/search/cases.ts';
import { seenOf } from '../../src/search/seen.ts';
import { setup } from '../report/fixtures.ts';

// A thread loads no TypeScript, so it is the built one: the command's, which needs nothing beside it.
const entry = new URL('../../../cli/dist/threads/search.js', import.meta.url);
const source: CasesSource = { setup: { ...setup, recipients: 20 }, seed: 'ahead', faults: [], profile: ['all'] };
const here = async (n: number) =>
  seenOf(await runSchedule(casesOf(source)(n), { workload: null, covered: true, record: false, trace: false }));

const open: Ahead[] = [];
afterEach(() => Promise.all(open.splice(0).map((ahead) => ahead.close())));

function ahead(options: Partial<AheadOptions> = {}): Ahead {
  const made = new Ahead({ entry, threads: 2, source, cases: 1_000, isOwn: () => false, ...options });
  open.push(made);
  return made;
}

/** Takes until a thread has one. */
async function firstTaken(of: Ahead) {
  for (let n = 0; ; n += 1) {
    const seen = await of.take(n);
    if (seen !== null) return { n, seen };
    await delay(5);
  }
}

describe('threads that search ahead', () => {
  test('see what is seen here, schedule by schedule', async () => {
    const threads = ahead();
    const { n, seen } = await firstTaken(threads);
    expect(seen).toEqual(await here(n));
    for (let next = n + 1; next < n + 30; next += 1) expect(await threads.take(next)).toEqual(await here(next));
  });

  test('leave to the caller what is his own, and go no further than the last', async () => {
    const threads = ahead({ isOwn: (n) => n % 5 === 0, cases: 100_000 });
    const { n } = await firstTaken(threads);
    const own = Math.ceil((n + 1) / 5) * 5;
    for (let next = n + 1; next < own; next += 1) expect(await threads.take(next)).not.toBeNull();
    expect(await threads.take(own)).toBeNull();
    expect(await threads.take(own + 1)).not.toBeNull();
    const few = ahead({ cases: 0 });
    expect(await few.take(0)).toBeNull();
  });

  test('that cannot be loaded leave everything to the caller', async () => {
    const threads = ahead({ entry: new URL('nowhere.js', entry) });
    for (let n = 0; n < 20; n += 1) {
      expect(await threads.take(n)).toBeNull();
      await delay(10);
    }
  });

  test('answer that they have nothing once they are closed, also to who waits', async () => {
    const threads = ahead({ source: { ...source, setup: { ...source.setup, recipients: 20_000 } } });
    const { n } = await firstTaken(threads);
    const waits = threads.take(n + 1);
    await threads.close();
    expect(await waits).toBeNull();
    expect(await threads.take(n + 100)).toBeNull();
  });

  test('answer that they have nothing when a schedule throws', async () => {
    const broken = { ...source, setup: { ...source.setup, class: 'no such class' as never } };
    const threads = ahead({ source: broken });
    for (let n = 0; n < 20; n += 1) {
      expect(await threads.take(n)).toBeNull();
      await delay(10);
    }
  });
});

test.each([
  { recipients: 1_000_000, most: 0 },
  { recipients: 125_001, most: 0 },
  { recipients: 100_000, most: 2 },
  { recipients: 50_000, most: 5 },
  { recipients: 20, most: 8 },
])('worlds of $recipients recipients are run in $most threads at most', ({ recipients, most }) => {
  const threads = threadsFor(recipients);
  expect(threads).toBeLessThanOrEqual(most);
  expect(threads).not.toBe(1);
});

describe('a search with threads', () => {
  const threads = { entry, threads: 2, afterMs: 0 };
  /** Without and with them; they have to have done something. */
  const both = async (options: SearchOptions) => {
    const alone = await simulate(options);
    const take = vi.spyOn(Ahead.prototype, 'take');
    const ahead = await simulate({ ...options, threads });
    const taken = await Promise.all(take.mock.results.map(({ value }) => value as ReturnType<Ahead['take']>));
    take.mockRestore();
    expect(taken.filter((seen) => seen !== null).length).toBeGreaterThan(taken.length / 4);
    // Making a failure smaller has its time, so how small it gets depends on the machine.
    return [alone, ahead].map(({ verdict, schedules, totals, result, ends, coverage, doubts, traceHash, minimal }) => {
      const seen = {
        verdict,
        schedules,
        totals,
        result,
        ends,
        coverage,
        doubts,
        traceHash,
        isCaught: minimal !== null,
      };
      return JSON.parse(JSON.stringify(seen)) as unknown;
    });
  };

  test('comes to the same as one without', async () => {
    const search = { setup: { ...setup, recipients: 40 }, seed: 'same', faults: [], profile: ['all'], dropAcks: 0.01 };
    const [alone, ahead] = await both({ ...search, schedules: 120 });
    expect(ahead).toEqual(alone);
  });

  // The one breaks a rule beside what it stands for, in schedules that go on; the other is caught, late.
  test.each([
    { name: 'unknown-is-sent', recipients: 5, profile: 'reply-slow', seed: 'd', isCaught: false },
    { name: 'no-window-guard', recipients: 1, profile: 'reply-lost', seed: 'a', isCaught: true },
  ])(
    'finds the same of $name',
    async ({ name, recipients, profile, seed, isCaught }) => {
      const sender = KNOWN_BAD_SENDERS.find((each) => each.name === name)!;
      const search = { setup: setupFor(sender, recipients), seed, faults: [], profile: [profile], explain: false };
      const [alone, ahead] = await both({ ...search, schedules: 250 });
      expect(alone).toMatchObject({ verdict: 'violation', isCaught });
      expect((alone as { schedules: number }).schedules).toBeGreaterThan(100);
      expect(ahead).toEqual(alone);
    },
    120_000,
  );

  test('ends soon when its signal aborts', async () => {
    const stop = new AbortController();
    const report = await simulate({
      setup: { ...setup, recipients: 500 },
      seed: 'stop',
      faults: [],
      profile: ['all'],
      forMs: 600_000,
      threads,
      signal: stop.signal,
      onProgress: ({ schedules }) => void (schedules >= 20 && stop.abort()),
    });
    expect(report).toMatchObject({ verdict: 'interrupted' });
    expect(report.schedules).toBeGreaterThanOrEqual(20);
  });
});
