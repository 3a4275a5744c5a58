import { describe, expect, test } from 'vitest';
import { clockLaws, randomLaws } from '../../src/conformance/index.ts';
import { manualClock, seededRandom } from '../../src/memory/index.ts';
import { testLaws } from '../conformance/support/laws.ts';

testLaws('the manual clock', clockLaws, () => {
  const clock = manualClock(1_700_000_000_000);
  return { clock, capabilities: {}, unitMs: 1_000, elapse: (ms) => clock.advance(ms), close: async () => {} };
});

testLaws('seeded randomness', randomLaws, () => ({
  random: seededRandom('laws'),
  capabilities: {},
  unitMs: 1,
  elapse: async () => {},
  close: async () => {},
}));

describe('the manual clock', () => {
  test('wakes sleepers of one moment in the order in which they went to sleep', async () => {
    const clock = manualClock();
    const order: number[] = [];
    for (const name of [1, 2, 3]) void clock.sleep(5).then(() => order.push(name));
    await clock.advance(5);
    expect(order).toEqual([1, 2, 3]);
  });

  test('shows each sleeper its own moment', async () => {
    const clock = manualClock(100);
    const seen: number[] = [];
    for (const ms of [30, 10, 20]) void clock.sleep(ms).then(() => seen.push(clock.now()));
    await clock.advance(1_000);
    expect(seen).toEqual([110, 120, 130]);
    expect(clock.now()).toBe(1_100);
  });

  test('steps the wall clock without moving the monotonic one or waking anybody', async () => {
    const clock = manualClock(1_000);
    void clock.sleep(10);
    clock.step(-500);
    expect([clock.now(), clock.monotonic(), clock.sleepers()]).toEqual([500, 0, 1]);
  });

  test('lets a chain of awaits finish before the next sleeper wakes', async () => {
    const clock = manualClock();
    const order: string[] = [];
    void clock.sleep(1).then(async () => {
      for (let i = 0; i < 20; i += 1) await Promise.resolve();
      order.push('first, twenty turns later');
    });
    void clock.sleep(2).then(() => order.push('second'));
    await clock.advance(2);
    expect(order).toEqual(['first, twenty turns later', 'second']);
  });
});

describe('seeded randomness', () => {
  test('is the same again for the same seed, and another for another', () => {
    const draw = (seed: string) => {
      const random = seededRandom(seed);
      return [random.next(), random.next(), random.id()];
    };
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });
});
