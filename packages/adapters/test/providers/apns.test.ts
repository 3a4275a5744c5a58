import { generateKeyPairSync, verify } from 'node:crypto';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { MessageContent, Provider, SendContext } from '@sendonce/core';
import { afterEach, describe, expect, test } from 'vitest';
import { deadlineOf } from '../../src/internal/deadline.ts';
import { http2Host } from '../../src/internal/http/http2.ts';
import { APNS, apns } from '../../src/providers/apns.ts';
import { fakeHttp2, type FakeHttp2, type Http2Act } from './support/fake-http2.ts';
import { contextOf, outgoing } from './support/sending.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const options = {
  key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  keyId: 'ABC123DEFG',
  teamId: 'DEF123GHIJ',
  topic: 'com.example.shop',
};
const message = outgoing({
  channel: 'push',
  to: 'ab'.repeat(32),
  content: { aps: { alert: { title: 'Ünïcode 😀' } }, data: { order: '7' } },
});

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function apple(act: Http2Act, most?: number): Promise<{ fake: FakeHttp2; provider: Provider }> {
  const fake = await fakeHttp2(act, most);
  const provider = apns({ ...options, baseUrl: fake.url });
  open.push(provider, fake);
  return { fake, provider };
}

const says =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Http2Act =>
  (stream) => {
    stream.respond({ ':status': status, ...headers });
    stream.end(body);
  };
const ID = 'eabeae54-14a8-11e5-b60b-1697f925ec7b';
const accepts = says(200, '', { 'apns-id': ID });
const SLOW = { deadlineMs: 1_000 };
const unknown = { kind: 'unknown' };

describe('apns: a service that read the whole request', () => {
  test.each<[what: string, act: Http2Act, outcome: object, context?: Partial<SendContext>]>([
    ['accepts it', accepts, { kind: 'accepted', providerMessageId: ID }],
    ['ends the stream', (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR), unknown],
    ['destroys the session', (_stream, session) => session.destroy(), unknown],
    ['resets the connection', (_stream, _session, fake) => fake.reset(), unknown],
    ['never answers', () => undefined, unknown, SLOW],
    ['refuses the stream unread', (s) => s.close(constants.NGHTTP2_REFUSED_STREAM), { kind: 'not-sent' }],
    ['answers 500', says(500, 'oops'), unknown],
    ['answers 502', says(502, '<html>'), unknown],
    ['answers 503 without a reason', says(503), unknown],
    ['answers 429 with Retry-After', says(429, '', { 'retry-after': '3' }), { kind: 'deferred', retryAfterMs: 3_000 }],
    ['answers 200 without an id', says(200), { kind: 'unknown', reason: 'missing-id' }],
    ['answers 307', says(307), { kind: 'rejected', scope: 'provider' }],
  ])('%s', async (_what, act, outcome, context) => {
    const { fake, provider } = await apple(act);
    expect(await provider.send(message, contextOf(context))).toMatchObject(outcome);
    expect(fake.complete).toHaveLength(1);
  });

  test.each(APNS.outcomes.map((row) => [row.status, row.code, row.is] as const))(
    'HTTP %s %s is %s',
    async (status = 0, code = '', is) => {
      const { fake, provider } = await apple(says(status, JSON.stringify({ reason: code })));
      const outcome = await provider.send(message, contextOf());
      expect([outcome.kind, 'scope' in outcome ? outcome.scope : ''].join(' ').trim()).toBe(is);
      expect(JSON.stringify(outcome)).toContain(code);
      expect(fake.complete).toHaveLength(1);
    },
  );
});

test.each([
  ['says since when', { reason: 'Unregistered', timestamp: 1_700_000_000_123 }, 1_700_000_000_123],
  ['says since nothing', { reason: 'ExpiredToken', timestamp: 'x' }, undefined],
])('a token that is gone is told with the time at which Apple found it so, where it %s', async (_, said, goneAt) => {
  const { provider } = await apple(says(410, JSON.stringify(said)));
  const { reason } = said;
  const expected = { kind: 'rejected', scope: 'destination', reason: `HTTP 410 (${reason}): ${reason}`, code: reason };
  expect(await provider.send(message, contextOf())).toEqual(goneAt === undefined ? expected : { ...expected, goneAt });
});

describe('a message through Apple', () => {
  test('is one request, the same for the same message and key', async () => {
    const { fake, provider } = await apple(accepts);
    await provider.send(message, contextOf());
    await provider.send({ ...message, content: { data: { order: '7' }, ...message.content } }, contextOf());
    const [first, second] = fake.complete;
    expect(first?.headers).toMatchObject({
      ':path': `/3/device/${message.to}`,
      'apns-id': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
      'apns-topic': options.topic,
      'apns-collapse-id': 'd_1',
      'apns-push-type': 'alert',
      'apns-priority': '10',
    });
    expect(JSON.parse(first?.body ?? '')).toEqual({
      aps: { alert: { title: 'Ünïcode 😀' } },
      order: '7',
      sendonce_delivery: 'd_1',
    });
    expect(second).toEqual(first);
  });

  test('says who sends by a token that the key signed, and that is kept', async () => {
    const { fake, provider } = await apple(accepts);
    for (let nth = 0; nth < 2; nth += 1) await provider.send(message, contextOf());
    const [one, two] = fake.complete.map(({ headers }) => headers.authorization);
    expect(two).toBe(one);
    const [head = '', claims = '', signature = ''] = one?.replace('bearer ', '').split('.') ?? [];
    const said = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(said(head)).toEqual({ alg: 'ES256', kid: options.keyId });
    expect(said(claims)).toMatchObject({ iss: options.teamId });
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  test.each<[what: string, content: object]>([
    ['nothing', {}],
    ['a text for aps', { aps: 'x' }],
    ['a list for data', { text: 'x', data: [] }],
    ['aps in its data', { text: 'x', data: { aps: {} } }],
    ['more than fits', { text: 'x'.repeat(4_096) }],
  ])('with %s is rejected before any request', async (_what, content) => {
    const refused = { ...message, content: content as MessageContent };
    const rejected = { kind: 'rejected', scope: 'message' };
    expect(apns(options).check?.(refused)).toMatchObject(rejected);
    expect(await apns(options).send(refused, contextOf())).toMatchObject(rejected);
  });

  test.each(['', 'xyz', '../../x', 'abc'])('to %j is rejected for its destination', async (to) => {
    const outcome = await apns(options).send({ ...message, to }, contextOf());
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'destination' });
  });
});

describe('the session', () => {
  test('is one for many sends at once, and no more of them are under way than the service allows', async () => {
    let [underWay, most] = [0, 0];
    const { fake, provider } = await apple((stream: ServerHttp2Stream, session, service) => {
      underWay += 1;
      most = Math.max(most, underWay);
      stream.on('close', () => (underWay -= 1));
      accepts(stream, session, service);
    }, 2);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => provider.send(message, contextOf())));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
    expect([fake.sessions(), fake.complete.length]).toEqual([1, 20]);
    expect(most).toBeLessThanOrEqual(2);
  });

  test('that says goodbye without a look at the last request did not send it, and is replaced', async () => {
    let nth = 0;
    const { fake, provider } = await apple((stream, session, service) => {
      nth += 1;
      if (nth === 2) session.goaway(constants.NGHTTP2_NO_ERROR, 1);
      else accepts(stream, session, service);
    });
    const kinds: string[] = [];
    for (let send = 0; send < 3; send += 1) kinds.push((await provider.send(message, contextOf(SLOW))).kind);
    expect(kinds).toEqual(['accepted', 'not-sent', 'accepted']);
    expect(fake.sessions()).toBe(2);
  });

  test('is asked for a sign of life after a pause, and goes on where it gives one', async () => {
    const { fake } = await apple(accepts);
    const host = http2Host(fake.url, 0);
    const deadline = deadlineOf(contextOf());
    const call = { url: new URL('/3/device/ab', fake.url), headers: {}, body: '{}' };
    for (let nth = 0; nth < 3; nth += 1)
      expect(await host.post(call, { deadline, timeoutMs: 5_000, bodyMs: 1_000 })).toMatchObject({ status: 200 });
    host.close();
    expect([fake.sessions(), fake.pings()]).toEqual([1, 2]);
  });

  test('that ended between two sends is replaced by a fresh one', async () => {
    const { fake, provider } = await apple(accepts);
    await provider.send(message, contextOf());
    await fake.endSessions();
    expect(await provider.send(message, contextOf())).toMatchObject({ kind: 'accepted' });
    expect(fake.sessions()).toBe(2);
  });

  test('is waited for within the deadline: what found no stream was not sent', async () => {
    const { fake, provider } = await apple(() => undefined, 1);
    const outcomes = await Promise.all([1, 2].map(() => provider.send(message, contextOf(SLOW))));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unknown', 'not-sent']);
    expect(fake.complete).toHaveLength(1);
  });

  test('is not to be had where nobody listens, nor once the provider is closed: nothing is sent', async () => {
    const { fake, provider } = await apple(accepts);
    await fake.close();
    expect(await provider.send(message, contextOf())).toMatchObject({ kind: 'not-sent' });
    await provider.close();
    await provider.close();
    expect(await provider.send(message, contextOf())).toMatchObject({
      kind: 'not-sent',
      reason: "the provider 'apns' is closed",
    });
    open.length = 0;
  });
});

test.each([
  [{ ...options, key: 'secret-words' }, /apns: key must be the content of a .p8 file.*, got a text of 12 characters/],
  [{ ...options, key: './keys/AuthKey_A1.p8' }, /got the path '\.\/keys\/AuthKey_A1\.p8'; give .*readFileSync\('\.\//],
  [{ ...options, key: '/run/secrets/apns' }, /got what looks like a path; give what is in the file/],
  [{ ...options, key: options.key.replaceAll('\n', '\\n') }, /line breaks are a backslash and an n/],
  [{ ...options, key: RSA }, /got a key of another kind \(rsa\)/],
  [{ ...options, topic: '' }, /topic must be/],
  [{ ...options, cert: 'x' }, /cert is not an option/],
])('the options are refused by the one that cannot work (%#)', (given, words) => {
  expect(() => apns(given as never)).toThrow(words);
});
