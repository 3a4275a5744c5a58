import { createNotifier, type Ledger, type Notifier } from '@sendonce/core';
import { manualClock, memoryLedger, memoryProvider } from '@sendonce/core/memory';
import { describe, test, type TestContext } from 'vitest';
import {
  outboxRelay,
  type OutboxEvent,
  type OutboxEventTold,
  type OutboxRelayOptions,
  type OutboxStore,
} from '../../src/outbox/relay.ts';

/** An outbox on a real store. */
export interface Place {
  readonly outbox: OutboxStore;
  /** Adds in a transaction of the application's, which commits when `commit` is called. */
  begin(...events: readonly OutboxEvent[]): Promise<{ commit(): Promise<void>; rollback(): Promise<void> }>;
}

export const order = (id: string, type = 'order'): OutboxEvent => ({ type, key: id, data: { id } });

export function publisher(): { readonly notifier: Notifier; readonly ledger: Ledger } {
  const clock = manualClock();
  const ledger = memoryLedger({ clock });
  const notifier = createNotifier({
    ledger,
    channels: { email: { providers: [memoryProvider({ clock })] } },
    notifications: { order: { class: 'transactional', route: () => [], content: () => ({ subject: 'x' }) } },
  });
  return { notifier, ledger };
}

export async function acceptedIn(ledger: Ledger): Promise<number> {
  return (await ledger.count()).notifications.accepted;
}

const NEVER = 3_600_000;
const TRIES = 200;

/** Batch after batch, until it is so. */
async function until(relay: { once(): Promise<unknown> }, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    await relay.once();
    if (await isSo()) return;
  }
  throw new Error(`it was not so after ${TRIES} batches`);
}

export function testOutbox(name: string, makePlace: (context: TestContext) => Promise<Place>): void {
  const put = async ({ begin }: Place, ...events: readonly OutboxEvent[]): Promise<void> =>
    (await begin(...events)).commit();
  const relayOf = (options: Pick<OutboxRelayOptions, 'outbox' | 'notifier'> & Partial<OutboxRelayOptions>) =>
    outboxRelay({ leaseMs: NEVER, ...options });

  describe(name, () => {
    test.for<[what: string, event: object, code: string, words: RegExp]>([
      ['a function in its data', { data: { f: () => 1 } }, 'DATA_UNSERIALIZABLE', /data\.f is a function/],
      [
        'a recipient that JSON would change',
        { recipients: [{ to: 'a', n: NaN }] },
        'DATA_UNSERIALIZABLE',
        /recipients/,
      ],
      ['a misspelt option', { kee: 'k' }, 'OPTION_INVALID', /kee is not an option/],
      ['a transaction inside', { transaction: {} }, 'OPTION_INVALID', /first argument/],
      ['recipients that are read once', { recipients: new Set() }, 'OPTION_INVALID', /must be an array/],
    ])('refuses %s before the commit, as publish would', async ([, patch, code, words], context) => {
      const place = await makePlace(context);
      const adding = async (): Promise<unknown> => place.begin({ ...order('1'), ...patch });
      await context
        .expect(adding())
        .rejects.toMatchObject({ code, message: context.expect.stringMatching(words) as string });
    });

    test('publishes what was committed, and nothing that was rolled back', async (context) => {
      const { expect } = context;
      const place = await makePlace(context);
      const { notifier, ledger } = publisher();
      await put(place, order('1'), order('2'));
      await (await place.begin(order('3'))).rollback();
      const relay = relayOf({ outbox: place.outbox, notifier });
      expect(await relay.once()).toMatchObject({ leased: 2, accepted: 2, repeated: 0 });
      expect(await relay.once()).toMatchObject({ leased: 0 });
      expect(await acceptedIn(ledger)).toBe(2);
      expect(await place.outbox.count()).toEqual({ waiting: 0, setAside: 0, relayed: 2, oldestWaitingMs: 0 });
    });

    test('repeats harmlessly what was accepted and, by a crash, never marked', async (context) => {
      const { expect } = context;
      const place = await makePlace(context);
      const { notifier, ledger } = publisher();
      await put(place, order('1'), order('2'));
      const crash = (): Promise<never> => Promise.reject(new Error('killed'));
      const killed = relayOf({ outbox: { ...place.outbox, done: crash }, notifier, leaseMs: 1 });
      await expect(killed.once()).rejects.toThrow('killed');
      const relay = relayOf({ outbox: place.outbox, notifier });
      await until(relay, async () => (await place.outbox.count()).relayed === 2);
      expect(await acceptedIn(ledger)).toBe(2);
    });

    test('gives every row to one of two relays, and hears nobody whose lease is over', async (context) => {
      const { expect } = context;
      const place = await makePlace(context);
      const { notifier, ledger } = publisher();
      const events = Array.from({ length: 60 }, (_, i) => order(String(i)));
      await put(place, ...events);
      const relays = [1, 2].map(() => relayOf({ outbox: place.outbox, notifier, batch: 7 }));
      const sums = await Promise.all(
        relays.map(async (relay) => {
          const sum = { accepted: 0, repeated: 0 };
          for (let tries = 0; tries < 20; tries += 1) {
            const { accepted, repeated } = await relay.once();
            sum.accepted += accepted;
            sum.repeated += repeated;
          }
          return sum;
        }),
      );
      expect(sums.reduce((sum, { repeated }) => sum + repeated, 0)).toBe(0);
      expect(await acceptedIn(ledger)).toBe(60);

      await put(place, order('late'));
      const [stale] = await leasedOnce(place.outbox, 1);
      const [current] = await leasedOnce(place.outbox, NEVER);
      expect(await place.outbox.done([stale!])).toBe(0);
      await place.outbox.fail([{ ...stale!, reason: 'x', delayMs: null, isCounted: true }]);
      expect(await place.outbox.done([current!])).toBe(1);
    });

    test('sets a row aside that is refused again and again, lists it with its reason, and takes the others meanwhile', async (context) => {
      const { expect } = context;
      const place = await makePlace(context);
      const { notifier, ledger } = publisher();
      const told: OutboxEventTold[] = [];
      await put(place, order('1', 'ordr'), order('2'));
      const relay = relayOf({
        outbox: place.outbox,
        notifier,
        maxTries: 3,
        retryMs: 1,
        onEvent: (each) => told.push(each),
      });
      await relay.once();
      expect(await acceptedIn(ledger)).toBe(1);
      await until(relay, () => told.some(({ kind }) => kind === 'set-aside'));
      expect(told.map(({ kind }) => kind)).toEqual(['relayed', 'delayed', 'delayed', 'set-aside']);
      const [row] = await place.outbox.listSetAside();
      expect(row).toMatchObject({
        event: JSON.stringify(order('1', 'ordr')),
        reason: expect.stringMatching(/^TYPE_UNKNOWN: 'ordr'/) as string,
        tries: 3,
      });
      expect(await place.outbox.count()).toMatchObject({ waiting: 0, setAside: 1 });
      expect(await place.outbox.retry([row!.id, '999999'])).toBe(1);
      expect(await place.outbox.count()).toMatchObject({ waiting: 1, setAside: 0 });
    });

    test('sets aside what ends its relays, alone', async (context) => {
      const { expect } = context;
      const place = await makePlace(context);
      const { notifier, ledger } = publisher();
      await put(place, order('1'), order('poison'), order('3'));
      const publishMany: OutboxRelayOptions['notifier']['publishMany'] = (type, items) => {
        // What becomes of a process that dies: nothing is said to the outbox any more.
        if (items.some(({ key }) => key === 'poison')) throw new Killed();
        return notifier.publishMany(type as 'order', items as never);
      };
      const dying = (): OutboxStore => ({
        ...place.outbox,
        fail: (rows) =>
          rows.some(({ reason }) => reason.includes('killed')) ? Promise.reject(new Killed()) : place.outbox.fail(rows),
      });
      const relay = relayOf({ outbox: dying(), notifier: { publishMany }, maxTries: 3, leaseMs: 1 });
      const stubborn = { once: () => relay.once().catch(() => undefined) };
      await until(stubborn, async () => (await place.outbox.count()).setAside === 1);
      await until(stubborn, async () => (await place.outbox.count()).relayed === 2);
      expect(await acceptedIn(ledger)).toBe(2);
      expect(await place.outbox.listSetAside()).toMatchObject([
        {
          event: JSON.stringify(order('poison')),
          reason: expect.stringMatching(/^\d relays in a row ended/) as string,
        },
      ]);
    });

    test('costs no row a try while the ledger is out of reach', async (context) => {
      const { expect } = context;
      const place = await makePlace(context);
      const { notifier, ledger } = publisher();
      await put(place, order('1'));
      let outages = 0;
      const publishMany: OutboxRelayOptions['notifier']['publishMany'] = (type, items) => {
        if ((outages += 1) <= 5) throw new Error('the database is down');
        return notifier.publishMany(type as 'order', items as never);
      };
      const relay = relayOf({
        outbox: place.outbox,
        notifier: { publishMany },
        maxTries: 2,
        retryMs: 1,
        maxRetryMs: 1,
      });
      await until(relay, async () => (await acceptedIn(ledger)) === 1);
      expect(await place.outbox.count()).toMatchObject({ relayed: 1, setAside: 0 });
    });

    test('removes what was relayed long enough ago, a bounded number at a time', async (context) => {
      const { expect } = context;
      const place = await makePlace(context);
      await put(place, order('1'), order('2'), order('3'));
      await relayOf({ outbox: place.outbox, notifier: publisher().notifier }).once();
      expect(await place.outbox.clean({ olderThanMs: NEVER, max: 10 })).toBe(0);
      expect(await place.outbox.clean({ olderThanMs: 0, max: 2 })).toBe(2);
      expect(await place.outbox.count()).toMatchObject({ relayed: 1 });
    });

    test('runs until it is told to stop, and is woken', async (context) => {
      const { expect } = context;
      const place = await makePlace(context);
      const { notifier, ledger } = publisher();
      const stop = new AbortController();
      const relay = relayOf({
        outbox: place.outbox,
        notifier,
        pollMs: NEVER,
        onEvent: ({ kind }) => {
          if (kind === 'relayed') stop.abort();
        },
      });
      const running = relay.run({ signal: stop.signal });
      await put(place, order('1'));
      relay.wake();
      await running;
      expect(await acceptedIn(ledger)).toBe(1);
    });
  });
}

class Killed extends Error {
  constructor() {
    super('killed');
  }
}

/** The next row that is due, as soon as it is. */
async function leasedOnce(outbox: OutboxStore, leaseMs: number): ReturnType<OutboxStore['lease']> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const rows = await outbox.lease({ max: 1, leaseMs });
    if (rows.length > 0) return rows;
  }
  throw new Error('nothing is due');
}
