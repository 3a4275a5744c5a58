import type { Move } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import type { RealFacts, Recovery } from '../../src/processes/facts.ts';
import { tooLate } from '../../src/processes/real-report.ts';
import { recoveryOf } from '../../src/processes/recovery.ts';

const kill = { worker: 'w2', pid: 1, startedAt: 100, at: 1_000 };

function story(...moves: readonly (readonly [at: number, to: Move['to'], by: string])[]): readonly Move[] {
  return moves.map(([at, to, by]) => ({ at, from: null, to, by, fence: 1, note: null }));
}

describe('recoveryOf', () => {
  const rows: readonly (readonly [what: string, story: readonly Move[], orphans: number, firstMs: number | null])[] = [
    ['what it had claimed', story([900, 'processing', 'w2:x'], [3_000, 'processing', 'w1:y']), 1, 2_000],
    [
      'what it had marked',
      story([900, 'processing', 'w2:x'], [950, 'dispatching', 'w2:x'], [4_000, 'unknown', 'sweep']),
      1,
      3_000,
    ],
    ['what it had settled', story([900, 'dispatching', 'w2:x'], [950, 'sent', 'w2:x']), 0, null],
    ['what another held', story([900, 'dispatching', 'w1:y'], [1_500, 'sent', 'w1:y']), 0, null],
    ['what was claimed after its death', story([900, 'queued', 'fan-out'], [1_100, 'processing', 'w2:z']), 0, null],
    ['what an earlier start had held', story([50, 'processing', 'w2:a'], [1_200, 'processing', 'w1:y']), 0, null],
    ['what nobody took up', story([900, 'dispatching', 'w2:x']), 1, null],
    ['a name that begins alike', story([900, 'dispatching', 'w22:x'], [1_500, 'sent', 'w22:x']), 0, null],
  ];
  test.each(rows)('counts %s', (_what, moves, orphans, firstMs) => {
    expect(recoveryOf(kill, [moves])).toMatchObject({ orphans, firstMs });
  });

  test('gives the first and the last of several', () => {
    const stories = [1_700, 1_200, 1_900].map((at) => story([900, 'dispatching', 'w2:x'], [at, 'unknown', 'sweep']));
    expect(recoveryOf(kill, stories)).toEqual({ orphans: 3, firstMs: 200, lastMs: 900 });
  });
});

describe('work that a dead process left', () => {
  const rows: readonly (readonly [what: string, recovery: Recovery | null, isWrong: boolean])[] = [
    ['is there none', { orphans: 0, firstMs: null, lastMs: null }, false],
    ['moves at the last moment', { orphans: 3, firstMs: 5_000, lastMs: 9_000 }, false],
    ['moves too late', { orphans: 3, firstMs: 5_001, lastMs: 9_000 }, true],
    ['never moves', { orphans: 1, firstMs: null, lastMs: null }, true],
    ['is a bad sender’s own affair', null, false],
  ];
  test.each(rows)('%s', (_what, recovery, isWrong) => {
    const facts = { kills: [{ ...kill, why: '', recovery }], recoverWithinMs: 5_000 } as unknown as RealFacts;
    expect(tooLate(facts).map(({ invariant }) => invariant)).toEqual(isWrong ? ['L2'] : []);
  });
});
