import { describe, expect, test } from 'vitest';
import { firedWords } from '../../src/report/fired-words.ts';

const kills = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ at: 80 + i, worker: `w${i}`, phase: 'after-accept' }));
const fired = (kind: string, n: number) => ({ kind, armed: n + 1, fired: n });

describe('what fired', () => {
  test.each([
    ['nothing', [fired('kill acceptance after-accept', 0)], 0, ''],
    ['kills alone, with their moments', [fired('kill', 1)], 1, 'w0 killed at acceptance 80 (after-accept)'],
    [
      'lost replies beside a kill',
      [fired('kill', 1), fired('reply-lost provider.send A', 84)],
      1,
      '84 replies lost, w0 killed at acceptance 80 (after-accept)',
    ],
    [
      'kills beyond those that were counted',
      [fired('kill', 3)],
      1,
      'w0 killed at acceptance 80 (after-accept), 2 workers killed',
    ],
    ['more kills than anybody reads, as a number', [fired('kill', 6)], 6, '6 workers killed'],
    [
      'a kind at several calls as one, and others by their names',
      [fired('amnesia ledger.add B', 1), fired('reply-lost ledger.mark A', 1), fired('reply-lost queue.ack A', 1)],
      0,
      '2 replies lost, 1 amnesia',
    ],
    [
      'the five most frequent kinds, and how many more',
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((kind, i) => fired(kind, 9 - i)),
      0,
      '9 a, 8 b, 7 c, 6 d, 5 e, 2 more',
    ],
  ])('tells %s', (_what, faults, told, words) => {
    expect(firedWords(faults, kills(told))).toBe(words);
  });
});
