import type { Ledger } from '@sendonce/core';
import { memoryLedger } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';
import { describe, expect, test } from 'vitest';
import { carryOut } from '../../src/operate/replay/carry-out.ts';
import { makePlan } from '../../src/operate/replay/make-plan.ts';
import type { ReplayResult } from '../../src/operate/replay/report.ts';
import type { ReplayFlags } from '../../src/operate/flags.ts';
import { parseRequest } from '../../src/operate/replay/request.ts';
import { all, DOWN, people, shop } from './support/shop.ts';

/** A ledger with so many dead letters. */
async function deadLedger(count: number): Promise<Ledger> {
  const ledger = memoryLedger({ clock });
  const { notifier, work } = shop(ledger, () => DOWN);
  await notifier.publish('news', {}, { key: 'k', recipients: people('reader', count) });
  await work();
  return ledger;
}

async function replay(
  ledger: Ledger,
  flags: ReplayFlags,
  { ids = [], between = async () => {} }: { ids?: readonly string[]; between?: () => Promise<void> } = {},
): Promise<{ result: ReplayResult | null; chosen: number; calls: number }> {
  const asked = parseRequest(flags, ids, clock.now());
  const { signal } = new AbortController();
  const planned = await makePlan(ledger, asked, { now: clock.now, signal, read: () => {} });
  await between();
  const { notifier } = shop(ledger, () => DOWN);
  let result: ReplayResult | null = null;
  let calls = 0;
  const counting = {
    ...notifier,
    replay: (...args: Parameters<typeof notifier.replay>) => (calls++, notifier.replay(...args)),
  };
  await carryOut(asked, planned, {
    ledger,
    notifier: counting,
    now: clock.now,
    signal,
    told: (each) => (result = each),
  });
  return { result, chosen: planned.plan.chosen, calls };
}

describe('carrying out a plan', () => {
  test('goes through all of them in batches, none twice, while the list grows behind it', async () => {
    const ledger = await deadLedger(1_050);
    const { result, chosen, calls } = await replay(ledger, {});
    expect({ chosen, replayed: result?.replayed, calls }).toEqual({ chosen: 1_050, replayed: 1_050, calls: 11 });
    const made = (await all(ledger)).filter(({ generation }) => generation === 1);
    expect(new Set(made.map(({ replaces }) => replaces)).size).toBe(1_050);
  });

  test('leaves alone what died after the plan, or a provider that is still down would keep it for ever', async () => {
    const ledger = await deadLedger(3);
    const between = async (): Promise<void> => {
      await clock.sleep(5);
      const { notifier, work } = shop(ledger, () => DOWN);
      await notifier.publish('news', {}, { key: 'later', recipients: people('later', 2) });
      await work();
    };
    const { result } = await replay(ledger, {}, { between });
    expect(result).toMatchObject({ replayed: 3, refused: [] });
  });

  test('counts what another run took between plan and deed', async () => {
    const ledger = await deadLedger(5);
    const between = async (): Promise<void> => void (await replay(ledger, { limit: '2' }));
    const { result } = await replay(ledger, {}, { between });
    expect(result).toMatchObject({ replayed: 3, elsewhere: 2 });
  });

  test('takes a notification for all of its deliveries, and at most the limit of them', async () => {
    const ledger = await deadLedger(5);
    const [{ notificationId } = { notificationId: '' }] = await all(ledger);
    const { result } = await replay(ledger, { limit: '4' }, { ids: [notificationId] });
    expect(result?.replayed).toBe(4);
  });

  test('keeps with each new delivery who asked, why, and whether it was forced', async () => {
    const ledger = await deadLedger(1);
    await replay(ledger, { force: true, by: 'anna', note: 'certain' });
    const made = (await all(ledger)).find(({ generation }) => generation === 1);
    expect(made).toMatchObject({ forced: true, operator: { by: 'anna', why: 'certain' } });
  });
});
