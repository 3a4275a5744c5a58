import { flagError } from '../flags/flag-error.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3_600 };

/** `50/s`, `100/m`, `50` (a second): how many a second. */
export function parseRate(flag: string, given: string): number {
  const [, digits = '', unit = 's'] = /^(\d+)(?:\s*\/\s*(s|min|m|h))?$/.exec(given.trim().toLowerCase()) ?? [];
  const rate = Number(digits) / (SECONDS[unit] ?? NaN);
  if (digits !== '' && rate > 0) return rate;
  throw flagError(flag, given, 'how many at most, such as 50/s, 100/m or 1000/h');
}
