import { describe, expect, test } from 'vitest';
import { queueLaws, type QueueSubject } from '../../src/conformance/index.ts';
import { manualClock, memoryQueue, type MemoryQueueOptions } from '../../src/memory/index.ts';
import { testLaws } from '../conformance/support/laws.ts';

const UNIT_MS = 1_000;

function subject(options: Omit<MemoryQueueOptions, 'clock'> = {}): QueueSubject {
  const clock = manualClock(1_700_000_000_000);
  const queue = memoryQueue({ clock, visibilityMs: 10 * UNIT_MS, ...options });
  return {
    queue,
    capabilities: { ...queue.capabilities },
    unitMs: UNIT_MS,
    elapse: (ms) => clock.advance(ms),
    close: () => queue.close(),
  };
}

testLaws('the memory queue', queueLaws, () => subject());
testLaws('the memory queue without delays, in batches of 10', queueLaws, () =>
  subject({ maxDelayMs: 0, maxBatch: 10 }),
);

describe('the memory queue', () => {
  test('hands out first what came first', async () => {
    const { queue } = subject();
    await queue.enqueue([{ id: 'd_1' }, { id: 'd_2' }]);
    await queue.enqueue([{ id: 'd_3' }]);
    const wakes = await queue.receive({ max: 10, waitMs: 0 });
    expect(wakes.map(({ id }) => id)).toEqual(['d_1', 'd_2', 'd_3']);
  });

  test('hands a message to a waiting receiver at the moment it comes', async () => {
    const clock = manualClock();
    const queue = memoryQueue({ clock });
    const waiting = queue.receive({ max: 1, waitMs: 60_000 });
    await clock.advance(10);
    await queue.enqueue([{ id: 'd_1' }]);
    expect((await waiting).map(({ id }) => id)).toEqual(['d_1']);
    expect(clock.sleepers()).toBe(0);
  });

  test('wakes a waiting receiver when a hidden message comes back', async () => {
    const clock = manualClock();
    const queue = memoryQueue({ clock, visibilityMs: 1_000 });
    await queue.enqueue([{ id: 'd_1' }]);
    await queue.receive({ max: 1, waitMs: 0 });
    const waiting = queue.receive({ max: 1, waitMs: 60_000 });
    await clock.advance(1_000);
    expect((await waiting)[0]?.receives).toBe(2);
  });

  test('forgets everything when it is wiped', async () => {
    const { queue, elapse } = subject();
    const wipe = memoryQueue({ clock: manualClock() });
    await wipe.enqueue([{ id: 'd_1' }, { id: 'd_2' }]);
    await wipe.receive({ max: 1, waitMs: 0 });
    expect(wipe.wipe()).toBe(2);
    expect(await wipe.receive({ max: 10, waitMs: 0 })).toEqual([]);
    expect(await wipe.depth()).toBe(0);
    await elapse(0);
    await queue.close();
  });

  test('ends the wait of its receivers when it closes', async () => {
    const { queue } = subject();
    const waiting = queue.receive({ max: 1, waitMs: 60_000 });
    await queue.close();
    expect(await waiting).toEqual([]);
  });

  test('refuses a batch larger than it declares', async () => {
    const { queue } = subject({ maxBatch: 2 });
    await expect(queue.enqueue([{ id: 'a' }, { id: 'b' }, { id: 'c' }])).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  test('refuses a visibility of nothing', () => {
    expect(() => memoryQueue({ clock: manualClock(), visibilityMs: 0 })).toThrow(
      'visibilityMs must be 1 or more, got 0',
    );
  });
});
