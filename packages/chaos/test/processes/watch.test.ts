import { describe, expect, test } from 'vitest';
import { seenAfter } from '../../src/processes/watch.ts';

describe('a run that is watched', () => {
  const before = { state: 'a', movedAt: 100 };
  test.each([
    ['nothing moved', { at: 150, state: 'a', isBusy: false }, 100],
    ['a record or the mailbox moved', { at: 150, state: 'b', isBusy: false }, 150],
    ['somebody is busy with what no record shows', { at: 150, state: 'a', isBusy: true }, 150],
  ])('has moved or not when %s', (_when, look, movedAt) => {
    expect(seenAfter(before, look)).toEqual({ state: look.state, movedAt });
  });
});
