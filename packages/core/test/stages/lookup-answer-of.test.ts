import { describe, expect, test } from 'vitest';
import type { LookupAnswer } from '../../src/index.ts';
import { lookupAnswerOf } from '../../src/stages/lookup-answer-of.ts';
import { ODD_VALUES } from '../support/odd.ts';

describe("a lookup's answer", () => {
  const sound: readonly LookupAnswer[] = [
    { kind: 'found', providerMessageId: 'm-1' },
    { kind: 'absent' },
    { kind: 'cannot-tell', reason: '503' },
  ];
  test.each(sound)('that is one stays as it is: %o', (answer) => {
    expect(lookupAnswerOf({ ...answer, raw: 1n })).toEqual(answer);
  });

  test.each(ODD_VALUES)('that is none tells nothing, least of all that it is absent: $what', ({ make }) => {
    expect(lookupAnswerOf(make())).toEqual({
      kind: 'cannot-tell',
      reason: expect.stringMatching(/^the lookup answered /),
    });
  });

  test.each<[answer: unknown, reason: string]>([
    [{ kind: 'missing' }, 'the lookup answered kind missing'],
    [{ kind: 'found' }, 'the lookup answered found, with undefined for a message id'],
    [{ kind: 'found', providerMessageId: 7 }, 'the lookup answered found, with 7 for a message id'],
    [{ kind: 'cannot-tell' }, 'no reason given'],
    [{ kind: 'cannot-tell', reason: { status: 503 } }, 'an object with status'],
  ])('that cannot be used says what came: %o', (answer, reason) => {
    expect(lookupAnswerOf(answer)).toEqual({ kind: 'cannot-tell', reason });
  });
});
