import { SendonceError } from '@sendonce/core';

/** A flag whose value cannot be used: what was given, and what is allowed. */
export function flagError(flag: string, given: string, allowed: string): SendonceError {
  return new SendonceError('FLAG_INVALID', `--${flag} ${JSON.stringify(given)}: expected ${allowed}`);
}
