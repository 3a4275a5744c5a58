import { SendonceError, type NotificationType } from '@sendonce/core';

interface Wanted {
  readonly column: string | null;
  readonly type: NotificationType;
  /** Of a file, where there are columns to choose from. */
  readonly isRow: boolean;
}

/** The key that data bring; null: their type makes it. @throws SendonceError KEY_MISSING */
export function givenKey(data: unknown, { column, type, isRow }: Wanted): string | null {
  if (column === null && type.key !== undefined) return null;
  const name = column ?? 'key';
  const value = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  const isAbsent = value === undefined || value === null || value === '';
  const found = isAbsent ? `there is no '${name}'` : `'${name}' is neither a text nor a whole number`;
  const advice = isRow ? 'name the field that holds it by --key-column' : 'give one by --key';
  const why = column === null ? `, and the type has no key(data): ${advice}` : '';
  throw new SendonceError('KEY_MISSING', `it has no key: ${found}${why}`);
}

/** The key that a type makes of data that were refused; null where it makes none. Publishing itself asks the type again. */
export async function madeKey(data: unknown, { key, schema }: NotificationType): Promise<string | null> {
  try {
    const checked = schema === undefined ? { value: data } : await schema['~standard'].validate(data);
    if (checked.issues !== undefined) return null;
    const made: unknown = key?.(checked.value);
    return typeof made === 'string' ? made : null;
  } catch {
    // What it threw is the reason of the refusal, and told as that.
    return null;
  }
}
