import { oneOf } from '../nearest.ts';
import { flagError } from './flag-error.ts';

/** A whole number within bounds; thousands may be set apart by `_` or `,`. */
export function parseCount(flag: string, given: string, min: number, max: number): number {
  const digits = given.trim().replace(/(?<=\d)[_,](?=\d{3})/g, '');
  const value = /^\d+$/.test(digits) ? Number(digits) : NaN;
  if (value >= min && value <= max) return value;
  throw flagError(
    flag,
    given,
    `a whole number from ${grouped(min)} to ${grouped(max)}${nearestCount(Number(digits), min, max)}`,
  );
}

function nearestCount(value: number, min: number, max: number): string {
  if (Number.isNaN(value)) return '';
  return `; the nearest is ${Math.min(max, Math.max(min, Math.round(value)))}`;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 };

/** `500ms`, `60s`, `5m`, `1h` as milliseconds, at least 1 ms and at most a day. */
export function parseDuration(flag: string, given: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/.exec(given.trim().toLowerCase()) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? NaN);
  if (digits !== '' && ms >= 1 && ms <= 86_400_000) return ms;
  const hint = digits !== '' && unit === '' ? `; did you mean ${digits}s?` : '';
  throw flagError(flag, given, `a time with its unit, from 1ms to 24h, such as 500ms, 60s, 5m or 1h${hint}`);
}

/** `5%` or `0.05` as 0.05. */
export function parseShare(flag: string, given: string): number {
  const [, digits = '', percent] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(given.trim()) ?? [];
  const share = Number(digits) / (percent === '%' ? 100 : 1);
  if (digits !== '' && share >= 0 && share <= 1) return share;
  const hint = digits !== '' && percent === '' ? `; did you mean ${digits}%?` : '';
  throw flagError(flag, given, `a share from 0% to 100%, such as 5% or 0.05${hint}`);
}

/** One of a closed set of words. */
export function parseChoice<Word extends string>(flag: string, given: string, allowed: readonly Word[]): Word {
  const word = allowed.find((candidate) => candidate === given.trim().toLowerCase());
  if (word === undefined) throw flagError(flag, given, oneOf(given, allowed));
  return word;
}

function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}
