import { createDecipheriv, createECDH, createPublicKey, hkdfSync, verify } from 'node:crypto';
import type { MessageContent, Provider } from '@sendonce/core';
import { afterEach, describe, expect, test } from 'vitest';
import { subscriptionOf, type Subscription } from '../../src/internal/push/subscription.ts';
import { encrypted, ephemeralOf } from '../../src/internal/push/web-encryption.ts';
import { WEB_PUSH, webPush, type WebPushOptions } from '../../src/providers/web-push.ts';
import { testApiProvider } from './support/api-provider.ts';
import { answer, fakeHttp, type FakeHttp, type ReceivedRequest } from './support/fake-http.ts';
import { contextOf, outgoing } from './support/sending.ts';

/** RFC 8291, section 5 and appendix A. */
const RFC = {
  plain: 'When I grow up, I want to be a watermelon',
  ours: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  browser: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};
const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
const subscription = (endpoint: string, keys: object = {}): string =>
  JSON.stringify({ endpoint, expirationTime: null, keys: { p256dh: RFC.p256dh, auth: RFC.auth, ...keys } });

const signer = createECDH('prime256v1');
signer.setPrivateKey(bytes(RFC.ours));
const vapid = {
  publicKey: signer.getPublicKey('base64url'),
  privateKey: RFC.ours,
  subject: 'mailto:ops@example.com',
};
const message = outgoing({
  channel: 'push',
  to: subscription('https://fcm.googleapis.com/fcm/send/1'),
  content: { title: 'Ünïcode 😀', body: 'Hello.' },
});
const LOCATION = 'https://push.example.net/message/qDIYHNcfAIPP_5ITvURr-d6BGt';
const local = { vapid, allow: () => true, privateAddresses: true };

/** One that sends to the server at `baseUrl` whatever the subscription says. */
function make(baseUrl: string, options: WebPushOptions = local): Provider {
  const provider = webPush(options);
  const to = subscription(`${baseUrl}/push/1?x=2`);
  return { ...provider, send: (given, context) => provider.send({ ...given, to }, context) };
}

testApiProvider({
  name: 'web-push',
  make,
  message,
  taken: { status: 201, body: '', headers: { location: LOCATION } },
  id: LOCATION,
  refusal: () => '{"message":"in words"}',
  table: WEB_PUSH.outcomes,
  varying: ['authorization'],
});

const open: FakeHttp[] = [];
afterEach(async () => {
  for (const fake of open.splice(0)) await fake.close();
});

async function received(content: MessageContent, options?: WebPushOptions): Promise<[ReceivedRequest, string]> {
  const fake = await fakeHttp(() => ({ write: answer(201, '', { location: LOCATION }), then: 'close' }));
  open.push(fake);
  const url = `http://127.0.0.1:${fake.port}`;
  const outcome = await make(url, options).send({ ...message, content }, contextOf());
  expect(outcome).toMatchObject({ kind: 'accepted' });
  return [fake.complete[0] as ReceivedRequest, url];
}

/** What the browser of the RFC makes of a body. */
function decrypted(body: Buffer): string {
  const [salt, theirs, record] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
  const browser = createECDH('prime256v1');
  browser.setPrivateKey(bytes(RFC.browser));
  const derive = (secret: Buffer, by: Buffer, info: Buffer | string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, by, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), theirs]);
  const shared = derive(browser.computeSecret(theirs), bytes(RFC.auth), info, 32);
  const key = derive(shared, salt, 'Content-Encoding: aes128gcm\0', 16);
  const decipher = createDecipheriv('aes-128-gcm', key, derive(shared, salt, 'Content-Encoding: nonce\0', 12));
  decipher.setAuthTag(record.subarray(-16));
  const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  expect(plain.at(-1)).toBe(2);
  return plain.subarray(0, -1).toString();
}

describe('the encryption', () => {
  const to = subscriptionOf(message.to) as Subscription;

  test('makes the body of RFC 8291 of its keys and text', () => {
    const made = encrypted(Buffer.from(RFC.plain), to, { salt: bytes(RFC.salt), privateKey: bytes(RFC.ours) });
    expect(made.toString('base64url')).toBe(RFC.body);
    expect(decrypted(made)).toBe(RFC.plain);
  });

  const [secret, plain] = [Buffer.alloc(32, 1), Buffer.from('a')];
  const first = ephemeralOf(secret, 'k_1', to, plain);
  test('has the same salt and key for the same message and delivery key', () => {
    expect(ephemeralOf(secret, 'k_1', to, plain)).toEqual(first);
  });

  test.each([
    ['delivery key', ephemeralOf(secret, 'k_2', to, plain)],
    ['content', ephemeralOf(secret, 'k_1', to, Buffer.from('b'))],
    ['browser', ephemeralOf(secret, 'k_1', { ...to, p256dh: signer.getPublicKey() }, plain)],
    ['auth', ephemeralOf(secret, 'k_1', { ...to, auth: Buffer.alloc(16) }, plain)],
    ['endpoint', ephemeralOf(secret, 'k_1', { ...to, endpoint: new URL('https://b.example') }, plain)],
    ['secret', ephemeralOf(Buffer.alloc(32, 2), 'k_1', to, plain)],
  ])('has another salt and another key with another %s', (_what, other) => {
    expect(other.salt).not.toEqual(first.salt);
    expect(other.privateKey).not.toEqual(first.privateKey);
  });
});

describe('a message by Web Push', () => {
  test('is one request that only the browser can read', async () => {
    const [{ line, headers, bytes: body }] = await received({
      ...message.content,
      webPush: { ttlSeconds: 60, urgency: 'high' },
    });
    expect(line).toBe('POST /push/1?x=2 HTTP/1.1');
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '60', urgency: 'high' });
    expect(headers['topic']).toMatch(/^[\w-]{32}$/);
    expect(JSON.parse(decrypted(body))).toEqual({ ...message.content, tag: 'd_1' });
  });

  test('keeps a topic and a tag of its own, and waits four weeks where nobody says else', async () => {
    const [{ headers, bytes: body }] = await received({ tag: 'mine', webPush: { topic: 'mine' } });
    expect(headers).toMatchObject({ topic: 'mine', ttl: '2419200', urgency: 'normal' });
    expect(decrypted(body)).toBe('{"tag":"mine"}');
  });

  test('says who sends by a token for this service, which the public key verifies', async () => {
    const [{ headers }, url] = await received(message.content);
    const [, head = '', claims = '', signature = '', key] =
      /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(headers['authorization'] ?? '') ?? [];
    const said = (part: string): unknown => JSON.parse(bytes(part).toString());
    expect(said(head)).toEqual({ typ: 'JWT', alg: 'ES256' });
    const { exp, ...rest } = said(claims) as { exp: number };
    expect(rest).toEqual({ aud: url, sub: vapid.subject });
    expect(exp - Date.now() / 1_000).toBeGreaterThan(11 * 3_600);
    expect(exp - Date.now() / 1_000).toBeLessThan(24 * 3_600);
    expect(key).toBe(vapid.publicKey);
    const point = signer.getPublicKey();
    const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
    const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    const signed = Buffer.from(`${head}.${claims}`);
    expect(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes(signature))).toBe(true);
  });

  test.each<[what: string, content: object]>([
    ['more than fits', { text: 'x'.repeat(4_000) }],
    ['a topic with other characters', { webPush: { topic: 'a b' } }],
    ['a topic that is too long', { webPush: { topic: 'x'.repeat(33) } }],
    ['an urgency that is none', { webPush: { urgency: 'now' } }],
    ['a time to live below 0', { webPush: { ttlSeconds: -1 } }],
    ['a text for webPush', { webPush: 'x' }],
  ])('with %s is rejected before any request', async (_what, content) => {
    const refused = { ...message, content: content as MessageContent };
    const rejected = { kind: 'rejected', scope: 'message' };
    expect(webPush({ vapid }).check?.(refused)).toMatchObject(rejected);
    expect(await webPush({ vapid }).send(refused, contextOf())).toMatchObject(rejected);
  });

  test.each<[what: string, to: string, options?: Partial<WebPushOptions>]>([
    ['no JSON', 'https://fcm.googleapis.com/1'],
    ['no endpoint', '{}'],
    ['http', subscription('http://fcm.googleapis.com/1')],
    ['a host that is no push service', subscription('https://evil.example/1')],
    ['a host that ends like one', subscription('https://evilpush.apple.com.example/1')],
    ['a host that has one in its name', subscription('https://evilfcm.googleapis.com/1')],
    ['a host that begins like one', subscription('https://fcm.googleapis.com.evil.example/1')],
    ['a private address', subscription('https://10.0.0.1/1'), { allow: () => true }],
    ['this host', subscription('https://[::1]/1'), { allow: () => true }],
    ['a name of this host', subscription('https://localhost/1'), { allow: () => true }],
    ['a user and password', subscription('https://a:b@fcm.googleapis.com/1')],
    ['a key that is too short', subscription('https://fcm.googleapis.com/1', { p256dh: 'BCVx' })],
    [
      'a key that is no point',
      subscription('https://fcm.googleapis.com/1', { p256dh: Buffer.alloc(65, 4).toString('base64url') }),
    ],
    ['an auth that is too short', subscription('https://fcm.googleapis.com/1', { auth: 'BTBZ' })],
  ])('to %s is rejected for its destination, and the address is not told', async (_what, to, options = {}) => {
    const outcome = await webPush({ vapid, ...options }).send({ ...message, to }, contextOf());
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'destination' });
    expect(JSON.stringify(outcome)).not.toContain('/1');
  });

  test('is refused for this provider, not for the browser, where nobody could say whether it may go there', async () => {
    const allow = (): boolean => {
      throw new Error('oops');
    };
    const outcome = await webPush({ vapid, allow }).send(message, contextOf());
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'provider' });
  });

  test.each([
    'https://fcm.googleapis.com/fcm/send/x',
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://web.push.apple.com/x',
    'https://wns2-par02p.notify.windows.com/w/?token=x',
  ])('may go to %s', (endpoint) => {
    expect(webPush({ vapid }).check?.({ ...message, to: subscription(endpoint) })).toBeNull();
  });
});

test.each([
  [{}, /web-push: vapid must be an object/],
  [{ vapid: { ...vapid, subject: 'ops@example.com' } }, /subject must be a mailto: or https: address/],
  [{ vapid: { ...vapid, privateKey: 'abc' } }, /privateKey must be a private key of P-256/],
  [{ vapid: { ...vapid, privateKey: Buffer.alloc(32).toString('base64url') } }, /privateKey must be a private key/],
  [{ vapid: { ...vapid, publicKey: RFC.p256dh } }, /publicKey must be the one of privateKey/],
  [{ vapid, ttlSeconds: 1.5 }, /ttlSeconds must be a whole number/],
  [{ vapid, key: 'x' }, /key is not an option/],
])('the options are refused by the one that cannot work (%#)', (given, words) => {
  expect(() => webPush(given as never)).toThrow(words);
});
