import assert from 'node:assert/strict';
import type { AsyncCommand } from 'fast-check';
import type { Ledger } from '@sendonce/core';
import type { Known, Side } from './known.ts';
import { answerOf, stateOf } from './same.ts';

/** A call to be made, and what is learned from its answer. */
export interface Asked<Answer> {
  readonly words: string;
  readonly make: (ledger: Ledger) => Promise<Answer>;
  readonly learn?: (answer: Answer, known: Known) => void;
  /** A client may repeat it, at once or late. @defaultValue true */
  readonly isRepeatable?: boolean;
}

/** On the reference first, then on the ledger under test; each is told what it told itself, as fences and times are its own. */
export type Step = AsyncCommand<Side, Side>;

/** A step of a random history; null: it cannot be taken yet. */
export function step<Answer>(draw: (known: Known, unitMs: number) => Asked<Answer> | null): Step {
  let words = 'not taken';
  return {
    check: ({ known, subject }) => draw(known, subject.unitMs) !== null,
    async run(reference, tested) {
      const expected = await take(reference);
      const seen = await take(tested);
      words = expected?.words ?? words;
      assert.deepEqual(seen?.answer, expected?.answer, `${words} answered otherwise than the reference`);
      const [is, shouldBe] = [await stateOf(tested), await stateOf(reference)];
      const after = `after ${words} the records are otherwise than the reference's`;
      assert.deepEqual(is.records, shouldBe.records, after);
      is.histories.forEach((history, i) => {
        if (history.length > 0) assert.deepEqual(history, shouldBe.histories[i], after);
      });
    },
    toString: () => words,
  };

  async function take(side: Side): Promise<{ readonly words: string; readonly answer: unknown } | null> {
    const { subject, known } = side;
    const asked = draw(known, subject.unitMs);
    if (asked === null) return null;
    const { make, learn, isRepeatable = true } = asked;
    const answer = await answerOf(async (ledger) => {
      const plain = await make(ledger);
      learn?.(plain, known);
      return plain;
    }, side);
    if (isRepeatable) known.calls.push(make);
    return { words: asked.words, answer };
  }
}

/** Time passes, for both. */
export function wait(units: number): Step {
  return {
    check: () => true,
    async run(reference, tested) {
      for (const { subject } of [reference, tested]) await subject.elapse(units * subject.unitMs);
    },
    toString: () => `${units} units pass`,
  };
}
