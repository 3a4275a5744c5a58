import { createNotifier } from '@sendonce/core';
import { manualClock, memoryLedger, memoryProvider, seededRandom } from '@sendonce/core/memory';
import { describe, expect, test } from 'vitest';
import config from '../first-notifier/notify.config.ts';
import { runFor } from '../support/run-for.ts';
import {
  announce,
  orderStored,
  ordersImported,
  orderWithdrawn,
  publishOrSay,
  remindAt,
  unsubscribed,
} from './publish.ts';

const START = Date.UTC(2026, 2, 1);
const MINUTE = 60_000;

function world() {
  const clock = manualClock(START);
  const provider = memoryProvider({ clock });
  const parts = { ledger: memoryLedger({ clock }), channels: { email: { providers: [provider] } } };
  return { clock, provider, notifier: createNotifier({ ...config, ...parts, clock, random: seededRandom('publish') }) };
}

const orderOf = (n: number) => ({ id: `o-${n}`, contacts: [{ name: 'Ann', email: 'Ann@Example.com' }] });

describe('publishing from your code', () => {
  test('stores an order once, however often it is published', async () => {
    const { notifier } = world();
    const id = await orderStored(notifier, orderOf(1));
    expect(await orderStored(notifier, orderOf(1))).toBe(id);
    expect((await notifier.status()).notifications.accepted).toBe(1);
  });

  test('sends a reminder not before its time', async () => {
    const { clock, notifier, provider } = world();
    await remindAt(notifier, orderOf(1), new Date(START + 8 * MINUTE));
    await runFor(notifier, clock, 7 * MINUTE);
    expect(provider.mailbox).toHaveLength(0);
    await runFor(notifier, clock, 2 * MINUTE);
    expect(provider.mailbox).toHaveLength(1);
  });

  test('stores the good orders of a batch with a bad one, and says what is wrong with that', async () => {
    const { notifier } = world();
    const bad = { id: '', contacts: orderOf(2).contacts };
    expect(await ordersImported(notifier, [orderOf(1), bad, orderOf(3)])).toEqual([expect.stringContaining('id')]);
    expect((await notifier.status()).notifications.accepted).toBe(2);
  });

  test('announces to everybody on a list that is read once', async () => {
    const { clock, notifier, provider } = world();
    const people = (async function* () {
      for (let i = 0; i < 1_200; i += 1) yield { email: `p${i}@example.com` };
    })();
    await announce(notifier, people);
    await runFor(notifier, clock, 60_000);
    expect(new Set(provider.mailbox.map(({ to }) => to)).size).toBe(1_200);
    expect(provider.mailbox).toHaveLength(1_200);
  });

  test('names a conflict', async () => {
    const { notifier } = world();
    expect(await publishOrSay(notifier, orderOf(1))).toBe('accepted');
    const other = { id: 'o-1', contacts: [{ name: 'Bob', email: 'bob@example.com' }] };
    expect(await publishOrSay(notifier, other)).toBe('another order has this id');
  });

  test('cancels what has not left', async () => {
    const { clock, notifier, provider } = world();
    const id = await orderStored(notifier, orderOf(1));
    expect(await orderWithdrawn(notifier, id, 'clerk@example.com')).toEqual([]);
    await runFor(notifier, clock, 60_000);
    expect(provider.mailbox).toHaveLength(0);
  });

  test('sends nothing to whoever opted out while it was queued', async () => {
    const { clock, notifier, provider } = world();
    await orderStored(notifier, orderOf(1));
    await unsubscribed(notifier, 'Ann@Example.com');
    await runFor(notifier, clock, 60_000);
    expect(provider.mailbox).toHaveLength(0);
    expect((await notifier.status()).deliveries.suppressed).toBe(1);
  });
});
