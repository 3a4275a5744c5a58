import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Lookup, NotificationType, NotifierConfig, Outcome, Provider } from '../../src/index.ts';
import { scripted } from '../support/providers.ts';
import { ODD_VALUES } from '../support/odd.ts';
import { world, type Order, type World } from '../support/world.ts';

/** Rejections that nobody handled: in a process of its own each of them would be the end of it. */
const unhandled: unknown[] = [];
const keep = (thrown: unknown): void => void unhandled.push(thrown);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', keep);
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterEach(() => {
  process.off('unhandledRejection', keep);
  vi.restoreAllMocks();
  expect(unhandled).toEqual([]);
});

type Odd = () => unknown;
interface Setting {
  readonly order?: Partial<NotificationType<Order>>;
  readonly config?: (made: World) => Partial<NotifierConfig>;
  /** What becomes of the order that meets it, and of the one beside it. */
  readonly odd: string;
}

const isBad = ({ id }: Order): boolean => id === 'bad';
const throwing = (odd: Odd) => (): never => {
  throw odd();
};

/** The second provider function gets what the first made of the message: only the bad order's. */
function provider(made: World, send: () => Promise<Outcome>, lookup: Lookup | 'none' = 'none'): Provider {
  return scripted(
    made.clock,
    async (nth, { content }) =>
      content['subject'] === 'bad' ? send() : { kind: 'accepted', providerMessageId: `m-${nth}` },
    { lookup },
  );
}

const providersOf = (each: Provider): Partial<NotifierConfig> => ({ channels: { email: { providers: [each] } } });

/** Each place in which code that is not ours runs inside the worker. */
const PLACES: readonly [place: string, make: (odd: Odd) => Setting][] = [
  ['content', (odd) => ({ order: { content: (order) => (isBad(order) ? throwing(odd)() : {}) }, odd: 'failed' })],
  [
    'content, later',
    (odd) => ({ order: { content: async (order) => (isBad(order) ? throwing(odd)() : {}) }, odd: 'failed' }),
  ],
  ['route', (odd) => ({ order: { route: (order) => (isBad(order) ? throwing(odd)() : to()) }, odd: 'none' })],
  [
    'route, later',
    (odd) => ({ order: { route: async (order) => (isBad(order) ? throwing(odd)() : to()) }, odd: 'none' }),
  ],
  [
    'route, while it is read',
    (odd) => ({
      order: {
        route: async function* (order) {
          yield* to();
          if (isBad(order)) throw odd();
        },
      },
      odd: 'none',
    }),
  ],
  [
    'provider.send',
    (odd) => ({ config: (made) => providersOf(provider(made, async () => throwing(odd)())), odd: 'parked' }),
  ],
  [
    'provider.send, at once',
    (odd) => ({
      config: (made) => providersOf({ ...provider(made, throwing(odd)), send: sendOf(odd) }),
      odd: 'parked',
    }),
  ],
  [
    'provider.lookup',
    (odd) => ({
      config: (made) => {
        const lookup = { kind: 'authoritative', settleMs: 0, horizonMs: 600_000, find: throwing(odd) } as const;
        return providersOf(provider(made, async () => ({ kind: 'unknown', reason: 'reset' }), lookup));
      },
      odd: 'parked',
    }),
  ],
  ['telemetry', (odd) => ({ config: () => ({ telemetry: [{ emit: throwing(odd) }] }), odd: 'sent' })],
  [
    'an alert sink',
    (odd) => ({
      order: { content: (order) => (isBad(order) ? throwing(() => new Error('bad'))() : {}) },
      config: () => ({ alerts: [{ send: throwing(odd), close: throwing(odd) }] }),
      odd: 'failed',
    }),
  ],
];

function to(): { channel: 'email'; to: string }[] {
  return [{ channel: 'email', to: 'p0@example.org' }];
}

/** Not an async function: it throws instead of rejecting. */
function sendOf(odd: Odd): Provider['send'] {
  return ({ content }) => {
    if (content['subject'] === 'bad') throw odd();
    return Promise.resolve({ kind: 'accepted', providerMessageId: 'm' });
  };
}

describe.each(PLACES)('what %s throws', (_place, make) => {
  test.each(ODD_VALUES)('is met, whatever it is: $what', async ({ make: odd }) => {
    const { order = {}, config, odd: state } = make(odd);
    const made = world({ order: { content: ({ id }) => ({ subject: id }), ...order } });
    // One slot: whoever keeps it keeps everybody.
    const worker = made.start({ worker: { concurrency: 1, batch: 1 }, config: config?.(made) ?? {} });
    await made.notifier.publish('order', { id: 'bad', people: 1 });
    await made.notifier.publish('order', { id: 'good', people: 1 });
    await made.until('the good one is sent', async () => ((await made.states()).sent ?? 0) >= 1, 120_000);
    await made.untilDone(3_600_000);
    expect(await made.states()).toEqual(
      state === 'none' ? { sent: 1 } : state === 'sent' ? { sent: 2 } : { sent: 1, [state]: 1 },
    );
    const { notifications } = await made.notifier.status();
    expect(notifications.failed).toBe(state === 'none' ? 1 : 0);
    await made.advance(60_000);
    expect(worker.healthy).toBe(true);
    for (const { reason } of await made.deliveries()) expect(reason?.length ?? 0).toBeLessThanOrEqual(350);
    worker.stop();
    await made.advance(10_000);
    expect(worker.ended).toBe(true);
  });
});
