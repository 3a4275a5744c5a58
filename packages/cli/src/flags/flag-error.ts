import { SendonceError } from '@sendonce/core';

/** A flag whose value cannot be used: what was given, what was probably meant (null: who knows), and what is allowed. */
export function flagError(flag: string, given: string, allowed: string, meant: string | null = null): SendonceError {
  const advice = meant === null ? `expected ${allowed}` : `did you mean ${meant}? Expected ${allowed}`;
  return new SendonceError('FLAG_INVALID', `--${flag} ${JSON.stringify(given)}: ${advice}`);
}

/** The same for an address that says nothing but its kind: no driver is to fill in where by what it finds. */
export function bareAddress(flag: string, given: string, allowed: string): SendonceError {
  return new SendonceError(
    'FLAG_INVALID',
    `--${flag} ${JSON.stringify(given)} names no host${inIt(given)}; expected ${allowed}`,
  );
}

function inIt(given: string): string {
  return given.startsWith('postgres') ? ' and no database' : '';
}
