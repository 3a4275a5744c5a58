import { describe, expect, test } from 'vitest';
import { inShares } from '../../src/stages/in-shares.ts';
import { Places } from '../../src/worker/places.ts';
import { expectHonest } from '../support/audit.ts';
import { world } from '../support/world.ts';

describe('the places for notifications', () => {
  test('double while all are taken by small ones, up to a bound', () => {
    const places = new Places(500);
    const counts = [places.count];
    for (let i = 0; i < 5; i += 1) {
      places.worked(places.count, places.count);
      counts.push(places.count);
    }
    expect(counts).toEqual([20, 40, 80, 160, 200, 200]);
  });

  test('stay as they are when not all are taken, and are twenty again once many deliveries come of few', () => {
    const places = new Places(500);
    places.worked(20, 20);
    places.worked(39, 39);
    expect(places.count).toBe(40);
    places.worked(40, 401);
    expect(places.count).toBe(20);
  });

  test.each([
    [1, 200],
    [1_000, 100],
    [5_000, 20],
    [10_000, 20],
  ])('with pages of up to %i targets are %i at most: all might turn out to be large', (chunk, most) => {
    const places = new Places(chunk);
    for (let i = 0; i < 10; i += 1) places.worked(places.count, 0);
    expect(places.count).toBe(most);
  });
});

describe('the shares of one call', () => {
  test.each<[string, readonly number[], readonly (readonly number[])[]]>([
    ['none', [], []],
    ['a few small ones', [1, 2, 3], [[1, 2, 3]]],
    ['as many as fit', [100, 100, 1], [[100, 100], [1]]],
    ['one that is larger than all', [1, 500, 1], [[1], [500], [1]]],
  ])('of %s keep the order and lose nobody', (_, counts, shares) => {
    expect([...inShares(counts, 200, (count) => count)]).toEqual(shares);
  });
});

/** How many notifications each claim brought, and how many deliveries each call of `add` made. */
async function worked(count: number, people: number): Promise<{ claimed: number[]; added: number[] }> {
  const made = world({ queue: false });
  const claimed: number[] = [];
  const added: number[] = [];
  for (let i = 0; i < count; i += 1) await made.notifier.publish('order', { id: `o-${i}`, people });
  made.start({
    worker: { concurrency: 1_000, batch: 1_000, chunk: 10 },
    async hook({ on, args }, go) {
      const answer = await go();
      if (on === 'ledger.claimNotifications') claimed.push((answer as readonly unknown[]).length);
      if (on === 'ledger.add')
        added.push(
          (args[0] as { deliveries: unknown[] }[]).reduce((sum, { deliveries }) => sum + deliveries.length, 0),
        );
      return answer;
    },
  });
  await made.untilDone();
  await expectHonest(made, count * people);
  return { claimed, added };
}

describe('a worker', () => {
  test('takes hundreds of small notifications at once', async () => {
    const { claimed } = await worked(1_000, 1);
    expect(claimed.filter((granted) => granted > 0).slice(0, 5)).toEqual([20, 40, 80, 160, 200]);
  });

  test('never adds more deliveries in one call than twenty pages have, whatever it holds', async () => {
    const { claimed, added } = await worked(300, 10);
    expect(Math.max(...claimed)).toBeGreaterThan(20);
    expect(Math.max(...added)).toBe(200);
  });
});
