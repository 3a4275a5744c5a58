import { SendonceError } from '@sendonce/core';
import { nearestTo } from '@sendonce/core/internal';

/** An object of a plan, not checked yet, and where in the file it is: '' for the file itself, `setup`, `faults[3]`. */
export interface Fields {
  readonly at: string;
  readonly of: Readonly<Record<string, unknown>>;
}

/** Bounds of a number, both included. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Takes an object that has no fields but the known ones. */
export function fieldsOf(value: unknown, at: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    invalid(`${at === '' ? 'a plan file' : at} must be an object, got ${show(value)}`);
  const strange = Object.keys(value).find((field) => !known.includes(field));
  if (strange !== undefined)
    invalid(`${path({ at }, strange)} is not a field of a plan; here may be ${choices(strange, known)}`);
  return { at, of: value as Fields['of'] };
}

export function text(fields: Fields, field: string): string {
  const value = fields.of[field];
  if (typeof value !== 'string') invalid(`${path(fields, field)} must be a text, got ${show(value)}`);
  return value;
}

export function whole(fields: Fields, field: string, { least, most }: Bounds): number {
  const value = fields.of[field];
  if (!isWhole(value, { least, most }))
    invalid(`${path(fields, field)} must be a whole number from ${least} to ${most}, got ${show(value)}`);
  return value;
}

export function oneOf<const T extends string>(fields: Fields, field: string, allowed: readonly T[]): T {
  const value = fields.of[field];
  const found = allowed.find((each) => each === value);
  if (found === undefined)
    invalid(`${path(fields, field)} must be one of ${choices(value, allowed)}; got ${show(value)}`);
  return found;
}

export function isWhole(value: unknown, { least, most }: Bounds): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** `setup.workers`, `faults[3].op`. */
export function path({ at }: Pick<Fields, 'at'>, field: string): string {
  return at === '' ? field : `${at}.${field}`;
}

/** The known words, and the one that was probably meant. */
export function choices(given: unknown, known: readonly string[]): string {
  const nearest = typeof given === 'string' && given.length > 1 ? nearestTo(given, known) : null;
  return `${known.join(', ')}${nearest === null ? '' : ` (did you mean '${nearest}'?)`}`;
}

export function show(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? 'nothing' : json.length > 60 ? `${json.slice(0, 57)}...` : json;
}

export function invalid(message: string): never {
  throw new SendonceError('PLAN_INVALID', message);
}
