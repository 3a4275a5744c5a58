import { createPrivateKey, type KeyObject } from 'node:crypto';
import { textRule, type Rule, type Rules } from '@sendonce/core/internal';
import { checkAdapter, invalid, SECRET_RULE } from '../options.ts';
import { jwt } from './jwt.ts';
import { bytesIn } from './subscription.ts';
import { ecdhOf, isPrivateKey } from './web-encryption.ts';

/** The keys by which push services know who sends (RFC 8292). */
export interface VapidKeys {
  /** 65 bytes in base64url: what the browser was given as `applicationServerKey`. */
  readonly publicKey: string;
  /** 32 bytes in base64url. */
  readonly privateKey: string;
  /** Whom a push service may turn to: `mailto:` or `https:`. */
  readonly subject: string;
}

export interface Vapid {
  readonly signingKey: KeyObject;
  readonly publicKey: string;
  readonly subject: string;
  /** The private key as bytes, for what is derived from it. */
  readonly secret: Buffer;
}

/** RFC 8292 2: 24 hours at most. */
const LASTS_S = 12 * 3_600;

/** @throws SendonceError OPTION_INVALID */
export function vapidOf(who: string, given: VapidKeys): Vapid {
  checkAdapter(who, given, RULES);
  const [secret, publicKey] = [bytesIn(given.privateKey), bytesIn(given.publicKey)];
  if (secret?.length !== 32 || !isPrivateKey(secret))
    return invalid(`${who}: privateKey must be a private key of P-256: 32 bytes in base64url`);
  const point = ecdhOf(secret).getPublicKey();
  if (publicKey === null || !point.equals(publicKey))
    return invalid(`${who}: publicKey must be the one of privateKey: 65 bytes in base64url`);
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url')) as [
    string,
    string,
  ];
  const jwk = { kty: 'EC', crv: 'P-256', d: secret.toString('base64url'), x, y };
  return {
    signingKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    publicKey: point.toString('base64url'),
    subject: given.subject,
    secret,
  };
}

/** The header that says who sends, for one push service, for the next twelve hours. */
export function vapidHeader({ signingKey, publicKey, subject }: Vapid, endpoint: URL, now: number): string {
  const claims = { aud: endpoint.origin, exp: Math.floor(now / 1_000) + LASTS_S, sub: subject };
  return `vapid t=${jwt({ typ: 'JWT', alg: 'ES256' }, claims, signingKey)}, k=${publicKey}`;
}

const RULES: Rules = {
  publicKey: { ...textRule(256), required: true },
  privateKey: { ...SECRET_RULE, required: true },
  subject: {
    must: 'a mailto: or https: address',
    fits: (value) => typeof value === 'string' && /^(mailto:|https:\/\/)[!-~]+$/.test(value),
    required: true,
  },
} satisfies Record<keyof VapidKeys, Rule>;
