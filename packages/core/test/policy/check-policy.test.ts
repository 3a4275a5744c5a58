import { describe, expect, test } from 'vitest';
import type { ClassPolicy } from '../../src/index.ts';
import { checkPolicy, POLICY_OPTIONS } from '../../src/policy/check-policy.ts';
import { ODD_VALUES } from '../support/odd.ts';

const SAID = ODD_VALUES.filter(({ what }) => what !== 'undefined');

describe.each(POLICY_OPTIONS)('the policy option %s', (option) => {
  test.each(SAID)('given $what is refused in words, or is one of its values', ({ make }) => {
    const given = { [option]: make() } as Partial<ClassPolicy>;
    let thrown: unknown = null;
    try {
      checkPolicy('order.', given);
    } catch (error) {
      thrown = error;
    }
    // Null is a class's way to say that there is no default.
    if (option === 'expiresInMs' && given.expiresInMs === null) expect(thrown).toBeNull();
    else expect(thrown).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(`^order\\.${option}`) });
  });
});

describe('a retry policy', () => {
  test.each([NaN, -1, Infinity, '5', null, 5n, {}])('with the wait %o is refused', (wait) => {
    for (const retry of [
      { schedule: [wait] },
      { baseMs: wait, factor: 2, maxMs: 1_000 },
      { baseMs: 1, factor: wait, maxMs: 1_000 },
    ])
      expect(() => checkPolicy('', { retry } as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  test.each(['schedule', 'baseMs'])('that throws when it is read is refused too: %s', (field) => {
    const retry = Object.defineProperty({ baseMs: 1, factor: 1, maxMs: 1 }, field, {
      enumerable: true,
      get: () => {
        throw new Error('the trap threw');
      },
    });
    expect(() => checkPolicy('', { retry })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});
