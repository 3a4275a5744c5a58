import { numberRule, textRule, type Rule } from '@sendonce/core/internal';
import { URL_RULE } from '../options.ts';

/** What the provider of every vendor takes, but for where its API is. */
export const PROVIDER_RULES: { readonly name: Rule; readonly timeoutMs: Rule } = {
  name: textRule(512),
  timeoutMs: numberRule({ least: 1, most: 300_000 }, ' ms'),
};

/** What the provider of a vendor takes whose API is at an address. */
export const API_RULES: { readonly name: Rule; readonly baseUrl: Rule; readonly timeoutMs: Rule } = {
  ...PROVIDER_RULES,
  baseUrl: URL_RULE,
};

/** A path below the address of an API, which may have a path of its own. */
export function apiUrl(baseUrl: string | URL, path: string): URL {
  return new URL(path, `${String(baseUrl).replace(/\/$/, '')}/`);
}
