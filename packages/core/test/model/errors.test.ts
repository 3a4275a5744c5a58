import { describe, expect, test } from 'vitest';
import { ERROR_CODES, isSendonceError, SendonceError } from '../../src/index.ts';
import { reasonOf } from '../../src/model/errors.ts';
import { ODD_VALUES } from '../support/odd.ts';

describe('an error of ours', () => {
  test.each(ERROR_CODES)('%s is known by its code and says where it is explained', (code) => {
    const error = new SendonceError(code, 'what happened', { cause: 'why' });
    expect(error).toMatchObject({ name: 'SendonceError', code, message: 'what happened', cause: 'why' });
    expect(error.docs).toBe(`docs/reference/errors.md#${code.toLowerCase()}`);
    expect(isSendonceError(error, code)).toBe(true);
  });

  test.each([
    { what: 'one of another copy of the package', value: { name: 'SendonceError', code: 'KEY_MISSING' }, is: true },
    { what: 'one with another code', value: new SendonceError('DATA_INVALID', ''), is: false },
    {
      what: "somebody else's error with a code",
      value: Object.assign(new Error(), { code: 'KEY_MISSING' }),
      is: false,
    },
    { what: 'a string', value: 'KEY_MISSING', is: false },
    { what: 'nothing', value: null, is: false },
  ])('is told from $what', ({ value, is }) => {
    expect(isSendonceError(value, 'KEY_MISSING')).toBe(is);
  });
});

describe('a reason', () => {
  test.each([
    [new TypeError('x is not a function'), 'TypeError: x is not a function'],
    ['a string', 'a string'],
    [undefined, 'undefined'],
    [null, 'null'],
    [7, '7'],
    [7n, '7n'],
    [Symbol('odd'), 'Symbol(odd)'],
    ['', 'an empty text'],
    [['a', 'b'], 'a list of 2'],
    [{}, 'an object without fields'],
    [{ status: 429, body: 'x' }, 'an object with status, body'],
    [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, 'an object with a, b, c, d, e, ...'],
    [{ name: 'ApiError', message: 'of another realm' }, 'ApiError: of another realm'],
    [new Error('two\nlines\u0000'), 'Error: two lines '],
  ])('of %s', (thrown, reason) => {
    expect(reasonOf(thrown)).toBe(reason);
  });

  test.each(ODD_VALUES)('of $what is one line of 1 to 300 whole characters', ({ make }) => {
    const reason = reasonOf(make());
    expect(reason.length).toBeGreaterThan(0);
    expect(reason.length).toBeLessThanOrEqual(300);
    expect(reason).not.toMatch(/[\p{Cc}\p{Cs}]/u);
  });

  test('that cannot be read says what kind of thing it is', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(reasonOf(proxy)).toBe('an object that cannot be read');
  });

  test('is at most 300 characters long', () => {
    expect(reasonOf('x'.repeat(301))).toBe(`${'x'.repeat(297)}...`);
    expect(reasonOf('x'.repeat(300))).toHaveLength(300);
  });
});
