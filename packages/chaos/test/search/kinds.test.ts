import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../src/faults/index.ts';
import { COMPONENTS } from '../../src/faults/kind.ts';
import { faultNames, kindsOf } from '../../src/search/kinds.ts';

const named = (...words: string[]): string[] => [...new Set(kindsOf(words).map((kind) => kind.do))].sort();

describe('the kinds of fault that words name', () => {
  test('are all of them under `all`', () => {
    expect(kindsOf(['all'])).toEqual(FAULTS);
  });

  test.each(COMPONENTS)('are the rows of the table under `%s`', (component) => {
    const kinds = kindsOf([component]);
    expect(kinds.length).toBeGreaterThan(0);
    expect(new Set(kinds.map((kind) => kind.component))).toEqual(new Set([component]));
  });

  test('are one kind at all its sites, or at one', () => {
    expect(
      kindsOf(['reply-lost'])
        .map(({ component }) => component)
        .sort(),
    ).toEqual(['ledger', 'provider', 'queue']);
    expect(kindsOf(['reply-lost@provider.send']).map(({ component, ops }) => [component, ops])).toEqual([
      ['provider', ['provider.send']],
    ]);
  });

  test('are named once, however often they are meant', () => {
    expect(kindsOf(['kill', 'kills', 'kill'])).toHaveLength(kindsOf(['kills']).length);
    expect(named('kills')).toContain('kill');
  });

  test.each(['kil', 'kill@provider.cook', ''])('are refused where %j names none', (word) => {
    expect(() => kindsOf([word])).toThrow(expect.objectContaining({ code: 'FLAG_INVALID' }));
  });

  test('are all in the list of words, each once', () => {
    const names = faultNames();
    expect(new Set(names).size).toBe(names.length);
    for (const { do: name } of FAULTS) expect(names).toContain(name);
    expect(names.filter((name) => kindsOf([name]).length === 0)).toEqual([]);
  });
});
