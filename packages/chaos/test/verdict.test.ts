import { describe, expect, test } from 'vitest';
import { runVerdict, type RunVerdict, type VerdictFacts } from '../src/verdict.ts';

const CALM: VerdictFacts = { hasTwoHistories: false, isBroken: false, interrupted: false, doubts: [] };

describe('the verdict of a run', () => {
  const cases: readonly (readonly [words: string, facts: Partial<VerdictFacts>, verdict: RunVerdict])[] = [
    ['that came to its end', {}, 'pass'],
    ['that doubts itself', { doubts: ['it never fired'] }, 'inconclusive'],
    ['that nobody waited for', { interrupted: true }, 'interrupted'],
    [
      'that nobody waited for, and that doubts itself',
      { interrupted: true, doubts: ['it never fired'] },
      'interrupted',
    ],
    ['that broke something', { isBroken: true, doubts: ['it never fired'] }, 'violation'],
    ['that broke something before it was interrupted', { isBroken: true, interrupted: true }, 'violation'],
    ['of two histories', { hasTwoHistories: true, isBroken: true, interrupted: true }, 'nondeterminism'],
  ];
  test.each(cases)('%s is what weighs most', (_words, facts, verdict) => {
    expect(runVerdict({ ...CALM, ...facts })).toBe(verdict);
  });

  test('is a pass for nothing but a run that came to its end without a doubt', () => {
    const flags = [false, true];
    const passes = flags.flatMap((hasTwoHistories) =>
      flags.flatMap((isBroken) =>
        flags.flatMap((interrupted) =>
          [[], ['a doubt']].filter(
            (doubts) => runVerdict({ hasTwoHistories, isBroken, interrupted, doubts }) === 'pass',
          ),
        ),
      ),
    );
    expect(passes).toEqual([[]]);
  });
});
