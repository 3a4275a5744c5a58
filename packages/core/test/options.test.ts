import { describe, expect, test } from 'vitest';
import { BOOLEAN_RULE, checkOptions, nearestTo, numberRule, oneOfRule, textRule, type Rules } from '../src/options.ts';

describe('the nearest name', () => {
  const words = ['keyed', 'lookup', 'plain', 'kill-at', 'expiresInMs'];
  test.each<[given: string, nearest: string | null]>([
    ['keyd', 'keyed'],
    ['kyeed', 'keyed'],
    ['KEYED', 'keyed'],
    ['killat', 'kill-at'],
    ['loockup', 'lookup'],
    ['expireInMs', 'expiresInMs'],
    ['exipresInMs', 'expiresInMs'],
    ['banana', null],
    ['', null],
    ['x'.repeat(1_000_000), null],
  ])('of %j is %j', (given, nearest) => {
    expect(nearestTo(given, words)).toBe(nearest);
  });

  test('of none is none', () => {
    expect(nearestTo('keyed', [])).toBeNull();
  });

  test('is the nearer of two', () => {
    expect(nearestTo('sent', ['send', 'sent', 'seal'])).toBe('sent');
    expect(nearestTo('lien', ['link', 'line'])).toBe('line');
  });
});

describe('options by table', () => {
  const RULES: Rules = {
    name: { ...textRule(5), required: true },
    mode: oneOfRule(['fast', 'safe']),
    count: numberRule({ least: 1, most: 3, whole: true }, ' sends'),
    flag: BOOLEAN_RULE,
  };

  test.each([{ name: 'a' }, { name: 'abcde', mode: 'safe', count: 3, flag: false }, { name: 'a', mode: undefined }])(
    'let %j pass',
    (given) => {
      expect(() => checkOptions('at.', given, RULES)).not.toThrow();
    },
  );

  test.each<[given: object, message: string]>([
    [{}, 'at.name must be a text of 1 to 5 characters, got undefined'],
    [{ name: '' }, "at.name must be a text of 1 to 5 characters, got ''"],
    [{ name: 'abcdef' }, "at.name must be a text of 1 to 5 characters, got 'abcdef'"],
    [{ name: Symbol('x') }, 'at.name must be a text of 1 to 5 characters, got Symbol(x)'],
    [{ name: 'a', mode: 'slow' }, "at.mode must be one of fast, safe, got 'slow'"],
    [{ name: 'a', count: '2' }, "at.count must be a whole number from 1 to 3 sends, got '2'"],
    [{ name: 'a', count: 2n }, 'at.count must be a whole number from 1 to 3 sends, got 2n'],
    [{ name: 'a', flag: null }, 'at.flag must be true or false, got null'],
    [{ name: 'a', moed: 'fast' }, "at.moed is not an option; known: name, mode, count, flag. Did you mean 'mode'?"],
    [{ name: 'a', toString: 1 }, 'at.toString is not an option; known: name, mode, count, flag'],
  ])('refuse %o', (given, message) => {
    expect(() => checkOptions('at.', given, RULES, 'OPTION_INVALID')).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message }),
    );
  });
});
