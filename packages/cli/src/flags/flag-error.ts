import { SendonceError } from '@sendonce/core';

/** A flag whose value cannot be used: what was given, what was probably meant (null: who knows), and what is allowed. */
export function flagError(flag: string, given: string, allowed: string, meant: string | null = null): SendonceError {
  const advice = meant === null ? `expected ${allowed}` : `did you mean ${meant}? Expected ${allowed}`;
  return new SendonceError('FLAG_INVALID', `--${flag} ${JSON.stringify(given)}: ${advice}`);
}
