import type { WireRequest } from './wire.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The object that a body says as JSON; null for anything else. */
export function jsonIn({ bytes }: WireRequest): Fields | null {
  try {
    const read: unknown = JSON.parse(bytes.toString());
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}

/** The fields of a form. Of a name that comes more than once, the last. */
export function formIn({ bytes }: WireRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(bytes.toString()));
}

export function bearerIn({ headers }: WireRequest): string | null {
  return /^bearer (.+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? null;
}

/** `user:password`, decoded; null where there is no such header. */
export function basicIn({ headers }: WireRequest): string | null {
  const encoded = /^basic (.+)$/i.exec(headers['authorization'] ?? '')?.[1];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64').toString();
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The address in `Name <a@b>` or `a@b`; null where there is none. */
export function mailAddress(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const address = /<([^<>]*)>\s*$/.exec(value)?.[1] ?? value.trim();
  return /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;".]+$/.test(address) ? address : null;
}
