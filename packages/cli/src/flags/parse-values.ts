import { flagError } from './flag-error.ts';
import { likely } from './likely.ts';

/** A whole number within bounds; thousands may be set apart by `_` or `,`. */
export function parseCount(flag: string, given: string, min: number, max: number): number {
  const digits = given.trim().replace(/(?<=\d)[_,](?=\d{3})/g, '');
  const value = /^\d+$/.test(digits) ? Number(digits) : NaN;
  if (value >= min && value <= max) return value;
  throw flagError(
    flag,
    given,
    `a whole number from ${grouped(min)} to ${grouped(max)}`,
    nearestCount(Number(digits), min, max),
  );
}

function nearestCount(value: number, min: number, max: number): string | null {
  return Number.isNaN(value) ? null : String(Math.min(max, Math.max(min, Math.round(value))));
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `500ms`, `60s`, `5m`, `1h`, `2d` as milliseconds; NaN for anything else. */
export function durationOf(given: string): number {
  const [, digits = 'no number', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(given.trim().toLowerCase()) ?? [];
  return Number(digits) * (UNITS[unit] ?? NaN);
}

/** `500ms`, `60s`, `5m`, `1h` as milliseconds, at least 1 ms and at most a day. */
export function parseDuration(flag: string, given: string): number {
  const ms = durationOf(given);
  if (ms >= 1 && ms <= 86_400_000) return ms;
  const bare = /^\d+(?:\.\d+)?$/.exec(given.trim());
  const meant = bare === null ? null : `${bare[0]}s`;
  throw flagError(flag, given, 'a time with its unit, from 1ms to 24h, such as 500ms, 60s, 5m or 1h', meant);
}

/** `50ms`, or `20ms-400ms` as the least and the most, ms; at most an hour. */
export function parseSpan(flag: string, given: string): readonly [least: number, most: number] {
  const ends = given.split('-').map(durationOf);
  const [least = NaN, most = least] = ends;
  if (ends.length <= 2 && least >= 0 && least <= most && most <= 3_600_000) return [least, most];
  throw flagError(
    flag,
    given,
    'a time with its unit, or the least and the most, from 0ms to 1h, such as 50ms or 20ms-400ms',
    null,
  );
}

/** `5%` or `0.05` as 0.05. */
export function parseShare(flag: string, given: string): number {
  const [, digits = '', percent] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(given.trim()) ?? [];
  const share = Number(digits) / (percent === '%' ? 100 : 1);
  if (digits !== '' && share >= 0 && share <= 1) return share;
  const meant = digits !== '' && percent === '' ? `${digits}%` : null;
  throw flagError(flag, given, 'a share from 0% to 100%, such as 5% or 0.05', meant);
}

/** One of a closed set of words. */
export function parseChoice<Word extends string>(flag: string, given: string, allowed: readonly Word[]): Word {
  const word = allowed.find((candidate) => candidate === given.trim().toLowerCase());
  if (word === undefined) throw flagError(flag, given, `one of ${allowed.join(', ')}`, likely(given, allowed));
  return word;
}

/** Thousands set apart; the same on every machine, whatever its locale. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}
