import { describe, expect, test } from 'vitest';
import { falsify, type PropertyOptions } from '../../src/search/property.ts';
import type { Case, Verdict } from '../../src/search/case.ts';
import { caseOf, failed, fault, numbersOf, PASSED } from './support.ts';

/** The 12th case, and each after it, has the fault that loses recipient 5, in noise. */
const caseAt = (n: number): Case => {
  const noise = Array.from({ length: n }, (_, at) => fault(`noise-${at}`));
  return { ...caseOf(n < 11 ? noise : [...noise, fault('A', { nth: 3 }), ...noise]), seed: `seed/${n}` };
};
const run = (of: Case): Promise<Verdict> =>
  Promise.resolve(
    of.faults.some((each) => each.do === 'A') && numbersOf(of).includes(5) ? failed('lost', of, [5]) : PASSED,
  );
const options = (changes: Partial<PropertyOptions> = {}): PropertyOptions => ({
  caseAt,
  run,
  cases: 50,
  over: () => false,
  shrinkMs: 10_000,
  nowMs: () => 0,
  ...changes,
});

describe('the search', () => {
  test('finds the first case that fails and makes it as small as it gets', async () => {
    const falsified = await falsify(options());
    expect(falsified?.found.seed).toBe('seed/11');
    expect(falsified?.smallest).toEqual({ ...caseOf([fault('A')], { recipients: [5], workers: 1 }), seed: 'seed/11' });
    expect(falsified?.verdict.failure).toBe('lost');
  });

  test('says nothing when every case holds, and runs them all in order', async () => {
    const seen: string[] = [];
    const result = await falsify(options({ cases: 11, run: (of) => run(of).finally(() => void seen.push(of.seed)) }));
    expect(result).toBeNull();
    expect(seen).toEqual(Array.from({ length: 11 }, (_, n) => `seed/${n}`));
  });

  test('begins no further case once it is over', async () => {
    let runs = 0;
    const result = await falsify(options({ over: () => runs >= 4, run: (of) => ((runs += 1), run(of)) }));
    expect([result, runs]).toEqual([null, 4]);
  });

  test('does not take another kind of failure for a smaller case', async () => {
    const other = async (of: Case): Promise<Verdict> => {
      const verdict = await run(of);
      return verdict.failure === null && of.faults.length < 20 && of.seed === 'seed/11'
        ? failed('duplicated', of)
        : verdict;
    };
    const falsified = await falsify(options({ run: other }));
    expect(falsified?.verdict.failure).toBe('lost');
    expect(falsified?.smallest.faults).toEqual([fault('A')]);
  });

  test('stops making it smaller when the time for that is up', async () => {
    let now = 0;
    const falsified = await falsify(options({ shrinkMs: 3, nowMs: () => now++ }));
    expect(falsified?.smallest.faults.length).toBeGreaterThan(1);
    expect(falsified?.verdict.failure).toBe('lost');
  });

  test('passes on what a run throws', async () => {
    await expect(falsify(options({ run: () => Promise.reject(new Error('the user’s own type')) }))).rejects.toThrow(
      'the user’s own type',
    );
  });
});
