import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storeClock } from '../../src/internal/ahead/store-clock.ts';

const EPOCH = 1_700_000_000_000;

describe('the reckoned clock of a store', () => {
  test('is never ahead of the store, and behind by no more than its best answer took, on clocks that drift', () => {
    const way = fc.double({ min: 0, max: 100, noNaN: true });
    const asked = fc.record({ gap: fc.integer({ min: 0, max: 5_000 }), there: way, back: way });
    fc.assert(
      fc.property(
        fc.array(asked, { minLength: 1, maxLength: 20 }),
        fc.double({ min: -0.000_3, max: 0.000_3, noNaN: true }),
        (all, drift) => {
          let here = 0;
          const store = (): number => EPOCH + here * (1 + drift);
          const clock = storeClock(() => here);
          let shortest = Infinity;
          for (const { gap, there, back } of all) {
            here += gap;
            const askedAt = here;
            here += there;
            const storeMs = Math.floor(store());
            here += back;
            clock.sample(storeMs, askedAt);
            shortest = Math.min(shortest, there + back);
            const reckoned = clock.atLeast() ?? 0;
            expect(reckoned).toBeLessThanOrEqual(store());
            // What an answer took, what two clocks may differ by in the age of one, and the parts of a millisecond.
            if (shortest > 0 && here < 30_000) expect(reckoned).toBeGreaterThan(store() - shortest - here * 0.001 - 3);
          }
        },
      ),
    );
  });

  test.for([
    ['forth', 60_000],
    ['back', -60_000],
  ] as const)('believes the store again, once somebody has set its clock %s', ([, by]) => {
    let here = 0;
    const clock = storeClock(() => here);
    clock.sample(EPOCH, 0);
    here = 1_000;
    clock.sample(EPOCH + 1_000 + by, 990);
    expect(clock.atLeast()).toBe(EPOCH + 1_000 + by);
  });

  test('says nothing before the first answer, nor from one that took long', () => {
    let here = 0;
    const clock = storeClock(() => here);
    expect(clock.atLeast()).toBe(null);
    here = 900;
    clock.sample(EPOCH, 0);
    expect(clock.atLeast()).toBe(null);
  });
});
