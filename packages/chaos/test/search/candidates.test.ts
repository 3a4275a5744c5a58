import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { candidates, lengths } from '../../src/search/candidates.ts';
import { recipientCount, type Case } from '../../src/search/case.ts';
import { caseOf, failed, fault, numbersOf, SETUP } from './support.ts';

const all = (of: Case, involved: readonly number[] = []): Case[] => [...candidates(of, failed('lost', of, involved))];
const names = ({ faults }: Case): string => faults.map((each) => each.do).join('');

describe('the candidates for a smaller case', () => {
  test('begin with the faults that fired, when some did not', () => {
    const of = caseOf(['a', 'b', 'c'].map((name) => fault(name)));
    const [first] = candidates(of, { failure: 'lost', fired: [true, false, true], involved: [] });
    expect(first && names(first)).toBe('ac');
  });

  test('leave out halves, then quarters, then single faults', () => {
    const of = caseOf(
      ['a', 'b', 'c', 'd'].map((name) => fault(name)),
      { recipients: [0], workers: 1 },
    );
    expect(all(of).slice(0, 6).map(names)).toEqual(['cd', 'ab', 'bcd', 'acd', 'abd', 'abc']);
  });

  test('keep the recipients that something happened to, by their numbers', () => {
    const of = caseOf([fault('a', { entity: 'r77' })], { workers: 1 });
    const sets = all(of, [120]).flatMap(({ setup: { recipients } }) =>
      typeof recipients === 'number' ? [] : [recipients],
    );
    expect(sets.slice(0, 3)).toEqual([[77], [77, 120], [0, 77, 120]]);
  });

  test('leave a worker over for each that is gone', () => {
    const workers = (of: Case): number[] =>
      all(of)
        .map(({ setup }) => setup.workers)
        .filter((each) => each < 4);
    expect(workers(caseOf([]))).toEqual([1, 2, 3]);
    expect(workers(caseOf([fault('gone', { entity: 'w1' }), fault('gone', { entity: 'w2' })]))).toEqual([3]);
  });

  const simpler: readonly (readonly [words: string, from: Parameters<typeof fault>[1], to: object])[] = [
    ['shorter', { ms: 90_000 }, { ms: 1_000 }],
    ['half as large', { amount: 9 }, { amount: 5 }],
    ['earlier', { nth: 7 }, { nth: 1 }],
  ];
  test.each(simpler)('make a fault %s', (_words, from, to) => {
    const of = caseOf([fault('a', from)], { recipients: [0], workers: 1 });
    expect(all(of).map(({ faults }) => faults[0])).toContainEqual(fault('a', { ...from, ...to }));
  });

  test('never give a fault a number that a plan may not have', () => {
    const two = { ...fault('duplicate', { amount: 2 }), op: 'queue.receive' } as const;
    const amounts = all(caseOf([two])).flatMap(({ faults }) =>
      faults.map((each) => ('amount' in each ? each.amount : null)),
    );
    expect(amounts.filter((amount) => amount !== 2)).toEqual([]);
    const many = all(caseOf([{ ...two, amount: 3 }])).flatMap(({ faults }) =>
      faults.map((each) => ('amount' in each ? each.amount : null)),
    );
    expect(many).toContain(2);
  });

  test('try lengths just under and over each lease and window that was set', () => {
    const of = caseOf([], { knobs: { leaseMs: 5_000, keyWindowMs: 180_000 } });
    expect(lengths(of)).toEqual([1_000, 4_999, 6_000, 179_999, 181_000]);
  });

  test('are smaller in one way each, never larger, and end', () => {
    const entity = fc.oneof(
      fc.nat({ max: 299 }).map((n) => `r${n}`),
      fc.constantFrom('*', 'w1', 'producer'),
    );
    const faults = fc.array(
      fc.record({
        do: fc.constantFrom('kill', 'gone', 'slow'),
        op: fc.constant('ledger.mark'),
        entity,
        nth: fc.integer({ min: 1, max: 9 }),
        phase: fc.constant('A' as const),
        ms: fc.integer({ min: 1, max: 100_000 }),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(
        faults,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 5 }),
        (plan, recipients, workers) => {
          const of = caseOf(plan, { recipients, workers });
          for (const each of all(of)) {
            expect(size(each)).toBeLessThan(size(of));
            expect(numbersOf(each).every((number) => number < recipients)).toBe(true);
            expect(new Set(numbersOf(each)).size).toBe(recipientCount(each.setup));
            expect(each.setup.workers).toBeGreaterThanOrEqual(1);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** Of everything that a candidate may lessen. */
function size({ faults, setup }: Case): number {
  const ofFault = (each: object): number =>
    Object.values(each).reduce<number>((sum, value) => sum + (typeof value === 'number' ? value : 0), 1);
  return (
    faults.reduce((sum, each) => sum + ofFault(each), 0) + recipientCount(setup) + setup.workers + SETUP.concurrency
  );
}
