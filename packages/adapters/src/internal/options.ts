import { SendonceError } from '@sendonce/core';
import { checkOptions, isFields, shown, type Rule, type Rules } from '@sendonce/core/internal';

/**
 * Checks an adapter's options against their table. `who` is the factory, as its errors begin.
 * @throws SendonceError OPTION_INVALID
 */
export function checkAdapter(who: string, options: unknown, rules: Rules): void {
  if (!isFields(options)) invalid(`${who}: the options must be an object, got ${shown(options)}`);
  checkOptions(`${who}: `, options, rules, 'OPTION_INVALID');
}

export const OBJECT_RULE: Rule = { must: 'an object', fits: isFields, hidden: true };

/** A text that is not shown where it is wrong. */
export const SECRET_RULE: Rule = {
  must: 'a text',
  fits: (value) => typeof value === 'string' && value !== '',
  hidden: true,
};

/** Addresses that messages are posted to often are secrets themselves. A user and password in one would be sent nowhere: better said than dropped. */
export const URL_RULE: Rule = {
  must: 'a whole http or https address without a user and password',
  fits: (value) => httpUrl(value) !== null,
  hidden: true,
};

/** Null for what is no such address. */
export function httpUrl(given: unknown): URL | null {
  if (typeof given !== 'string' && !(given instanceof URL)) return null;
  const url = URL.canParse(String(given)) ? new URL(given) : null;
  const isHttp = url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  return isHttp && url.username === '' && url.password === '' ? url : null;
}

export const TOMBSTONE_RULE: Rule = {
  must: 'null or a whole number of ms',
  fits: (value) => value === null || (Number.isSafeInteger(value) && Number(value) >= 0),
};

/** A tombstone that went before what was never forgotten would remember less than nothing. @throws SendonceError OPTION_INVALID */
export function checkTombstoneRetention(who: string, retentionMs: number, tombstoneRetentionMs: number | null): void {
  if (tombstoneRetentionMs !== null && tombstoneRetentionMs < retentionMs)
    invalid(
      `${who}: tombstoneRetentionMs must be null or at least retentionMs (${retentionMs}), got ${tombstoneRetentionMs}`,
    );
}

export function invalid(message: string): never {
  throw new SendonceError('OPTION_INVALID', message);
}
