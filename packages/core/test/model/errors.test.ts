import { describe, expect, test } from 'vitest';
import { ERROR_CODES, isSendonceError, SendonceError } from '../../src/index.ts';
import { reasonOf } from '../../src/model/errors.ts';

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
    [{ odd: true }, '[object Object]'],
  ])('of %s', (thrown, reason) => {
    expect(reasonOf(thrown)).toBe(reason);
  });

  test('is at most 300 characters long', () => {
    expect(reasonOf('x'.repeat(301))).toBe(`${'x'.repeat(297)}...`);
    expect(reasonOf('x'.repeat(300))).toHaveLength(300);
  });
});
