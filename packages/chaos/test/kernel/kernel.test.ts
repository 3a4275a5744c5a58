import { describe, expect, test } from 'vitest';
import { begin, end, newProcess } from '../../src/kernel/process.ts';
import { toyWorld } from './toy.ts';

describe('the kernel', () => {
  test('lets all microtasks of an instant run before the next instant', async () => {
    const { run, at } = toyWorld();
    const seen: string[] = [];
    const hops = async (name: string): Promise<void> => {
      for (let hop = 0; hop < 50; hop++) await Promise.resolve();
      seen.push(name);
    };
    at(1, () => void hops('first'));
    at(2, () => seen.push('second'));
    expect(await run()).toBe('idle');
    expect(seen).toEqual(['first', 'second']);
  });

  test('runs entries of one instant by their rank', async () => {
    const { run, at } = toyWorld();
    const seen: number[] = [];
    for (const rank of [3, 1, 2]) at(4, () => seen.push(rank), rank);
    await run();
    expect(seen).toEqual([1, 2, 3]);
  });

  test('ends as soon as it is told to, at its last time, or at its last event', async () => {
    const tick = (kernel: ReturnType<typeof toyWorld>) => {
      const again = (): void => kernel.at(10, again);
      again();
    };
    const done = toyWorld();
    tick(done);
    expect(await done.run(() => done.kernel.now >= 50)).toBe('done');
    const late = toyWorld();
    tick(late);
    expect([await late.run(undefined, 100), late.kernel.now]).toEqual(['time', 100]);
    const busy = toyWorld();
    tick(busy);
    expect(await busy.kernel.run({ until: () => false, lastMs: () => Infinity, mostEvents: () => 7 })).toBe('events');
  });

  test('rejects with what an event threw', async () => {
    const { run, at } = toyWorld();
    at(1, () => {
      throw new Error('broken');
    });
    await expect(run()).rejects.toThrow('broken');
  });
});

describe('the clock of a process', () => {
  test('sleeps in virtual time and costs no real time', async () => {
    const { kernel, run, start, clock } = toyWorld();
    const woke: number[] = [];
    start('w1', async (life) => {
      await clock(life).sleep(86_400_000);
      woke.push(kernel.now);
    });
    await run(undefined, Infinity);
    expect(woke).toEqual([86_400_000]);
  });

  test('wakes at once when the signal aborts, and the sleep it left costs no instant', async () => {
    const { kernel, run, start, at, clock } = toyWorld();
    const stop = new AbortController();
    const woke: number[] = [];
    start('w1', async (life) => {
      await clock(life).sleep(60_000, stop.signal);
      woke.push(kernel.now);
    });
    at(5, () => stop.abort());
    await run();
    expect([woke, kernel.now]).toEqual([[5], 5]);
  });

  test('is skewed on the wall and never on the monotonic side', async () => {
    const { run, start, clock } = toyWorld();
    const seen: number[] = [];
    const process = newProcess('w1');
    process.skewMs = -40;
    start(
      'w1',
      async (life) => {
        await clock(life).sleep(100);
        seen.push(clock(life).now(), clock(life).monotonic());
      },
      process,
    );
    await run();
    expect(seen).toEqual([60, 100]);
  });

  test('never wakes a process that was killed, and runs nothing of its finally', async () => {
    const { run, start, at, clock } = toyWorld();
    const seen: string[] = [];
    const process = start('w1', async (life) => {
      try {
        await clock(life).sleep(100);
        seen.push('woke');
      } finally {
        seen.push('finally');
      }
    });
    at(50, () => end(process));
    await run();
    expect(seen).toEqual([]);
  });

  test('lets a paused process go on only when its pause is over', async () => {
    const { kernel, run, start, at, clock } = toyWorld();
    const woke: number[] = [];
    const process = start('w1', async (life) => {
      await clock(life).sleep(100);
      woke.push(kernel.now);
    });
    at(50, () => void (process.pausedUntil = 900));
    await run();
    expect(woke).toEqual([900]);
  });
});

describe('the randomness of a process', () => {
  test('repeats with the seed, name and epoch, and differs with any of them', async () => {
    const draws = (seed: number, name: string, starts: number): string => {
      const { random } = toyWorld(seed);
      const process = newProcess(name);
      for (let start = 1; start < starts; start++) begin(process);
      const port = random(begin(process));
      return `${port.next()} ${port.next()}`;
    };
    expect(draws(1, 'w1', 1)).toBe(draws(1, 'w1', 1));
    expect(new Set([draws(1, 'w1', 1), draws(2, 'w1', 1), draws(1, 'w2', 1), draws(1, 'w1', 2)]).size).toBe(4);
  });

  test('makes ids that no other start makes', () => {
    const { random } = toyWorld();
    const process = newProcess('w1');
    const first = random(begin(process));
    const ids = [first.id(), first.id(), random(begin(process)).id()];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,32}$/);
  });
});
