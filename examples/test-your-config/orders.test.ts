import { createNotifier, type Notifier } from '@sendonce/core';
import { manualClock, memoryLedger, memoryProvider, seededRandom, type ManualClock } from '@sendonce/core/memory';
import { expect, test } from 'vitest';
import config from '../first-notifier/notify.config.ts';

// #region world
function world() {
  const clock = manualClock(Date.UTC(2026, 2, 1));
  const ledger = memoryLedger({ clock });
  const first = memoryProvider({ clock, name: 'first', model: 'keyed' });
  const second = memoryProvider({ clock, name: 'second', model: 'plain' });
  const channels = { email: { providers: [first, second] } };
  const notifier = createNotifier({ ...config, ledger, channels, clock, random: seededRandom('orders') });
  return { clock, first, second, notifier };
}

/** Lets a worker work for this long; no test waits for it. */
async function work(notifier: Notifier<typeof config.notifications>, clock: ManualClock, ms: number): Promise<void> {
  const stop = new AbortController();
  const running = notifier.worker().run({ signal: stop.signal });
  await clock.advance(ms);
  stop.abort();
  await clock.advance(10_000);
  await running;
}
// #endregion

const order = { id: 'o-17', contacts: [{ name: 'Ann', email: 'ann@example.com' }] };

// #region lost-reply
test('an order whose reply was lost is in the mailbox once', async () => {
  const { clock, first, second, notifier } = world();
  first.answerWith(({ nth }) =>
    nth === 1 ? { taken: true, reply: { kind: 'unknown', reason: 'connection reset' } } : undefined,
  );
  await notifier.publish('orderPlaced', order);
  await work(notifier, clock, 60_000);
  expect(first.mailbox).toHaveLength(1);
  expect(second.mailbox).toHaveLength(0);
  expect((await notifier.status()).deliveries.sent).toBe(1);
});
// #endregion

// #region down
test('an order goes to the second provider while the first is down', async () => {
  const { clock, first, second, notifier } = world();
  first.answerWith(() => ({ reply: { kind: 'not-sent', reason: 'connection refused' } }));
  await notifier.publish('orderPlaced', order);
  await work(notifier, clock, 60_000);
  expect(second.mailbox.map(({ to }) => to)).toEqual(['ann@example.com']);
});
// #endregion

// #region rejected
test('an order to a dead address ends as a dead letter with the provider’s reason', async () => {
  const { clock, first, notifier } = world();
  first.answerWith(() => ({ reply: { kind: 'rejected', scope: 'destination', reason: 'no such mailbox' } }));
  await notifier.publish('orderPlaced', order);
  await work(notifier, clock, 60_000);
  expect((await notifier.status()).deliveries.failed).toBe(1);
});
// #endregion
