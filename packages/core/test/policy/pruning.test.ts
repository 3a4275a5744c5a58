import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTooMuch, sumOf, tallied, type Tally } from '../../src/policy/pruning.ts';

const SETTINGS = { share: 0.2, least: 10, windowMs: 60_000 };

describe('so many dead destinations are', () => {
  test.each([
    ['few', 9, 0, false],
    ['as many as count, and all of them', 10, 0, true],
    ['just the share', 10, 40, false],
    ['one more than the share', 11, 40, true],
    ['many among many more', 1_000, 100_000, false],
    ['none', 0, 0, false],
  ])('believed or not: %s', (_, dead, accepted, isStopped) => {
    expect(isTooMuch({ dead, accepted }, SETTINGS)).toBe(isStopped);
  });

  test('too much from the first one on, with a share of 0, and never with a share of 1', () => {
    expect(isTooMuch({ dead: 1, accepted: 1_000 }, { share: 0, least: 1 } as never)).toBe(true);
    expect(isTooMuch({ dead: 1_000, accepted: 0 }, { share: 1, least: 1 } as never)).toBe(false);
  });
});

describe('a tally', () => {
  test('forgets what is older than its window, and nothing younger, to a twelfth of it', () => {
    let tally: Tally = tallied([], { dead: 5, accepted: 1 }, 100_000, SETTINGS);
    tally = tallied(tally, { dead: 1, accepted: 1 }, 150_000, SETTINGS);
    expect(sumOf(tally)).toEqual({ dead: 6, accepted: 2 });
    expect(sumOf(tallied(tally, { dead: 0, accepted: 0 }, 165_000, SETTINGS))).toEqual({ dead: 1, accepted: 1 });
    expect(sumOf(tallied(tally, { dead: 0, accepted: 0 }, 215_000, SETTINGS))).toEqual({ dead: 0, accepted: 0 });
  });

  test('stays small, and counts all of the window, however often it is added to', () => {
    const steps = fc.array(fc.tuple(fc.nat({ max: 10_000 }), fc.nat({ max: 5 }), fc.nat({ max: 5 })), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(steps, (all) => {
        let [now, tally] = [1_000_000, [] as Tally];
        const heard: { at: number; dead: number }[] = [];
        for (const [waitMs, dead, accepted] of all) {
          now += waitMs;
          heard.push({ at: now, dead });
          tally = tallied(tally, { dead, accepted }, now, SETTINGS);
          expect(tally.length).toBeLessThanOrEqual(13);
          const within = (ms: number): number =>
            heard.filter(({ at }) => at > now - ms).reduce((sum, each) => sum + each.dead, 0);
          const { dead: counted } = sumOf(tally);
          expect(counted).toBeGreaterThanOrEqual(within(SETTINGS.windowMs - SETTINGS.windowMs / 12));
          expect(counted).toBeLessThanOrEqual(within(SETTINGS.windowMs));
        }
      }),
    );
  });
});
