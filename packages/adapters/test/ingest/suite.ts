import { createNotifier, type Ledger, type Notifier } from '@sendonce/core';
import { manualClock, memoryLedger, memoryProvider } from '@sendonce/core/memory';
import { describe, test, type TestContext } from 'vitest';
import {
  ingest,
  type Handled,
  type Ingest,
  type IngestEvent,
  type IngestOptions,
  type RawMessages,
} from '../../src/ingest/events.ts';

/** A queue of others on a real server, and what its owner can do with it. */
export interface Place {
  /** Another reader of the same queue. */
  open(): RawMessages;
  put(...bodies: readonly string[]): Promise<void>;
  /** What was set aside. */
  dead(): Promise<readonly { readonly body: string; readonly reason: string }[]>;
}

export interface Order {
  readonly id: string;
  readonly total?: number;
}

export const order = (id: string, rest: object = {}): string => JSON.stringify({ id, ...rest });

interface Publisher {
  readonly notifier: Notifier;
  readonly ledger: Ledger;
  /** From now on the ledger is out of reach, or no longer. */
  outage(isOut: boolean): void;
}

export function publisher(): Publisher {
  const clock = manualClock();
  const ledger = memoryLedger({ clock });
  let isOut = false;
  const notifier = createNotifier({
    ledger: {
      ...ledger,
      accept: async (...args) => {
        if (isOut) throw new Error('the database is down');
        return ledger.accept(...args);
      },
    },
    channels: { email: { providers: [memoryProvider({ clock })] } },
    notifications: { order: { class: 'transactional', route: () => [], content: () => ({ subject: 'x' }) } },
  });
  return { notifier, ledger, outage: (now) => void (isOut = now) };
}

/** A message is the data of an order; one with a `type` is of that type. */
export const mapOrder: IngestOptions['map'] = ({ body }) => {
  const { type = 'order', ...data } = JSON.parse(body) as Order & { type?: string };
  return { type, key: data.id, data };
};

export async function acceptedIn(ledger: Ledger): Promise<number> {
  return (await ledger.count()).notifications.accepted;
}

const WAIT = { waitMs: 500 };
const TRIES = 40;

/** Batch after batch, until it is so. */
async function until(reader: Ingest, isSo: (handled: Handled) => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) if (await isSo(await reader.once(WAIT))) return;
  throw new Error(`it was not so after ${TRIES} batches`);
}

const NOTHING: Handled = { accepted: 0, repeated: 0, ignored: 0, rejected: [], delayed: [] };

export function testIngest(name: string, makePlace: () => Promise<Place>): void {
  const opened = (place: Place, { onTestFinished }: TestContext): RawMessages => {
    const messages = place.open();
    onTestFinished(() => messages.close());
    return messages;
  };

  describe.concurrent(name, () => {
    test('publishes what others put there, a repeat once, and acks it', async (context) => {
      const { expect } = context;
      const place = await makePlace();
      const { notifier, ledger } = publisher();
      await place.put(order('1'), order('2'), order('1'));
      const messages = opened(place, context);
      const reader = ingest({ notifier, messages, map: mapOrder });
      const sum = { accepted: 0, repeated: 0 };
      await until(reader, ({ accepted, repeated }) => {
        sum.accepted += accepted;
        sum.repeated += repeated;
        return sum.accepted + sum.repeated >= 3;
      });
      expect([sum, await acceptedIn(ledger)]).toEqual([{ accepted: 2, repeated: 1 }, 2]);
      await messages.close();
      const next = ingest({ notifier, messages: opened(place, context), map: mapOrder });
      expect((await next.once()).repeated).toBe(0);
    });

    test('sets aside with its reason what nobody can do anything with, and takes the rest', async (context) => {
      const { expect } = context;
      const place = await makePlace();
      const { notifier, ledger } = publisher();
      const events: IngestEvent[] = [];
      await place.put('no json', order('1', { type: 'ordr' }), order('2'));
      const reader = ingest({
        notifier,
        messages: opened(place, context),
        map: mapOrder,
        onEvent: (each) => events.push(each),
      });
      const rejected = (): number => events.filter(({ kind }) => kind === 'rejected').length;
      await until(reader, async () => rejected() >= 2 && (await acceptedIn(ledger)) >= 1);
      await place.put(order('2', { total: 5 }), order('3'));
      await until(reader, async () => rejected() >= 3 && (await acceptedIn(ledger)) >= 2);
      const dead = [...(await place.dead())].sort((a, b) => a.body.localeCompare(b.body));
      expect(dead).toEqual([
        { body: order('1', { type: 'ordr' }), reason: expect.stringMatching(/^TYPE_UNKNOWN: 'ordr'/) as string },
        { body: order('2', { total: 5 }), reason: expect.stringMatching(/^NOTIFICATION_CONFLICT: /) as string },
        { body: 'no json', reason: expect.stringMatching(/^it cannot be mapped: SyntaxError: /) as string },
      ]);
      expect((await reader.once()).rejected).toEqual([]);
    });

    test('lets come again what fails for a reason that passes', async (context) => {
      const { expect } = context;
      const place = await makePlace();
      const { notifier, ledger, outage } = publisher();
      await place.put(order('1'));
      const reader = ingest({ notifier, messages: opened(place, context), map: mapOrder, retryMs: 50 });
      outage(true);
      await until(reader, ({ delayed }) => delayed.length > 0);
      outage(false);
      await until(reader, ({ accepted }) => accepted > 0);
      expect(await acceptedIn(ledger)).toBe(1);
      expect(await place.dead()).toEqual([]);
    });

    test('repeats harmlessly what was accepted and, by a crash, never acked', async (context) => {
      const { expect } = context;
      const place = await makePlace();
      const { notifier, ledger } = publisher();
      await place.put(order('1'));
      const messages = opened(place, context);
      const crash = (): Promise<never> => Promise.reject(new Error('killed'));
      const first = ingest({ notifier, messages: { ...messages, ack: crash }, map: mapOrder });
      const isCrashed = { so: false };
      const crashing: Ingest = {
        ...first,
        once: (options) => first.once(options).catch(() => (isCrashed.so = true) && NOTHING),
      };
      await until(crashing, () => isCrashed.so);
      await messages.close();
      const second = ingest({ notifier, messages: opened(place, context), map: mapOrder });
      await until(second, ({ repeated }) => repeated > 0);
      expect(await acceptedIn(ledger)).toBe(1);
    });

    test('ends when it is told to, after what it has in hand', async (context) => {
      const { expect } = context;
      const place = await makePlace();
      const { notifier, ledger } = publisher();
      const stop = new AbortController();
      const onEvent = ({ kind }: IngestEvent): void => {
        if (kind === 'taken') stop.abort();
      };
      const running = ingest({ notifier, messages: opened(place, context), map: mapOrder, onEvent }).run({
        signal: stop.signal,
      });
      await place.put(order('1'));
      await running;
      expect(await acceptedIn(ledger)).toBe(1);
    });

    test('gives up the wait for messages when it is told to', async (context) => {
      const { expect } = context;
      const place = await makePlace();
      const stop = new AbortController();
      const { notifier } = publisher();
      const messages = opened(place, context);
      const receive: RawMessages['receive'] = (options) => {
        setImmediate(() => stop.abort());
        return messages.receive(options);
      };
      const began = performance.now();
      await ingest({ notifier, messages: { ...messages, receive }, map: mapOrder }).run({ signal: stop.signal });
      // It would wait for 20 s.
      expect(performance.now() - began).toBeLessThan(10_000);
    });
  });
}
