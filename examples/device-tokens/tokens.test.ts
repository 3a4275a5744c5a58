import { createNotifier } from '@sendonce/core';
import { destinationLaws, runLaws } from '@sendonce/core/conformance';
import { manualClock, memoryDestinations, memoryLedger, memoryProvider, seededRandom } from '@sendonce/core/memory';
import { expect, test } from 'vitest';
import { runFor } from '../support/run-for.ts';
import { appStarted, config, deadDevices, importSuppressions, loggedOut } from './tokens.ts';

function shop() {
  const clock = manualClock(Date.UTC(2026, 2, 1));
  const destinations = memoryDestinations({ clock });
  const push = memoryProvider({ clock, name: 'push' });
  const notifier = createNotifier({
    ...config(memoryLedger({ clock }), destinations, push),
    clock,
    random: seededRandom('tokens'),
  });
  return {
    clock,
    destinations,
    push,
    ship: async (order: string, customer: string): Promise<readonly string[]> => {
      const before = push.mailbox.length;
      await notifier.publish('shipped', { order, customer });
      await runFor(notifier, clock, 10_000);
      return push.mailbox.slice(before).map(({ to }) => to);
    },
  };
}

test('a customer is told on every device, until that is passed on, logged out or dead', async () => {
  const { clock, destinations, push, ship } = shop();
  const start = async (customer: string, installation: string, token: string): Promise<void> => {
    await appStarted(destinations, { customer, installation, token });
    await clock.advance(1_000);
  };
  await start('ann', 'phone', 't1');
  await start('ann', 'tablet', 't2');
  expect(await ship('o1', 'ann')).toEqual(['t1', 't2']);
  await start('ann', 'phone', 't3');
  expect(await ship('o2', 'ann')).toEqual(['t3', 't2']);
  await start('bob', 'tablet', 't2');
  expect(await ship('o3', 'ann')).toEqual(['t3']);
  push.answerWith(({ message: { to } }) =>
    to === 't3' ? { reply: { kind: 'rejected', scope: 'destination', reason: 'Unregistered' } } : undefined,
  );
  expect(await ship('o4', 'ann')).toEqual([]);
  const dead = [];
  for await (const each of deadDevices(destinations)) dead.push(each);
  expect(dead).toMatchObject([{ address: 't3', reason: 'push: Unregistered', evidence: [{ by: 'push' }] }]);
  await loggedOut(destinations, 'bob', 'tablet');
  expect(await ship('o5', 'bob')).toEqual([]);
});

test('an imported list is suppressed once', async () => {
  const { destinations } = shop();
  const rows = Array.from({ length: 2_500 }, (_, i) => ({
    email: `p${i}@example.org`,
    why: 'bounced',
    at: new Date(0),
  }));
  expect(await importSuppressions(destinations, rows)).toBe(2_500);
  expect(await importSuppressions(destinations, rows)).toBe(0);
});

test('the laws of your own store are run like this', async () => {
  // #region laws
  const results = await runLaws(destinationLaws, () => {
    const clock = manualClock(Date.UTC(2026, 0, 1));
    const destinations = memoryDestinations({ clock }); // yours, new and empty each time
    const elapse = (ms: number): Promise<void> => clock.advance(ms); // or wait
    return { destinations, capabilities: {}, unitMs: 1_000, elapse, close: () => destinations.close() };
  });
  expect(results.filter(({ kind }) => kind === 'broken')).toEqual([]);
  // #endregion
});
