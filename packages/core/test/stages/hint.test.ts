import { expect, test } from 'vitest';
import { manualClock } from '../../src/memory/index.ts';
import type { Queue } from '../../src/index.ts';
import { hintEach } from '../../src/stages/hint.ts';

/** What a queue is told: ids with the delay that they are stored with. `fails`: it takes none. */
async function told(delays: readonly number[], { fails = false, maxDelayMs = 900_000 } = {}) {
  const calls: [delayMs: number, ids: readonly string[]][] = [];
  const queue = {
    capabilities: { maxBatch: 10, maxDelayMs },
    enqueue(wakes: readonly { id: string }[], { delayMs }: { delayMs: number }) {
      calls.push([delayMs, wakes.map(({ id }) => id)]);
      return fails ? Promise.reject(new Error('no')) : Promise.resolve(wakes.map(() => ({ ok: true })));
    },
  } as unknown as Queue;
  await hintEach(
    { clock: manualClock() },
    queue,
    delays.map((delayMs) => ({ id: `d${delayMs}`, delayMs })),
  );
  return calls;
}

test.each<[string, readonly number[], readonly [number, readonly string[]][]]>([
  ['nothing', [], []],
  ['one', [5], [[5, ['d5']]]],
  ['at once and a little later', [100, 0], [[100, ['d0', 'd100']]]],
  [
    'near and far',
    [900, 0, 60],
    [
      [60, ['d0', 'd60']],
      [900, ['d900']],
    ],
  ],
  [
    'a tenth apart',
    [5_000, 5_500, 5_501],
    [
      [5_500, ['d5000', 'd5500']],
      [5_501, ['d5501']],
    ],
  ],
  [
    'more than a second apart, however long both wait',
    [600_000, 601_000, 601_001],
    [
      [601_000, ['d600000', 'd601000']],
      [601_001, ['d601001']],
    ],
  ],
])('a wake comes when its record is due or a little later, never before: %s', async (_, delays, calls) => {
  expect(await told(delays)).toEqual(calls);
});

test('a queue that takes none is asked once', async () => {
  expect(await told([0, 1_000, 2_000], { fails: true })).toHaveLength(1);
});

test('what a queue cannot delay for so long is left to the ledger', async () => {
  expect(await told([0, 5_000, 20_000], { maxDelayMs: 10_000 })).toEqual([
    [0, ['d0']],
    [5_000, ['d5000']],
  ]);
});
