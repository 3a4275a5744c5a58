import { SendonceError } from '@sendonce/core';

/** An object of a plan, not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    invalid(`${where} must be an object, got ${show(value)}`);
  return value as Fields;
}

export function only(fields: Fields, where: string, known: readonly string[]): void {
  const strange = Object.keys(fields).find((field) => !known.includes(field));
  if (strange !== undefined) invalid(`${where}: '${strange}' is no field of it; known: ${known.join(', ')}`);
}

export function text(fields: Fields, field: string, where: string): string {
  const value = fields[field];
  if (typeof value !== 'string') invalid(`${where}: ${field} must be a text, got ${show(value)}`);
  return value;
}

export function whole(fields: Fields, field: string, where: string, least: number): number {
  const value = fields[field];
  if (!Number.isSafeInteger(value) || (value as number) < least)
    invalid(`${where}: ${field} must be a whole number from ${least}, got ${show(value)}`);
  return value as number;
}

export function oneOf<const T extends string>(fields: Fields, field: string, where: string, allowed: readonly T[]): T {
  const value = fields[field];
  const found = allowed.find((each) => each === value);
  if (found === undefined) invalid(`${where}: ${field} must be one of ${allowed.join(', ')}, got ${show(value)}`);
  return found;
}

export function show(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? 'nothing' : json.length > 60 ? `${json.slice(0, 57)}...` : json;
}

export function invalid(message: string): never {
  throw new SendonceError('PLAN_INVALID', message);
}
