import { describe, expect, test } from 'vitest';
import { CLASSES_OF_END, type Violation } from '@sendonce/chaos';
import type { RealReport } from '@sendonce/chaos/processes';
import { realExitCode } from '../../src/real/run-real.ts';

type Ends = Partial<RealReport['result']['tally']>;

function report(end: RealReport['real']['end'], ends: Ends, invariants: readonly string[]): RealReport {
  const tally = { ...Object.fromEntries(CLASSES_OF_END.map((name) => [name, 0])), ...ends };
  const violations = invariants.map((invariant) => ({
    invariant,
    kind: invariant.startsWith('L') ? 'liveness' : 'safety',
  })) as Violation[];
  return {
    verdict: violations.length > 0 ? 'violation' : 'pass',
    interrupted: end === 'interrupted',
    nondeterminism: null,
    result: { tally, violations },
    real: { end },
  } as unknown as RealReport;
}

describe('the exit code of a real run', () => {
  const rows: readonly (readonly [RealReport['real']['end'], Ends, readonly string[], number])[] = [
    ['settled', { once: 2 }, [], 0],
    ['settled', { duplicated: 1 }, ['S1'], 1],
    ['settled', { lost: 1 }, ['END'], 1],
    ['settled', { recovered: 1 }, ['L2'], 3],
    // Nobody moves any more: whoever has nothing will never have anything.
    ['quiet', { lost: 1 }, ['L2'], 1],
    // It took too long: whoever has nothing may still get it.
    ['timeout', { lost: 1 }, ['L2'], 3],
    ['timeout', { duplicated: 1, lost: 1 }, ['L2', 'S1'], 1],
    ['interrupted', {}, [], 130],
  ];
  test.each(rows)('%s with %j and %j is %d', (end, ends, invariants, code) => {
    const given = report(end, ends, invariants);
    expect(realExitCode(given)).toBe(code);
  });
});
