import { createDecipheriv, createECDH, createPublicKey, hkdfSync, type ECDH, type KeyObject } from 'node:crypto';
import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { verifiedJwt } from './support/jwt.ts';
import type { Log, Read, Vendor } from './support/vendor.ts';
import { json, type WireRequest } from './support/wire.ts';

/** The statuses of HTTP that RFC 8030 and 8292 give a meaning. */
const CODES = {
  '400': { status: 400, says: 'Invalid header', means: 'auth-config' },
  '401': { status: 401, says: 'Missing VAPID authorization', means: 'auth-config' },
  '403': { status: 403, says: 'The VAPID key is not the one of the subscription', means: 'auth-config' },
  '404': { status: 404, says: 'No such subscription', means: 'permanent-destination' },
  '410': { status: 410, says: 'The subscription is over', means: 'permanent-destination' },
  '413': { status: 413, says: 'The payload is longer than 4096 bytes', means: 'permanent-message' },
  '429': { status: 429, says: 'Too many requests', means: 'rate-limited' },
  '500': { status: 500, says: 'Internal Server Error', means: 'ambiguous' },
} as const;

export type WebPushCode = keyof typeof CODES;

export type FakeWebPushOptions = Behaviour<WebPushCode>;

export interface FakeWebPush extends WireFake<WebPushCode> {
  /**
   * A browser subscribes: the JSON of its subscription, for a target's `to`. `url` is what `listen()` gives. @defaultValue Mozilla's address.
   * Each call is another browser; what comes for it is read with its own keys.
   */
  subscribe(url?: string): string;
  /** The browser unsubscribes: from now on its subscription is over. */
  unsubscribe(subscription: string): void;
}

/** A push service and the browsers behind it: `mailbox` has what they could read, as `body.text`, and the endpoint as `to`. It knows no repeats. */
export function fakeWebPush(options: FakeWebPushOptions = {}): FakeWebPush {
  const browsers = new Map<string, Browser>();
  const fake = wireFake(vendor(browsers), options);
  return Object.assign(fake, {
    subscribe(url = 'https://updates.push.services.mozilla.com') {
      const ecdh = createECDH('prime256v1');
      const p256dh = ecdh.generateKeys();
      const auth = createECDH('prime256v1').generateKeys().subarray(1, 17);
      const path = `/wpush/v2/browser-${browsers.size + 1}`;
      browsers.set(path, { ecdh, p256dh, auth, isOver: false, vapidKey: null });
      const keys = { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') };
      return JSON.stringify({ endpoint: `${url}${path}`, keys });
    },
    unsubscribe(subscription: string) {
      const { endpoint } = JSON.parse(subscription) as { readonly endpoint: string };
      const browser = browsers.get(new URL(endpoint).pathname);
      if (browser !== undefined) browser.isOver = true;
    },
  });
}

interface Browser {
  readonly ecdh: ECDH;
  readonly p256dh: Buffer;
  readonly auth: Buffer;
  isOver: boolean;
  /** Of whoever sent first: nobody else may. */
  vapidKey: string | null;
}

const MOST_BYTES = 4_096;
const DAY_S = 86_400;

function vendor(browsers: ReadonlyMap<string, Browser>): Vendor<WebPushCode> {
  return {
    name: 'web-push',
    title: 'Web Push',
    origin: /^https:\/\/updates\.push\.services\.mozilla\.com\//,
    refusals: CODES,
    throttles: '429',
    isSend: ({ method, url }) => method === 'POST' && url.pathname.startsWith('/wpush/'),
    refusal: (code, message, status) => json(status, { code: Number(code), message }),
    read: (request, log) => read(request, log, browsers),
    id: (nth, { url }) => `${url.origin}/m/${nth}`,
    taken: ([first], { headers }) => ({
      status: 201,
      headers: { location: first?.id ?? '', ttl: headers['ttl'] ?? '' },
    }),
    notFound: json(404, { code: 404, message: 'Not Found' }),
  };
}

function read(request: WireRequest, { now }: Log, browsers: ReadonlyMap<string, Browser>): Read<WebPushCode> {
  const { url, headers, bytes } = request;
  const browser = browsers.get(url.pathname);
  if (browser === undefined) return { refused: '404' };
  if (browser.isOver) return { refused: '410' };
  const { ttl, topic, urgency = 'normal', 'content-encoding': encoding } = headers;
  if (!/^\d+$/.test(ttl ?? '')) return { refused: '400', words: 'Missing TTL' };
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(topic)) return { refused: '400', words: 'Invalid Topic' };
  if (!['very-low', 'low', 'normal', 'high'].includes(urgency)) return { refused: '400', words: 'Invalid Urgency' };
  if (encoding !== 'aes128gcm') return { refused: '400', words: 'Unknown Content-Encoding' };
  const refused = vapidProblem(request, browser, now());
  if (refused !== null) return { refused };
  if (bytes.length > MOST_BYTES) return { refused: '413' };
  const text = decrypted(bytes, browser);
  // The service cannot tell, and takes it; no browser shows it.
  return { to: [url.href], key: null, body: { text, ttl: Number(ttl), topic: topic ?? null, urgency } };
}

function vapidProblem({ url, headers }: WireRequest, browser: Browser, now: number): '401' | '403' | null {
  const said = /^vapid t=([^,]+), ?k=([\w-]+)$/i.exec(headers['authorization'] ?? '');
  if (said === null) return '401';
  const [, token = '', key = ''] = said;
  const publicKey = pointOf(key);
  const claims = publicKey === null ? undefined : verifiedJwt(token, publicKey, 'ES256')?.claims;
  if (claims === undefined || claims['aud'] !== url.origin) return '401';
  const left = Number(claims['exp']) - now / 1_000;
  if (!(left > 0 && left <= DAY_S) || !/^(mailto:|https:)/.test(String(claims['sub']))) return '401';
  browser.vapidKey ??= key;
  return browser.vapidKey === key ? null : '403';
}

function pointOf(key: string): KeyObject | null {
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65) return null;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'));
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' });
  } catch {
    return null;
  }
}

/** RFC 8291, as the browser reads it: one record. Null where it is not for this browser. */
function decrypted(body: Buffer, { ecdh, p256dh, auth }: Browser): string | null {
  const hkdf = (secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, info, length));
  try {
    const keyLength = body.readUInt8(20);
    const [salt, sender] = [body.subarray(0, 16), body.subarray(21, 21 + keyLength)];
    const record = body.subarray(21 + keyLength);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, sender]);
    const shared = hkdf(ecdh.computeSecret(sender), auth, info, 32);
    const key = hkdf(shared, salt, 'Content-Encoding: aes128gcm\0', 16);
    const decipher = createDecipheriv('aes-128-gcm', key, hkdf(shared, salt, 'Content-Encoding: nonce\0', 12));
    decipher.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    return padded.subarray(0, padded.lastIndexOf(2)).toString();
  } catch {
    return null;
  }
}
