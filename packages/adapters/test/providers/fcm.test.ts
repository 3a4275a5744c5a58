import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import type { MessageContent, Provider } from '@sendonce/core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FCM, fcm, type FcmOptions } from '../../src/providers/fcm.ts';
import { testApiProvider } from './support/api-provider.ts';
import { answer, fakeHttp, type FakeHttp, type HttpAct, type ReceivedRequest } from './support/fake-http.ts';
import { contextOf, outgoing } from './support/sending.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const account = { project_id: 'shop-1', client_email: 'sender@example.com', private_key: privateKey };
const content = { notification: { title: 'Ünïcode 😀', body: 'Hello.' }, data: { order: '7', b: '1' } };
const message = outgoing({ channel: 'push', to: 'tok:en_1', content });
const TAKEN = '{"name":"projects/shop-1/messages/0:1"}';

let google: FakeHttp;
let tokens: HttpAct = { then: 'close' };
const open: FakeHttp[] = [];
const token = (value: string, seconds = 3_599): HttpAct => ({
  write: answer(200, JSON.stringify({ access_token: value, expires_in: seconds, token_type: 'Bearer' })),
  then: 'close',
});
beforeAll(async () => {
  tokens = token('t1');
  google = await fakeHttp(() => tokens);
});
afterAll(() => google.close());
afterEach(async () => {
  tokens = token('t1');
  google.complete.length = 0;
  for (const fake of open.splice(0)) await fake.close();
});

function make(baseUrl: string, options: Partial<FcmOptions> = {}): Provider {
  return fcm({
    serviceAccount: { ...account, token_uri: `http://127.0.0.1:${google.port}/token` },
    baseUrl,
    ...options,
  });
}

async function service(act: (request: ReceivedRequest) => HttpAct): Promise<{ fake: FakeHttp; url: string }> {
  const fake = await fakeHttp(act);
  open.push(fake);
  return { fake, url: `http://127.0.0.1:${fake.port}` };
}
const accepts = (): HttpAct => ({ write: answer(200, TAKEN), then: 'close' });

testApiProvider({
  name: 'fcm',
  make,
  message,
  taken: { status: 200, body: TAKEN },
  id: 'projects/shop-1/messages/0:1',
  refusal: (code, status) =>
    JSON.stringify({
      error: {
        code: status,
        message: 'in words',
        status: 'SOMETHING_GENERAL',
        details: [{ '@type': 'type.googleapis.com/other' }, { errorCode: code }],
      },
    }),
  table: FCM.outcomes,
});

describe('a message through Firebase', () => {
  test('is one request with our id wherever a repeat can be told by it', async () => {
    const { fake, url } = await service(accepts);
    await make(`${url}/`).send(message, contextOf());
    const [{ line, headers, body } = { line: '', headers: {}, body: '' }] = fake.complete;
    expect(line).toBe('POST /v1/projects/shop-1/messages:send HTTP/1.1');
    expect(headers).toMatchObject({ authorization: 'Bearer t1', 'content-type': 'application/json' });
    expect(JSON.parse(body)).toEqual({
      message: {
        token: 'tok:en_1',
        notification: content.notification,
        data: { order: '7', b: '1', sendonce_delivery: 'd_1' },
        android: { notification: { tag: 'd_1' } },
        apns: { headers: { 'apns-collapse-id': 'd_1' } },
        webpush: { notification: { tag: 'd_1' }, headers: { Topic: expect.stringMatching(/^[\w-]{32}$/) as string } },
      },
    });
  });

  test('of data alone stays one: nothing in it asks a device to show something', async () => {
    const { fake, url } = await service(accepts);
    await make(url).send({ ...message, content: { data: { a: 'b' } } }, contextOf());
    expect(fake.complete[0]?.body).not.toContain('notification');
  });

  test('keeps what the content says of its tag and collapse id', async () => {
    const { fake, url } = await service(accepts);
    const own = {
      notification: { title: 'x' },
      android: { notification: { tag: 'mine' }, collapse_key: 'k', ttl: '60s' },
      apns: { headers: { 'APNS-Collapse-Id': 'mine' }, payload: { aps: { badge: 1 } } },
      webpush: { headers: { Topic: 'mine' }, notification: { tag: 'mine' } },
    };
    await make(url).send({ ...message, content: own }, contextOf());
    expect(JSON.parse(fake.complete[0]?.body ?? '')).toMatchObject({ message: own });
    expect(fake.complete[0]?.body).not.toContain('apns-collapse-id');
  });

  test('of a subject and a text shows these', async () => {
    const { fake, url } = await service(accepts);
    await make(url).send({ ...message, content: { subject: 'Order 4711', text: 'Thank you.' } }, contextOf());
    expect(JSON.parse(fake.complete[0]?.body ?? '')).toMatchObject({
      message: { notification: { title: 'Order 4711', body: 'Thank you.' } },
    });
  });

  test.each<[what: string, given: object]>([
    ['nothing to show or to hand over', {}],
    ['a reserved key', { data: { from: 'x' } }],
    ['a key that begins as one of Google', { data: { 'google.c.a.e': '1' } }],
    ['a key that begins as one of GCM', { data: { 'gcm.notification.title': 'x' } }],
    ['message_type', { data: { message_type: 'x' } }],
    ['our key', { data: { sendonce_delivery: 'd_2' } }],
    ['a reserved key for Android alone', { data: {}, android: { data: { from: 'x' } } }],
    ['a number in data', { data: { count: 1 } }],
    ['a text for a notification', { notification: 'x' }],
    ['a list of headers', { text: 'x', apns: { headers: [] } }],
    ['a number for a text', { text: 1 }],
  ])('with %s is rejected before any request', async (_what, given) => {
    const provider = make('http://127.0.0.1:9');
    const refused = { ...message, content: given as MessageContent };
    const rejected = { kind: 'rejected', scope: 'message' };
    expect(provider.check?.(refused)).toMatchObject(rejected);
    expect(await provider.send(refused, contextOf())).toMatchObject(rejected);
    expect(google.complete).toEqual([]);
  });

  test.each(['', 'two words', 'tok\nen', 'ü'])('to %j is rejected for its destination', async (to) => {
    const outcome = await make('http://127.0.0.1:9').send({ ...message, to }, contextOf());
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'destination' });
    expect(google.complete).toEqual([]);
  });

  test('that is refused for too many waits a minute where no time is named', async () => {
    const { url } = await service(() => ({ write: answer(429, '{}'), then: 'close' }));
    expect(await make(url).send(message, contextOf())).toMatchObject({ kind: 'deferred', retryAfterMs: 60_000 });
  });

  test('whose token and content cannot be told apart as the reason is about the message', async () => {
    const body = JSON.stringify({ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'not a valid token' } });
    const { url } = await service(() => ({ write: answer(400, body), then: 'close' }));
    const outcome = await make(url).send(message, contextOf());
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'message', code: 'INVALID_ARGUMENT' });
  });
});

describe('the token of OAuth', () => {
  test('is asked for by an assertion that the key of the service account signed', async () => {
    const { url } = await service(accepts);
    await make(url).send(message, contextOf());
    const form = new URLSearchParams(google.complete[0]?.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [head = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? [];
    const said = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(said(head)).toEqual({ alg: 'RS256', typ: 'JWT' });
    const { iat, ...rest } = said(claims) as { iat: number };
    expect(rest).toEqual({
      iss: account.client_email,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: `http://127.0.0.1:${google.port}/token`,
      exp: iat + 3_600,
    });
    expect(Math.abs(iat * 1_000 - Date.now())).toBeLessThan(60_000);
    const signed = Buffer.from(`${head}.${claims}`);
    expect(verify('sha256', signed, createPublicKey(publicKey), Buffer.from(signature, 'base64url'))).toBe(true);
  });

  test('is asked for once by many sends at once, and kept for those after them', async () => {
    const { fake, url } = await service(accepts);
    const provider = make(url);
    await Promise.all(Array.from({ length: 20 }, () => provider.send(message, contextOf())));
    await provider.send(message, contextOf());
    expect(google.complete).toHaveLength(1);
    expect(fake.complete).toHaveLength(21);
  });

  test('is not kept into its last five minutes', async () => {
    tokens = token('short', 299);
    const { fake, url } = await service(accepts);
    const provider = make(url);
    await provider.send(message, contextOf());
    tokens = token('next');
    await provider.send(message, contextOf());
    expect(fake.complete.map(({ headers }) => headers['authorization'])).toEqual(['Bearer short', 'Bearer next']);
  });

  test('that Firebase refuses is not kept', async () => {
    const { url } = await service(({ headers }) =>
      headers['authorization'] === 'Bearer t1' ? { write: answer(401, '{}'), then: 'close' } : accepts(),
    );
    const provider = make(url);
    expect(await provider.send(message, contextOf())).toMatchObject({ kind: 'rejected', scope: 'provider' });
    tokens = token('t2');
    expect(await provider.send(message, contextOf())).toMatchObject({ kind: 'accepted' });
  });

  test.each<[what: string, act: HttpAct, reason: RegExp]>([
    [
      'the key is refused',
      { write: answer(400, '{"error":"invalid_grant","error_description":"Bad key"}'), then: 'close' },
      /400 invalid_grant Bad key/,
    ],
    ['the service is down', { write: answer(503, 'oops'), then: 'close' }, /503/],
    ['the connection breaks', { then: 'reset' }, /no token from Google/],
    ['the answer is none', { write: answer(200, '<html>'), then: 'close' }, /no token from Google: HTTP 200/],
  ])('is not to be had when %s: nothing is sent, and the next send asks again', async (_what, act, reason) => {
    tokens = act;
    const { fake, url } = await service(accepts);
    const provider = make(url);
    const outcome = await provider.send(message, contextOf());
    expect(outcome).toMatchObject({ kind: 'not-sent', reason: expect.stringMatching(reason) as string });
    expect(fake.complete).toEqual([]);
    tokens = token('t1');
    expect(await provider.send(message, contextOf())).toMatchObject({ kind: 'accepted' });
  });

  test('is waited for no longer than the send may last', async () => {
    tokens = { then: 'hang' };
    const { fake, url } = await service(accepts);
    const outcome = await make(url).send(message, contextOf({ deadlineMs: 200 }));
    expect(outcome).toEqual({ kind: 'not-sent', reason: 'the send deadline passed while waiting for a token' });
    expect(fake.complete).toEqual([]);
  });
});

test.each([
  [{}, /fcm: serviceAccount must be/],
  [
    { serviceAccount: './key.json' },
    /fcm: serviceAccount must be the JSON .*, got the path '\.\/key\.json'; give what is in/,
  ],
  [{ serviceAccount: '/run/secrets/google' }, /got what looks like a path/],
  [{ serviceAccount: { ...account, client_email: '' } }, /needs a text 'client_email'/],
  [{ serviceAccount: { ...account, private_key: 'secret-words' } }, /'private_key' is not an RSA key/],
  [{ serviceAccount: { ...account, token_uri: 'ftp://x' } }, /'token_uri'/],
  [{ serviceAccount: account, timeoutMs: 0 }, /timeoutMs/],
  [{ serviceAccount: account, key: 'x' }, /key is not an option/],
])('the options are refused by the one that cannot work (%#)', (given, words) => {
  const refused = (): unknown => fcm(given as never);
  expect(refused).toThrow(words);
  expect(refused).not.toThrow(/secret-words/);
});

test('a service account may be the text of its file', () => {
  expect(fcm({ serviceAccount: JSON.stringify(account) }).name).toBe('fcm');
});
