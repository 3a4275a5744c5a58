import { describe, expect, test } from 'vitest';
import { nearest } from '../src/nearest.ts';

describe('nearest', () => {
  const words = ['keyed', 'lookup', 'plain', 'kill-at'];
  const cases: readonly [given: string, expected: string | null][] = [
    ['keyd', 'keyed'],
    ['kyeed', 'keyed'],
    ['KEYED', 'keyed'],
    ['killat', 'kill-at'],
    ['loockup', 'lookup'],
    ['banana', null],
    ['', null],
  ];
  test.each(cases)('finds for %j: %j', (given, expected) => {
    expect(nearest(given, words)).toBe(expected);
  });

  test('finds nothing among nothing', () => {
    expect(nearest('keyed', [])).toBeNull();
  });
});
