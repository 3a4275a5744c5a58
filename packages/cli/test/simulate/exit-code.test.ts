import type { Violation } from '@sendonce/chaos';
import { describe, expect, test } from 'vitest';
import { selfTestExitCode, simulateExitCode } from '../../src/simulate/exit-code.ts';

type Tally = Outcome['result']['tally'];
type Outcome = Parameters<typeof simulateExitCode>[0];

const violation = (kind: Violation['kind']): Violation => ({
  invariant: 'X',
  kind,
  at: 0,
  recipient: null,
  deliveryId: null,
  message: '',
});
const outcome = (
  verdict: Outcome['verdict'],
  kinds: readonly Violation['kind'][] = [],
  more: Partial<Outcome> = {},
  tally: Partial<Tally> = {},
): Outcome => ({
  verdict,
  result: {
    violations: kinds.map(violation),
    tally: { lost: 0, duplicated: 0, phantom: 0, ...tally },
  } as unknown as Outcome['result'],
  interrupted: false,
  ...more,
});

describe('the exit code', () => {
  const cases: readonly [words: string, report: Outcome, code: number][] = [
    ['of a pass', outcome('pass'), 0],
    ['of a safety violation', outcome('violation', ['safety']), 1],
    ['of a liveness violation', outcome('violation', ['liveness']), 3],
    ['of a liveness violation that lost somebody', outcome('violation', ['liveness'], {}, { lost: 1 }), 1],
    ['of a liveness violation that wrote twice', outcome('violation', ['liveness'], {}, { duplicated: 1 }), 1],
    ['of a liveness violation with a phantom', outcome('violation', ['liveness'], {}, { phantom: 1 }), 1],
    ['of both', outcome('violation', ['liveness', 'safety']), 1],
    ['of an inconclusive run', outcome('inconclusive'), 4],
    ['of a nondeterministic run', outcome('nondeterminism'), 5],
    ['of a nondeterministic run that broke a promise', outcome('nondeterminism', ['safety']), 5],
    ['of an interrupted run', outcome('interrupted', [], { interrupted: true }), 130],
    ['of an interrupted run that had broken a promise', outcome('violation', ['safety'], { interrupted: true }), 130],
  ];
  test.each(cases)('%s is its own', (_words, report, code) => {
    expect(simulateExitCode(report)).toBe(code);
  });

  test.each([
    [true, false, 0],
    [false, false, 6],
    [false, true, 130],
  ])('of a self-test that passed: %s, interrupted: %s is %i', (passed, interrupted, code) => {
    expect(selfTestExitCode({ passed, interrupted })).toBe(code);
  });
});
