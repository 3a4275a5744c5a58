import { notificationId, type ForgetVerdict, type Ledger, type ReplayVerdict } from '@sendonce/core';
import { expect, test } from 'vitest';
import { claimed, type RacePlace } from './races.ts';
import { expanded, markOf, settleOf } from './support.ts';

const NOTE = { by: 'anna', why: 'a test' };
export const idOf = (key: string): string => notificationId('default', 'order', key);

/** What is settled is old enough at once. */
export function forgetNow(ledger: Ledger, keys: readonly string[]): Promise<readonly ForgetVerdict[]> {
  return ledger.forget(keys.map((key) => ({ id: idOf(key), settledForMs: 0 })));
}

/** A notification of one delivery, a dead letter; answers the delivery. */
export async function letter(ledger: Ledger, key: string): Promise<string> {
  const [id = ''] = await expanded(ledger, 1, key);
  const fence = await claimed(ledger, id, `claim-${key}`);
  await ledger.mark([markOf(id, fence)]);
  const next = { kind: 'failed', reason: 'no such mailbox' } as const;
  const outcome = { kind: 'rejected', scope: 'destination', reason: 'no such mailbox' } as const;
  await ledger.settle([{ ...settleOf(id, fence), outcome, next }]);
  return id;
}

async function replay(ledger: Ledger, id: string): Promise<ReplayVerdict | undefined> {
  const [verdict] = await ledger.replay([{ id, forced: false, automatic: false, ...NOTE }]);
  return verdict;
}

/** What forgets, and what would bring something back, must not miss each other though both had looked already. */
export function testForgetting(make: () => Promise<RacePlace>): void {
  test('a replay of what was forgotten meanwhile makes nothing', async () => {
    const { open, interrupted } = await make();
    const other = open();
    const id = await letter(other, 'k1');
    const slow = interrupted(() => forgetNow(other, ['k1']));
    expect(await replay(slow, id)).toEqual({ kind: 'absent' });
    const { deliveries, forgotten } = await other.count();
    expect([deliveries.queued, deliveries.failed, forgotten]).toEqual([0, 0, 1]);
  });

  test('a forget of what is sent again meanwhile forgets nothing', async () => {
    const { open, interrupted } = await make();
    const other = open();
    const id = await letter(other, 'k1');
    const slow = interrupted(() => replay(other, id));
    expect(await forgetNow(slow, ['k1'])).toMatchObject([{ kind: 'open' }]);
    const { deliveries, forgotten } = await other.count();
    expect([deliveries.queued, deliveries.failed, forgotten]).toEqual([1, 1, 0]);
  });

  test('an event about what was forgotten meanwhile is kept', async () => {
    const { open, interrupted } = await make();
    const other = open();
    const id = await letter(other, 'k1');
    const slow = interrupted(() => forgetNow(other, ['k1']));
    const event = { deliveryId: id, provider: 'first', providerMessageId: 'm', kind: 'accepted' } as const;
    expect(await slow.record([{ ...event, at: 0, detail: null }])).toEqual([{ kind: 'kept' }]);
    expect(await other.find([id])).toEqual([null]);
  });

  test('two that forget the same both say so, and it is counted once', async () => {
    const { open, interrupted } = await make();
    const other = open();
    await letter(other, 'k1');
    const slow = interrupted(() => forgetNow(other, ['k1']));
    const [verdict] = await forgetNow(slow, ['k1']);
    expect(verdict?.kind).toBe('forgotten');
    const { notifications, forgotten } = await other.count();
    expect([notifications.done, forgotten]).toEqual([0, 1]);
  });

  test('eight that forget and eight that replay come to one end for each', async () => {
    const { open } = await make();
    const first = open();
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
    const ids: string[] = [];
    for (const key of keys) ids.push(await letter(first, key));
    const replayed = new Set<string>();
    const forgotten = new Set<string>();
    await Promise.all(
      Array.from({ length: 16 }, async (_, w) => {
        const ledger = open();
        // From both ends, so that they meet in the middle.
        const order = w % 2 === 0 ? keys : keys.toReversed();
        for (const key of order)
          if (w % 2 === 0) {
            const [verdict] = await forgetNow(ledger, [key]);
            if (verdict?.kind === 'forgotten') forgotten.add(key);
          } else if ((await replay(ledger, ids[keys.indexOf(key)] ?? ''))?.kind === 'replayed') replayed.add(key);
      }),
    );
    expect(forgotten.size + replayed.size).toBe(40);
    expect([...forgotten].filter((key) => replayed.has(key))).toEqual([]);
    const counts = await first.count();
    expect([counts.forgotten, counts.deliveries.queued]).toEqual([forgotten.size, replayed.size]);
  });
}
