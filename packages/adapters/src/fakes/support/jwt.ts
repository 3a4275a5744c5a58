import { verify, type KeyObject } from 'node:crypto';
import { isObject } from './read.ts';

export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** What a token says, if this key has signed it by `alg`; null for any other. */
export function verifiedJwt(token: string, key: KeyObject, alg: 'ES256' | 'RS256'): Jwt | null {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const read = [header, claims].map(objectIn);
  if (read[0]?.['alg'] !== alg || read[1] === null || read[1] === undefined) return null;
  const signed = Buffer.from(`${header}.${claims}`);
  const by = alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' as const } : key;
  return verify('sha256', signed, by, Buffer.from(signature, 'base64url'))
    ? { header: read[0], claims: read[1] }
    : null;
}

function objectIn(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const read: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}
