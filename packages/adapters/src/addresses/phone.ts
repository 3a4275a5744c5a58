import { createRequire } from 'node:module';
import type { CountryCode, NumberType, PhoneNumber } from 'libphonenumber-js/max';
import type * as PhoneLibrary from 'libphonenumber-js/max';
import { addressProblem, type AddressRule, type AddressVerdict } from '@sendonce/core';
import type { Rule, Rules } from '@sendonce/core/internal';
import { installed } from '../internal/installed.ts';
import { checkAdapter } from '../internal/options.ts';

/** What a number may be, as numbering plans have it. */
export const PHONE_TYPES = [
  'mobile',
  'landline',
  'voip',
  'toll-free',
  'premium-rate',
  'shared-cost',
  'personal',
  'company',
  'pager',
  'voicemail',
] as const;
export type PhoneType = (typeof PHONE_TYPES)[number];

export interface PhoneNumbersOptions {
  /**
   * Where numbers without a country code are from: two letters of ISO 3166, such as `DE`. @defaultValue none: such a number is unusable,
   * since nobody knows whose it is
   */
  readonly defaultCountry?: string;
  /**
   * What may be sent to, at least one. Where a country's mobile and landline numbers cannot be told apart (the United States), each
   * counts as both. A number that the numbering plans do not know is refused then. @defaultValue any number of a possible length
   */
  readonly types?: readonly PhoneType[];
}

/**
 * A rule for the addresses of `sms` and `whatsapp`: however a number is written, it is sent to, and is a recipient, in E.164. What cannot
 * be a number of its country, has an extension, or is of another type than `types`, is unusable. Reads what the package
 * `libphonenumber-js`, loaded by this call, knows of numbering plans, and asks nobody whether the number exists.
 * @throws SendonceError OPTION_INVALID, DRIVER_MISSING without the package.
 */
export function phoneNumbers(options: PhoneNumbersOptions = {}): AddressRule {
  const { isSupportedCountry, parsePhoneNumberFromString } = phoneLibrary();
  checkAdapter('phoneNumbers', options, rulesOf(isSupportedCountry));
  const { types = null } = options;
  const defaultCountry = options.defaultCountry as CountryCode | undefined;
  return (to) => {
    if (to.length > LONGEST) return unusable('longer than any phone number');
    const number = parsePhoneNumberFromString(international(to), {
      ...(defaultCountry !== undefined && { defaultCountry }),
      extract: false,
    });
    return number === undefined ? unusable(unreadable(to, defaultCountry)) : verdictOf(number, types);
  };
}

const load = createRequire(import.meta.url);

function phoneLibrary(): typeof PhoneLibrary {
  return installed(
    () => load('libphonenumber-js/max') as typeof PhoneLibrary,
    "phoneNumbers() needs the 'libphonenumber-js' package, 1.11 or later; run: npm install libphonenumber-js",
  );
}

/** Characters of a number with all that may stand between its digits. */
const LONGEST = 64;

/** As core reads it everywhere: two zeros before a country code are a plus. */
function international(to: string): string {
  return to.trim().replace(/^00/, '+');
}

function unreadable(to: string, defaultCountry: string | undefined): string {
  const isNational = defaultCountry === undefined && !international(to).startsWith('+');
  return isNational ? 'not a phone number with its country code (+49...)' : 'not a phone number';
}

function verdictOf(number: PhoneNumber, types: readonly PhoneType[] | null): AddressVerdict {
  // An extension is dialled by a person, and no message gets there.
  if (number.ext !== undefined) return unusable('a phone number with an extension');
  if (!number.isPossible() || addressProblem('sms', number.number) !== null)
    return unusable('not a possible phone number: too short or too long for its country');
  const { number: to } = number;
  if (types === null) return { kind: 'usable', to };
  const type = number.getType();
  if (type === undefined) return unusable('a phone number that its country does not give out');
  const is = TYPES[type];
  return is.some((each) => types.includes(each))
    ? { kind: 'usable', to }
    : unusable(`a ${is.join(' or ')} number, where only ${types.join(', ')} may be used`);
}

function unusable(problem: string): AddressVerdict {
  return { kind: 'unusable', problem };
}

const TYPES: Readonly<Record<NonNullable<NumberType>, readonly PhoneType[]>> = {
  MOBILE: ['mobile'],
  FIXED_LINE: ['landline'],
  FIXED_LINE_OR_MOBILE: ['mobile', 'landline'],
  VOIP: ['voip'],
  TOLL_FREE: ['toll-free'],
  PREMIUM_RATE: ['premium-rate'],
  SHARED_COST: ['shared-cost'],
  PERSONAL_NUMBER: ['personal'],
  UAN: ['company'],
  PAGER: ['pager'],
  VOICEMAIL: ['voicemail'],
};

const TYPES_RULE: Rule = {
  must: `a list of at least one of ${PHONE_TYPES.join(', ')}`,
  fits: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((each) => PHONE_TYPES.includes(each as PhoneType)),
};
function rulesOf(isCountry: (country: string) => boolean): Rules & Readonly<Record<keyof PhoneNumbersOptions, Rule>> {
  return {
    defaultCountry: {
      must: "a country in two letters, such as 'DE'",
      fits: (value) => typeof value === 'string' && isCountry(value),
    },
    types: TYPES_RULE,
  };
}
