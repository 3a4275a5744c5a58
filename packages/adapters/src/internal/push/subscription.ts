import { ECDH } from 'node:crypto';
import { at } from '../api/json-path.ts';
import { httpUrl } from '../options.ts';

/** What a browser's `PushSubscription` says as JSON, checked. */
export interface Subscription {
  readonly endpoint: URL;
  /** The browser's public key: 65 bytes, a point of P-256. */
  readonly p256dh: Buffer;
  /** 16 bytes. */
  readonly auth: Buffer;
}

/** The subscription in a target's `to`, or what is wrong with it. The address itself is not told: whoever has it can send there. */
export function subscriptionOf(to: string): Subscription | string {
  let json: unknown;
  try {
    json = JSON.parse(to);
  } catch {
    return 'the address is not the JSON of a push subscription';
  }
  const endpoint = httpUrl(at(json, 'endpoint'));
  if (endpoint === null) return "the subscription's endpoint is not a whole https address";
  const [p256dh, auth] = [bytesIn(at(json, 'keys', 'p256dh')), bytesIn(at(json, 'keys', 'auth'))];
  if (p256dh?.length !== 65 || p256dh[0] !== 4 || !isPoint(p256dh))
    return "the subscription's keys.p256dh is not an uncompressed point of P-256 in base64url";
  if (auth?.length !== 16) return "the subscription's keys.auth is not 16 bytes in base64url";
  return { endpoint, p256dh, auth };
}

/** Bytes in base64url; also in plain base64, padded or not, as some clients write them. Null for anything else. */
export function bytesIn(given: unknown): Buffer | null {
  return typeof given === 'string' && /^[\w+/-]+={0,2}$/.test(given) ? Buffer.from(given, 'base64url') : null;
}

function isPoint(key: Buffer): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}
