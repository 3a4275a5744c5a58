import { describe, expect, test } from 'vitest';
import type { Case, Verdict } from '../../src/search/case.ts';
import { explain } from '../../src/search/explain.ts';
import { caseOf, failed, fault, PASSED } from './support.ts';

const duration = (ms: number): string => `${ms} ms`;
const minimal = caseOf([fault('A', { entity: 'w1', ms: 5_000 })], { recipients: [0], workers: 2 });
const sentences = (
  holds: (of: Case) => boolean,
  of: Case = minimal,
  outOfTime = (): boolean => false,
): Promise<readonly string[]> => {
  const run = (each: Case): Promise<Verdict> => Promise.resolve(holds(each) ? failed('lost', each) : PASSED);
  return explain(of, 'lost', { run, outOfTime, duration });
};
const first = (of: Case) => of.faults[0] as ReturnType<typeof fault>;

describe('the explanation of a minimal case', () => {
  test('says what may vary, when everything may', async () => {
    expect(await sentences(() => true)).toEqual([
      'any seed',
      'any number of workers up to 4',
      'the fault: any length of at least 5000 ms',
      'the fault: any worker',
    ]);
  });

  const cases: readonly (readonly [words: string, holds: (of: Case) => boolean, missing: string])[] = [
    ['the seed', ({ seed }) => seed === minimal.seed, 'any seed'],
    ['the number of workers', ({ setup }) => setup.workers >= 2, 'any number of workers up to 4'],
    ['a length', (of) => (first(of).ms ?? 0) < 20_000, 'the fault: any length of at least 5000 ms'],
    ['the worker', (of) => first(of).entity === 'w1', 'the fault: any worker'],
  ];
  test.each(cases)('is silent about %s where that matters', async (_words, holds, missing) => {
    const said = await sentences(holds);
    expect(said).not.toContain(missing);
    expect(said).toHaveLength(3);
  });

  test('speaks of any recipient where one is left, and numbers the faults where there are more', async () => {
    const two = caseOf([fault('A', { entity: 'r7' }), fault('B', { ms: 9 })], { recipients: [7] });
    expect(await sentences(() => true, two)).toEqual([
      'any seed',
      'any number of workers up to 4',
      'fault 1: any recipient',
      'fault 2: any length of at least 9 ms',
    ]);
  });

  test('takes no other failure for the same', async () => {
    const run = (each: Case): Promise<Verdict> => Promise.resolve(failed('duplicated', each));
    expect(await explain(minimal, 'lost', { run, outOfTime: () => false, duration })).toEqual([]);
  });

  test('claims nothing that there was no time to run', async () => {
    expect(
      await sentences(
        () => true,
        minimal,
        () => true,
      ),
    ).toEqual([]);
  });
});
