import { describe, expect, test } from 'vitest';
import { HeldAnswers } from '../../src/processes/held-answers.ts';
import type { CountedStrike } from '../../src/processes/strikes.ts';

const after: CountedStrike = { index: 0, acceptance: 5, moment: 'after-accept', ms: 10 };
const before: CountedStrike = { index: 1, acceptance: 7, moment: 'before-ack', ms: 10 };

describe('an answer that is held back', () => {
  test.each([
    ['goes out where no kill is meant', 4, true, { kind: 'answer' }],
    ['waits for the kill that is meant for it', 5, true, { kind: 'kill', counted: after }],
    ['goes out where the kill comes at a later point', 7, true, { kind: 'answer-then-strike', counted: before }],
    ['is cut off where whoever waited for it is dead', 5, false, { kind: 'another' }],
  ])('%s', (_what, acceptance, isAwaited, decision) => {
    expect(new HeldAnswers([after, before]).decide({ acceptance }, isAwaited)).toEqual(decision);
  });

  test('takes over, as the next one of all, the kill whose own acceptance nobody waited for', () => {
    const held = new HeldAnswers([after]);
    expect(held.decide({ acceptance: 5 }, false).kind).toBe('another');
    expect(held.decide({ acceptance: 6 }, false).kind).toBe('another');
    expect(held.decide({ acceptance: 8 }, true)).toEqual({ kind: 'kill', counted: after });
    expect(held.decide({ acceptance: 9 }, true)).toEqual({ kind: 'answer' });
  });
});
