import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressProblem } from '@sendonce/core';
import { phoneNumbers, PHONE_TYPES, type PhoneNumbersOptions } from '../../src/addresses/phone.ts';

const usable = (to: string): object => ({ kind: 'usable', to });

describe('a phone number', () => {
  test.each<[typed: string, options: PhoneNumbersOptions, to: string]>([
    ['0171 1234567', { defaultCountry: 'DE' }, '+491711234567'],
    ['0171/1234567', { defaultCountry: 'DE' }, '+491711234567'],
    [' +49 (0)171 1234567 ', {}, '+491711234567'],
    ['0049 171 1234567', {}, '+491711234567'],
    ['+491711234567', { defaultCountry: 'US' }, '+491711234567'],
    ['(650) 253-0000', { defaultCountry: 'US' }, '+16502530000'],
    ['011 49 171 1234567', { defaultCountry: 'US' }, '+491711234567'],
    ['\u0660\u0661\u0667\u0661\u0661\u0662\u0663\u0664\u0665\u0666\u0667', { defaultCountry: 'DE' }, '+491711234567'],
    ['06 12345678', { defaultCountry: 'IT' }, '+390612345678'],
    ['+49 171 1234567', { types: ['mobile'] }, '+491711234567'],
    ['+49 30 1234567', { types: ['mobile', 'landline'] }, '+49301234567'],
    // Nobody can tell which of the two a number of the United States is.
    ['+1 650 253 0000', { types: ['mobile'] }, '+16502530000'],
  ])('%j by %j is sent to as %j', (typed, options, to) => {
    const rule = phoneNumbers(options);
    expect(rule(typed)).toEqual(usable(to));
    expect(rule(to)).toEqual(usable(to));
  });

  test.each<[typed: string, options: PhoneNumbersOptions, problem: RegExp]>([
    ['0171 1234567', {}, /with its country code/],
    ['', {}, /country code/],
    ['+', { defaultCountry: 'DE' }, /^not a phone number$/],
    ['call 0171 1234567 now', { defaultCountry: 'DE' }, /^not a phone number$/],
    ['ann@example.org', { defaultCountry: 'DE' }, /^not a phone number$/],
    ['112', { defaultCountry: 'DE' }, /too short or too long/],
    ['+49 1', {}, /not a (possible )?phone number/],
    ['+49 171 12345678901234', {}, /not a (possible )?phone number/],
    ['+999 12345', {}, /^not a phone number$/],
    ['+49 171 1234567 ext. 5', {}, /extension/],
    ['+49 171 1234567,+49 171 1234568', {}, /not a/],
    ['+49 30 1234567', { types: ['mobile'] }, /^a landline number, where only mobile may be used$/],
    ['+49 171 123', { types: ['mobile'] }, /does not give out/],
    ['+49 900 1234567', { types: ['mobile', 'landline'] }, /^a premium-rate number/],
    ['1'.repeat(65), {}, /longer than any/],
  ])('%j by %j is unusable, and the reason holds nothing of it', (typed, options, problem) => {
    const verdict = phoneNumbers(options)(typed);
    expect(verdict).toEqual({ kind: 'unusable', problem: expect.stringMatching(problem) as string });
    const { problem: reason } = verdict as { readonly problem: string };
    for (const part of reason.replace('+49...', '').match(/\d+/g) ?? []) expect(typed).not.toContain(part);
  });

  test('is read again as it was read before, whatever was typed, and core has nothing against it', () => {
    const rules = [phoneNumbers(), phoneNumbers({ defaultCountry: 'DE' }), phoneNumbers({ types: [...PHONE_TYPES] })];
    const typed = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'+0123456789 ()-/.') }),
      fc
        .tuple(fc.constantFrom('+49', '+1', '+52', '0049', '0', '+39'), fc.nat())
        .map(([code, rest]) => `${code}${rest}`),
    );
    fc.assert(
      fc.property(fc.constantFrom(...rules), typed, (rule, to) => {
        const verdict = rule(to);
        if (verdict.kind === 'unusable') return;
        expect(rule(verdict.to)).toEqual(verdict);
        expect(addressProblem('sms', verdict.to)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  test.each<[options: unknown, message: RegExp]>([
    [{ defaultCountry: 'Germany' }, /defaultCountry must be a country in two letters/],
    [{ types: [] }, /types must be a list of at least one/],
    [{ types: ['cell'] }, /types must be/],
    [{ country: 'DE' }, /country/],
    [null, /options must be an object/],
  ])('with options %j cannot be read: it says so at once', (options, message) => {
    expect(() => phoneNumbers(options as never)).toThrow(message);
  });
});
