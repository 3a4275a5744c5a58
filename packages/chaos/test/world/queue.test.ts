import type { ReceivedWake } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { begin, end, newProcess } from '../../src/kernel/process.ts';
import { SimulatedQueue } from '../../src/world/queue.ts';
import { toyWorld } from '../kernel/toy.ts';

const VISIBILITY_MS = 100;

function toyQueue() {
  const world = toyWorld();
  const queue = new SimulatedQueue(world.kernel, VISIBILITY_MS);
  const life = begin(newProcess('w1'));
  const receive = (max = 10, waitMs = 0) => Promise.resolve(queue.receive({ max, waitMs, cancelled: false }, life));
  const ids = async (max = 10, waitMs = 0): Promise<string[]> => (await receive(max, waitMs)).map(({ id }) => id);
  const enqueue = (...names: string[]) =>
    queue.enqueue(
      names.map((id) => ({ id })),
      0,
    );
  /** Runs the steps at their times, one after the other. */
  const script = async (steps: Readonly<Record<number, () => unknown>>): Promise<void> => {
    for (const [at, step] of Object.entries(steps)) world.at(Number(at), () => void step());
    await world.run();
  };
  return { ...world, queue, life, receive, ids, enqueue, script };
}

describe('the simulated queue', () => {
  test('hands out in order, hides what it handed out, and shows it again when it is not acked in time', async () => {
    const { ids, enqueue, script } = toyQueue();
    const seen: string[][] = [];
    await script({
      1: () => enqueue('a', 'b', 'c'),
      2: async () => seen.push(await ids(2)),
      3: async () => seen.push(await ids()),
      50: async () => seen.push(await ids()),
      104: async () => seen.push(await ids()),
    });
    expect(seen).toEqual([['a', 'b'], ['c'], [], ['a', 'b', 'c']]);
  });

  test('never hands out again what was acked, and counts receives of what was not', async () => {
    const { receive, queue, enqueue, script } = toyQueue();
    const seen: [string, number][] = [];
    const take = async (): Promise<readonly ReceivedWake[]> => {
      const wakes = await receive();
      for (const { id, receives } of wakes) seen.push([id, receives]);
      return wakes;
    };
    await script({
      1: () => enqueue('a', 'b'),
      2: async () => queue.ack((await take()).slice(0, 1)),
      200: take,
    });
    expect(seen).toEqual([
      ['a', 1],
      ['b', 1],
      ['b', 2],
    ]);
    expect(queue.depth).toBe(1);
  });

  test('ignores a receipt that a later receive made stale', async () => {
    const { receive, queue, enqueue, script } = toyQueue();
    const results: unknown[] = [];
    let first: readonly ReceivedWake[] = [];
    await script({
      1: () => enqueue('a'),
      2: async () => (first = await receive()),
      150: receive,
      160: () => results.push(queue.ack(first), queue.release(first, 0), queue.extend(first, 5)),
    });
    expect(results.flat()).toMatchObject([{ ok: false }, { ok: false }, { ok: false }]);
    expect(queue.depth).toBe(1);
  });

  test('shows what was released after its delay, and keeps what was extended', async () => {
    const { receive, ids, queue, enqueue, script } = toyQueue();
    const seen: string[][] = [];
    await script({
      1: () => enqueue('a', 'b'),
      2: async () => {
        const [a, b] = await receive();
        queue.release([a!], 20);
        queue.extend([b!], 500);
      },
      21: async () => seen.push(await ids()),
      23: async () => seen.push(await ids()),
      300: async () => seen.push(await ids()),
    });
    expect(seen).toEqual([[], ['a'], ['a']]);
  });

  test('lets a receive wait, until a message comes or its time is over', async () => {
    const { kernel, receive, enqueue, script } = toyQueue();
    const seen: unknown[] = [];
    const wait = async (ms: number): Promise<void> =>
      void seen.push([(await receive(10, ms)).map(({ id }) => id), kernel.now]);
    await script({
      1: () => wait(40),
      10: () => enqueue('a'),
      20: () => wait(40),
      21: () => wait(200),
      102: () => enqueue('b'),
    });
    expect(seen).toEqual([
      [['a'], 10],
      [[], 60],
      [['b'], 102],
    ]);
  });

  test('gives nothing to a waiting process that died or hung up', async () => {
    const { queue, life, enqueue, script } = toyQueue();
    const dead = { max: 10, waitMs: 500, cancelled: false };
    const other = begin(newProcess('w2'));
    const gone = { max: 10, waitMs: 500, cancelled: false };
    const seen: string[] = [];
    await script({
      1: () => queue.receive(dead, life),
      2: async () => seen.push(...(await queue.receive(gone, other)).map(({ id }) => id), 'hung up'),
      3: () => queue.hangUp(gone),
      4: () => end(life.process),
      5: () => enqueue('a'),
    });
    expect(seen).toEqual(['hung up']);
    expect([...queue.ids()]).toEqual(['a']);
  });

  test('can be made to redeliver, also what was acked, to reorder and to forget', async () => {
    const { receive, ids, queue, enqueue, script } = toyQueue();
    const seen: unknown[] = [];
    await script({
      1: () => enqueue('a', 'b', 'c'),
      2: () => queue.shuffle((index) => -index),
      3: async () => {
        const wakes = await receive(2);
        seen.push(wakes.map(({ id }) => id));
        queue.ack(wakes.slice(0, 1));
        queue.redeliver(wakes);
        seen.push(await ids());
        seen.push(queue.wipe(), queue.depth);
      },
      150: async () => seen.push(await ids()),
    });
    expect(seen).toEqual([['c', 'b'], ['a', 'c', 'b'], 3, 0, []]);
  });
});
