import { setImmediate as turn } from 'node:timers/promises';
import type { Ledger } from '@sendonce/core';
import { expect, test } from 'vitest';
import { expanded, LEASE, markOf, settleOf } from './support.ts';

/** One ledger that many may open. */
export interface RacePlace {
  readonly open: () => Ledger;
  /** Does this between the reading and the writing of its call. */
  readonly interrupted: (between: () => unknown) => Ledger;
}

export const byIds = (ids: readonly string[]) => ({ ids, agesMs: ids.map(() => 0), strayAfterMs: 60_000 });
export const lease = (requestId: string, owner = 'w1') => ({ ...LEASE, owner, requestId });

/** The first recipient of `expanded` wants no more. */
export const optOut = {
  tenant: 'default',
  recipientId: 'someone-0@example.com',
  topic: 'order',
  channel: '*',
  suppressed: true,
  by: 'they',
  why: 'enough',
} as const;

export async function claimed(ledger: Ledger, id: string, requestId = 'r1'): Promise<number> {
  const [verdict] = await ledger.claim(byIds([id]), { ...lease(requestId), leaseMs: 120_000 });
  if (verdict?.kind !== 'granted') throw new Error(`not granted: ${verdict?.kind}`);
  return verdict.fence;
}

/** The same order for the same seed. */
export function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const keyed = items.map((item, i) => [((i + 1) * 7_919 * seed) % 1_009, item] as const);
  return keyed.toSorted(([a], [b]) => a - b).map(([, item]) => item);
}

/** What every ledger that reads before it writes has to see, though it had looked already. */
export function testLookedAlready(make: () => Promise<RacePlace>): void {
  test('a claim that another worker makes is the only one', async () => {
    const { open, interrupted } = await make();
    const other = open();
    const [id = ''] = await expanded(other, 1);
    const slow = interrupted(() => claimed(other, id, 'quick'));
    expect(await slow.claim(byIds([id]), lease('slow', 'w2'))).toMatchObject([{ kind: 'held' }]);
  });

  test('an opt-out is seen by the mark that had looked already', async () => {
    const { open, interrupted } = await make();
    const other = open();
    const [id = ''] = await expanded(other, 1);
    const fence = await claimed(other, id);
    let told: unknown;
    const slow = interrupted(async () => (told = await other.suppress([optOut])));
    expect(await slow.mark([markOf(id, fence)])).toMatchObject([{ kind: 'suppressed' }]);
    expect(told).toEqual([{ tooLate: [] }]);
  });

  test('a mark is named by the opt-out that had looked already', async () => {
    const { open, interrupted } = await make();
    const other = open();
    const [id = ''] = await expanded(other, 1);
    const fence = await claimed(other, id);
    const slow = interrupted(() => other.mark([markOf(id, fence)]));
    expect(await slow.suppress([optOut])).toEqual([{ tooLate: [id] }]);
  });
}

/** `after`: what else has to be true of the server then. */
export function testSixteen(
  make: () => Promise<RacePlace>,
  after: () => Promise<void> = () => Promise.resolve(),
): void {
  test('sixteen with overlapping batches in orders of their own are granted each delivery once, without a deadlock', async () => {
    const { open } = await make();
    const first = open();
    const ids = await expanded(first, 320);
    const granted: string[] = [];
    await Promise.all(
      Array.from({ length: 16 }, async (_, w) => {
        const ledger = open();
        const mine = shuffled(ids, w + 1);
        for (let from = 0; from < mine.length; from += 40) {
          const verdicts = await ledger.claim(byIds(mine.slice(from, from + 40)), lease(`${w}-${from}`, `w${w}`));
          for (const verdict of verdicts) if (verdict.kind === 'granted') granted.push(verdict.id);
        }
      }),
    );
    expect(granted.toSorted()).toEqual(ids.toSorted());
    const held = (await first.find(ids)).map((record) => ({ id: record?.id ?? '', fence: record?.fence ?? 0 }));
    const renewing = Array.from({ length: 16 }, (_, w) => open().renew(shuffled(held, w + 1), 30_000));
    for (const verdicts of await Promise.all(renewing)) expect(verdicts.every(({ kind }) => kind === 'ok')).toBe(true);
    await after();
  });

  test('sixteen that take what is due send each delivery once, and the notification is done', async () => {
    const { open } = await make();
    const first = open();
    const ids = await expanded(first, 300);
    const sent: string[] = [];
    await Promise.all(
      Array.from({ length: 16 }, async (_, w) => {
        const ledger = open();
        for (let round = 0; ; round += 1) {
          const verdicts = await ledger.claim({ due: 10, lateMs: 0 }, lease(`${w}-${round}`, `w${w}`));
          const held = verdicts.flatMap((each) => (each.kind === 'granted' ? [each] : []));
          if (held.length === 0) return;
          const marks = await ledger.mark(held.map(({ id, fence }) => markOf(id, fence)));
          for (const mark of marks) if (mark.kind === 'go') sent.push(mark.id);
          await ledger.settle(held.map(({ id, fence }) => settleOf(id, fence)));
          await turn();
        }
      }),
    );
    expect(sent.toSorted()).toEqual(ids.toSorted());
    const { deliveries, notifications } = await first.count();
    expect([deliveries.sent, notifications.done]).toEqual([300, 1]);
  });
}
