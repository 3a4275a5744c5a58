import assert from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import {
  clockLaws,
  ledgerLaws,
  ledgerWalks,
  providerLaws,
  queueLaws,
  randomLaws,
  runLaws,
  type Law,
  type LawSubject,
} from '../../src/conformance/index.ts';

const LAWS: readonly Law<LawSubject>[] = [
  { law: 'keeps its word', check: async () => {} },
  { law: 'breaks its word', check: async () => assert.fail('broken on purpose') },
  { law: 'needs wings', needs: 'wings', check: async () => assert.fail('run although it cannot fly') },
  { law: 'needs legs', needs: ['legs', 'floor'], check: async () => {} },
];

function subject(closed: string[] = []): LawSubject {
  return {
    capabilities: { wings: 'none', legs: 2, floor: true },
    unitMs: 1,
    elapse: async () => {},
    close: async () => void closed.push('closed'),
  };
}

describe('runLaws', () => {
  test('answers one result per law: kept, broken with its error, or skipped with its reason', async () => {
    const results = await runLaws(LAWS, () => subject());
    expect(results).toEqual([
      { kind: 'kept', law: 'keeps its word' },
      { kind: 'broken', law: 'breaks its word', error: expect.objectContaining({ message: 'broken on purpose' }) },
      { kind: 'skipped', law: 'needs wings', reason: "needs 'wings', which this adapter does not declare" },
      { kind: 'kept', law: 'needs legs' },
    ]);
  });

  test('makes a subject per law and closes each, the broken one too', async () => {
    const closed: string[] = [];
    await runLaws(LAWS, () => subject(closed));
    expect(closed).toHaveLength(LAWS.length);
  });

  test.each([
    ['a text', 'its word', ['keeps its word', 'breaks its word']],
    ['a function', (law: string) => law.startsWith('needs'), ['needs wings', 'needs legs']],
  ])('runs only what %s lets pass', async (_kind, filter, expected) => {
    const results = await runLaws(LAWS, () => subject(), { filter });
    expect(results.map(({ law }) => law)).toEqual(expected);
  });
});

describe('the laws of', () => {
  test.each([
    ['the queue', queueLaws],
    ['the ledger', [...ledgerLaws, ...ledgerWalks([1, 2])]],
    ['the provider', providerLaws],
    ['the clock', clockLaws],
    ['randomness', randomLaws],
  ] as readonly (readonly [string, readonly Law<never>[]])[])('%s are different sentences', (_port, laws) => {
    const sentences = laws.map(({ law }) => law);
    expect(new Set(sentences).size).toBe(sentences.length);
    for (const sentence of sentences) expect(sentence).toMatch(/^[a-z].*[^.]$/);
  });
});
