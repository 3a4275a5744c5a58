import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shrink } from '../../src/search/shrink.ts';
import { recipientCount, type Case, type Verdict } from '../../src/search/case.ts';
import { caseOf, failed, fault, numbersOf, PASSED } from './support.ts';

const noise = (count: number) =>
  Array.from({ length: count }, (_, n) => fault(`noise-${n}`, { entity: `r${n}`, nth: 3, ms: 50_000 }));
const has = (of: Case, name: string): boolean => of.faults.some((each) => each.do === name);

/** A world in which faults A and B together lose recipient 17, and fault C alone sends twice. */
function planted(of: Case): Verdict {
  const there = numbersOf(of).includes(17);
  if (there && has(of, 'A') && has(of, 'B')) return failed('lost', of, [17]);
  return has(of, 'C') ? failed('duplicated', of, [3]) : PASSED;
}

const options = { run: (of: Case) => Promise.resolve(planted(of)), outOfTime: () => false };

describe('shrinking', () => {
  test('finds the two faults and the one recipient that matter', async () => {
    const found = caseOf([...noise(9), fault('A', { nth: 4, ms: 90_000 }), ...noise(12), fault('B', { amount: 50 })]);
    const { smallest, verdict } = await shrink(found, planted(found), options);
    expect(smallest.faults).toEqual([fault('A', { nth: 1, ms: 1_000 }), fault('B', { amount: 1 })]);
    expect(smallest.setup).toMatchObject({ recipients: [17], workers: 1 });
    expect(verdict).toEqual(failed('lost', smallest, [17]));
  });

  test('keeps the kind of failure, though a smaller case fails in another way', async () => {
    const found = caseOf([fault('C'), fault('A'), fault('B')]);
    const { smallest } = await shrink(found, planted(found), options);
    expect(smallest.faults.map((each) => each.do)).toEqual(['A', 'B']);
  });

  test('finds out that no fault is needed', async () => {
    const found = caseOf(noise(5));
    const { smallest } = await shrink(found, failed('lost', found), {
      ...options,
      run: (of) => Promise.resolve(failed('lost', of)),
    });
    expect(smallest.faults).toEqual([]);
    expect([recipientCount(smallest.setup), smallest.setup.workers]).toEqual([1, 1]);
  });

  test('gives what it has when time is up', async () => {
    let left = 3;
    const found = caseOf([...noise(30), fault('A'), fault('B')]);
    const { runs, smallest } = await shrink(found, planted(found), { ...options, outOfTime: () => left-- <= 0 });
    expect(runs).toBeLessThanOrEqual(3);
    expect(planted(smallest).failure).toBe('lost');
  });

  test('finds any planted pair in any noise, in the same steps each time', async () => {
    const size = fc.integer({ min: 0, max: 25 });
    await fc.assert(
      fc.asyncProperty(size, size, size, async (before, between, after) => {
        const faults = [...noise(before), fault('A'), ...noise(between), fault('B'), ...noise(after)];
        const found = caseOf(faults);
        const first = await shrink(found, planted(found), options);
        expect(first.smallest.faults).toEqual([fault('A'), fault('B')]);
        expect(await shrink(found, planted(found), options)).toEqual(first);
      }),
      { numRuns: 60 },
    );
  });
});
