import { describe, expect, test } from 'vitest';
import { createNotifier, defineConfig, notification } from '../src/index.ts';
import { manualClock, memoryLedger, memoryProvider, memoryQueue, seededRandom } from '../src/memory/index.ts';

const ROUTES = [
  { name: 'without a queue', queued: false },
  { name: 'with a queue', queued: true },
];

describe.each(ROUTES)('a notifier $name', ({ queued }) => {
  test('publishes, routes, fans out, delivers and settles every recipient once', async () => {
    const clock = manualClock(1_000_000);
    const ledger = memoryLedger({ clock });
    const provider = memoryProvider({ name: 'p0', model: 'keyed', clock });
    const config = defineConfig({
      ledger,
      ...(queued ? { queue: memoryQueue({ clock }) } : {}),
      channels: { email: { providers: [provider] } },
      notifications: {
        order: notification<{ id: string; people: number }>({
          class: 'transactional',
          key: (order) => order.id,
          route: (order) =>
            Array.from({ length: order.people }, (_, i) => ({
              channel: 'email' as const,
              to: `p${i}@example.org`,
              name: `P${i}`,
            })),
          content: (order, target) => ({ subject: `Order ${order.id}`, text: `Hello ${String(target.data['name'])}` }),
        }),
      },
      clock,
      random: seededRandom(1),
    });
    const notifier = createNotifier(config);
    const { id } = await notifier.publish('order', { id: 'o-1', people: 120 });
    const stop = new AbortController();
    const running = notifier.worker({ concurrency: 16, batch: 8 }).run({ signal: stop.signal });
    for (let i = 0; i < 400 && (await notifier.status()).notifications.done === 0; i += 1) await clock.advance(100);
    stop.abort();
    await clock.advance(20_000);
    await running;
    const status = await notifier.status();
    expect(status.deliveries.sent).toBe(120);
    expect(status.notifications.done).toBe(1);
    expect(new Set(provider.mailbox.map((item) => item.to)).size).toBe(120);
    expect(provider.mailbox).toHaveLength(120);
    expect(await notifier.publish('order', { id: 'o-1', people: 120 })).toMatchObject({ kind: 'repeated', id });
    await expect(notifier.publish('order', { id: 'o-1', people: 5 })).rejects.toMatchObject({
      code: 'NOTIFICATION_CONFLICT',
    });
    await notifier.close();
  });
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no'))],
] as const)('closing goes on with all other parts when one of them %s, and then says so', async (_how, close) => {
  const clock = manualClock(1_000_000);
  let ledgersClosed = 0;
  const ledger = { ...memoryLedger({ clock }), close: async () => void (ledgersClosed += 1) };
  const provider = { ...memoryProvider({ clock }), close };
  const notifier = createNotifier({ ledger, channels: { email: { providers: [provider] } }, notifications: {}, clock });
  await expect(notifier.close()).rejects.toThrow('no');
  expect(ledgersClosed).toBe(1);
});
