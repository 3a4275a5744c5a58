import { sign, type KeyObject } from 'node:crypto';

/** The two ways of signing that push services ask for. */
export type JwtAlgorithm = 'RS256' | 'ES256';

/** A signed JSON Web Token (RFC 7519, RFC 7515). An ES256 signature is another one every time. */
export function jwt(
  header: { readonly alg: JwtAlgorithm; readonly [field: string]: string },
  claims: Readonly<Record<string, string | number>>,
  key: KeyObject,
): string {
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  // RFC 7518 3.4: the two numbers side by side, not in DER.
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
