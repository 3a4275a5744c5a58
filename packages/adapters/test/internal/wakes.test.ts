import { notificationId, type Ledger } from '@sendonce/core';
import { manualClock, memoryLedger } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { announcing } from '../../src/internal/wakes/announcing.ts';
import { listening, loss } from '../../src/internal/wakes/listening.ts';
import { ringing } from '../../src/internal/wakes/ringing.ts';
import { expanded, LEASE, markOf, newDelivery, newNotification, settleOf, targetOf } from '../ledgers/support.ts';

const never = new Promise<never>(() => undefined);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what rings', () => {
  function rung(): { readonly ledger: Ledger; readonly rings: () => number } {
    let rings = 0;
    const bell = { ring: () => void (rings += 1), close: async () => undefined, listen: () => never };
    return { ledger: announcing(memoryLedger({ clock: systemClock }), bell), rings: () => rings };
  }
  const one = (key: string) => newNotification(notificationId('default', 'order', key), key, [targetOf(1)]);
  const claimed = async (ledger: Ledger) => {
    const [verdict] = await ledger.claimNotifications({ due: 1, lateMs: 0 }, { ...LEASE, requestId: 'r' });
    if (verdict?.kind !== 'granted') throw new Error('nothing is due');
    return { id: verdict.id, fence: verdict.fence };
  };
  const operator = { by: 'they', why: 'they asked' };
  const dead = async (ledger: Ledger): Promise<string> => {
    const [id = ''] = await expanded(ledger, 1);
    const [held] = await ledger.claim({ due: 1, lateMs: 0 }, { ...LEASE, requestId: 'r' });
    const fence = held?.kind === 'granted' ? held.fence : 0;
    await ledger.mark([markOf(id, fence)]);
    const outcome = { kind: 'rejected', reason: 'no', scope: 'message' } as const;
    await ledger.settle([{ ...settleOf(id, fence), outcome, next: { kind: 'failed', reason: 'no' } }]);
    return id;
  };
  const seal = (ledger: Ledger, last: boolean) =>
    ledger.seal([{ notificationId: one('k').id, page: 0, targets: [targetOf(1)], last, fence: null }]);

  const CASES: readonly {
    readonly what: string;
    readonly rings: number;
    readonly before?: (ledger: Ledger) => Promise<unknown>;
    readonly call: (ledger: Ledger, prepared: never) => Promise<unknown>;
  }[] = [
    { what: 'accept', rings: 1, call: (ledger) => ledger.accept([one('k')]) },
    {
      what: 'accept of one to route',
      rings: 1,
      call: (ledger) => ledger.accept([{ ...one('k'), recipients: 'route', page: null }]),
    },
    { what: 'accept of many, once', rings: 1, call: (ledger) => ledger.accept([one('a'), one('b')]) },
    {
      what: 'accept for later',
      rings: 0,
      call: (ledger) => ledger.accept([{ ...one('k'), sendAt: Date.now() + 60_000 }]),
    },
    {
      what: 'accept of one whose recipients are still to come',
      rings: 0,
      call: (ledger) => ledger.accept([{ ...one('k'), page: null }]),
    },
    {
      what: 'accept again',
      rings: 0,
      before: (ledger) => ledger.accept([one('k')]),
      call: (ledger) => ledger.accept([one('k')]),
    },
    {
      what: 'a page',
      rings: 0,
      before: (ledger) => ledger.accept([{ ...one('k'), page: null }]),
      call: (ledger) => seal(ledger, false),
    },
    {
      what: 'the last page',
      rings: 1,
      before: (ledger) => ledger.accept([{ ...one('k'), page: null }]),
      call: (ledger) => seal(ledger, true),
    },
    {
      what: 'add',
      rings: 1,
      before: async (ledger) => (await ledger.accept([one('k')]), claimed(ledger)),
      call: (ledger, { id, fence }: { id: string; fence: number }) =>
        ledger.add([
          {
            notificationId: id,
            fence,
            page: 0,
            deliveries: [newDelivery(id, targetOf(1))],
            sealTargets: null,
            leaseMs: 0,
          },
        ]),
    },
    ...[0, 1_000].map((delayMs) => ({
      what: `release for ${delayMs} ms`,
      rings: delayMs === 0 ? 1 : 0,
      before: async (ledger: Ledger) => (await ledger.accept([one('k')]), claimed(ledger)),
      call: (ledger: Ledger, held: { id: string; fence: number }) =>
        ledger.release([{ ...held, delayMs, failure: null }]),
    })),
    {
      what: 'a release that is fenced',
      rings: 0,
      call: (ledger) => ledger.release([{ id: one('k').id, fence: 7, delayMs: 0, failure: null }]),
    },
    {
      what: 'replay',
      rings: 1,
      before: dead,
      call: (ledger, id: string) => ledger.replay([{ id, forced: false, automatic: false, ...operator }]),
    },
    { what: 'count', rings: 0, before: (ledger) => ledger.accept([one('k')]), call: (ledger) => ledger.count() },
  ];

  test.each(CASES)('$what: $rings', async ({ rings: expected, before, call }) => {
    const { ledger, rings } = rung();
    const prepared = (await before?.(ledger)) as never;
    const earlier = rings();
    await call(ledger, prepared);
    expect(rings() - earlier).toBe(expected);
  });
});

describe('ringing', () => {
  test('is at once, and at most 20 times a second', async () => {
    const clock = manualClock();
    let sent = 0;
    const bell = ringing(async () => (sent += 1), clock);
    bell.ring();
    expect(sent).toBe(1);
    for (let ms = 0; ms < 1_000; ms += 1) {
      bell.ring();
      await clock.advance(1);
    }
    expect(sent).toBeGreaterThan(10);
    expect(sent).toBeLessThanOrEqual(21);
    await clock.advance(50);
    const all = sent;
    await clock.advance(1_000);
    expect(sent).toBe(all);
  });

  test.each([
    { what: 'fails', send: () => Promise.reject(new Error('no')) },
    { what: 'hangs', send: () => never },
  ])('goes on after one that $what', async ({ send }) => {
    const clock = manualClock();
    let sent = 0;
    const bell = ringing(() => ((sent += 1), send()), clock);
    bell.ring();
    bell.ring();
    await vi.advanceTimersByTimeAsync(2_000);
    await clock.advance(50);
    expect(sent).toBe(2);
  });

  test('sends what is owed when it is closed, once, and nothing later', async () => {
    const clock = manualClock();
    let sent = 0;
    const bell = ringing(async () => (sent += 1), clock);
    bell.ring();
    bell.ring();
    await bell.close();
    await bell.close();
    bell.ring();
    await clock.advance(1_000);
    expect(sent).toBe(2);
  });
});

describe('listening', () => {
  interface Fake {
    readonly open?: () => Promise<unknown>;
    readonly ask?: () => Promise<unknown>;
  }
  function on({ open = async () => undefined, ask = async () => undefined }: Fake) {
    const { lost, lose } = loss();
    const warnings: string[] = [];
    let closed = 0;
    let asked = 0;
    const line = { lost, open, ask: () => ((asked += 1), ask()), close: () => void (closed += 1) };
    const listen = listening({ connect: () => line, who: 'it', warn: (warning) => warnings.push(warning) });
    return { listen, lose, warnings, closed: () => closed, asked: () => asked };
  }
  const ended = (promise: Promise<void>): Promise<string> =>
    promise.then(
      () => 'resolved',
      (error: Error) => error.message,
    );

  test('begins with a wake, asks now and then whether the server is there, and resolves when it is told to stop', async () => {
    const { listen, closed, asked, warnings } = on({});
    const stop = new AbortController();
    let wakes = 0;
    const end = ended(listen(() => (wakes += 1), stop.signal));
    await vi.advanceTimersByTimeAsync(95_000);
    expect([wakes, asked(), closed()]).toEqual([1, 3, 0]);
    stop.abort();
    expect(await end).toBe('resolved');
    expect([closed(), vi.getTimerCount(), warnings]).toEqual([1, 0, []]);
  });

  test.each<Fake & { readonly what: string; readonly says: string; readonly ms: number }>([
    { what: 'does not open', open: () => never, says: 'connecting took longer than 10000 ms', ms: 10_000 },
    { what: 'is refused', open: () => Promise.reject(new Error('refused')), says: 'refused', ms: 0 },
    { what: 'is half open', ask: () => never, says: 'an answer took longer than 10000 ms', ms: 40_000 },
  ])('ends by an error where the connection $what, closes it, and says so once', async ({ says, ms, ...fake }) => {
    const { listen, closed, warnings } = on(fake);
    for (let times = 1; times <= 2; times += 1) {
      const end = ended(listen(() => undefined, new AbortController().signal));
      await vi.advanceTimersByTimeAsync(ms);
      expect(await end).toBe(says);
      expect([closed(), vi.getTimerCount()]).toEqual([times, 0]);
    }
    expect(warnings).toHaveLength(fake.ask === undefined ? 1 : 2);
    expect(warnings[0]).toContain(says);
  });

  test('ends at once when the connection is lost', async () => {
    const { listen, lose, closed } = on({});
    const end = ended(listen(() => undefined, new AbortController().signal));
    await vi.advanceTimersByTimeAsync(1);
    lose(new Error('cut'));
    expect(await end).toBe('cut');
    expect([closed(), vi.getTimerCount()]).toEqual([1, 0]);
  });

  test('opens nothing for a worker that has stopped, and does not wait for what is being opened', async () => {
    const stop = new AbortController();
    const { listen, closed } = on({ open: () => never });
    const end = ended(listen(() => undefined, stop.signal));
    stop.abort();
    expect(await end).toBe('resolved');
    expect(closed()).toBe(1);
    let opened = 0;
    await on({ open: async () => (opened += 1) }).listen(() => undefined, stop.signal);
    expect(opened).toBe(0);
  });
});
