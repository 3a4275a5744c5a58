import { createHmac } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { OutgoingMessage, Provider, SendContext } from '@sendonce/core';
import {
  providerCapabilities,
  providerLaws,
  type ProviderSubject,
  type ServiceAnswer,
} from '@sendonce/core/conformance';
import { testLaws } from '../../../core/test/conformance/support/laws.ts';
import { webhook, type WebhookOptions } from '../../src/providers/webhook.ts';
import { answer, fakeHttp, type FakeHttp, type HttpAct } from './support/fake-http.ts';
import { contextOf, outgoing } from './support/sending.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

async function receiver(act: HttpAct): Promise<FakeHttp> {
  const fake = await fakeHttp(() => act);
  closing.push(() => fake.close());
  return fake;
}

const message = (patch: Partial<OutgoingMessage> = {}): OutgoingMessage =>
  outgoing({ channel: 'webhook', to: 'account-7', content: { type: 'order.placed', data: { id: 4711 } }, ...patch });

async function sent(act: HttpAct, options: Partial<WebhookOptions> = {}, context: Partial<SendContext> = {}) {
  const fake = await receiver(act);
  const outcome = await webhook({ url: fake.url, ...options }).send(message(), contextOf(context));
  return { outcome, fake };
}

const accepted = { kind: 'accepted', providerMessageId: 'k_1' };
const unknown = { kind: 'unknown' };
const rejected = (scope: string, code: number) => ({ kind: 'rejected', scope, code: String(code) });
const SLOW: Partial<SendContext> = { deadlineMs: 1_000 };

// What the receiver does once it has read the whole request; what is said of it.
const FAULTS: readonly (readonly [what: string, act: HttpAct, outcome: object, context?: Partial<SendContext>])[] = [
  ['answers 200', { write: answer(200, '{"ok":true}'), then: 'close' }, accepted],
  ['answers 204', { write: answer(204), then: 'close' }, accepted],
  ['answers 200 with nothing', { write: answer(200), then: 'hang' }, accepted],
  ['answers 200 with HTML', { write: answer(200, '<html>'), then: 'hang' }, accepted],
  ['answers 200 and breaks off', { write: answer(200, '{', { 'content-length': '100' }), then: 'close' }, accepted],
  ['answers 200 and resets', { write: answer(200, '{', { 'content-length': '100' }), then: 'reset' }, accepted],
  ['answers 200 and never ends', { write: answer(200, '{', { 'content-length': '100' }), then: 'hang' }, accepted],
  ['answers 200 with more than anybody reads', { write: answer(200, 'x'.repeat(200_000)), then: 'hang' }, accepted],
  ['announces hints, then answers 200', { write: `HTTP/1.1 103 X\r\n\r\n${answer(200)}`, then: 'hang' }, accepted],
  ['only announces hints', { write: 'HTTP/1.1 103 X\r\n\r\n', then: 'close' }, unknown],
  [
    'changes the protocol',
    { write: 'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', then: 'hang' },
    unknown,
  ],
  ['closes', { then: 'close' }, unknown],
  ['resets', { then: 'reset' }, unknown],
  ['hangs', { then: 'hang' }, unknown, SLOW],
  ['breaks off in its status', { write: 'HTTP/1.1 20', then: 'close' }, unknown],
  ['breaks off in its headers', { write: 'HTTP/1.1 200 OK\r\nconte', then: 'close' }, unknown],
  ['never ends its headers', { write: 'HTTP/1.1 200 OK\r\nconte', then: 'hang' }, unknown, SLOW],
  ['answers with nonsense', { write: 'no HTTP at all\r\n\r\n', then: 'close' }, unknown],
  ['redirects with 301', { write: answer(301, '', { location: '/b' }), then: 'close' }, rejected('provider', 301)],
  ['redirects with 302', { write: answer(302, '', { location: '/b' }), then: 'close' }, unknown],
  ['redirects with 303', { write: answer(303, '', { location: '/b' }), then: 'close' }, unknown],
  ['redirects with 307', { write: answer(307, '', { location: '/b' }), then: 'close' }, rejected('provider', 307)],
  ['redirects with 308', { write: answer(308, '', { location: '/b' }), then: 'close' }, rejected('provider', 308)],
  ['answers 304', { write: answer(304), then: 'close' }, unknown],
  ['answers 400', { write: answer(400, '{"error":"bad"}'), then: 'close' }, rejected('message', 400)],
  [
    'answers 400 and breaks off',
    { write: answer(400, '{', { 'content-length': '100' }), then: 'close' },
    rejected('message', 400),
  ],
  ['answers 401', { write: answer(401), then: 'close' }, rejected('provider', 401)],
  ['answers 403', { write: answer(403), then: 'close' }, rejected('provider', 403)],
  ['answers 404', { write: answer(404), then: 'close' }, rejected('provider', 404)],
  ['answers 408', { write: answer(408), then: 'close' }, unknown],
  ['answers 409', { write: answer(409), then: 'close' }, unknown],
  ['answers 410', { write: answer(410), then: 'close' }, rejected('provider', 410)],
  ['answers 413', { write: answer(413), then: 'close' }, rejected('message', 413)],
  ['answers 421', { write: answer(421), then: 'close' }, rejected('provider', 421)],
  [
    'answers 422',
    { write: answer(422, 'no such order'), then: 'close' },
    { ...rejected('message', 422), reason: 'HTTP 422: no such order' },
  ],
  ['answers 429', { write: answer(429), then: 'close' }, { kind: 'deferred', reason: 'HTTP 429' }],
  [
    'answers 429 for 2 s',
    { write: answer(429, '', { 'retry-after': '2' }), then: 'close' },
    { kind: 'deferred', retryAfterMs: 2_000 },
  ],
  ['answers 500', { write: answer(500), then: 'close' }, unknown],
  ['answers 501', { write: answer(501), then: 'close' }, rejected('provider', 501)],
  ['answers 502', { write: answer(502, '<html>bad gateway'), then: 'close' }, unknown],
  ['answers 503', { write: answer(503), then: 'close' }, unknown],
  [
    'answers 503 for 2 s, but never promised that this means not taken',
    { write: answer(503, '', { 'retry-after': '2' }), then: 'close' },
    unknown,
  ],
  ['answers 504', { write: answer(504), then: 'close' }, unknown],
  ['answers 599', { write: answer(599), then: 'close' }, unknown],
];

describe('a receiver that has read the whole request and', () => {
  test.for(FAULTS)('%s', async ([, act, outcome, context]) => {
    const { outcome: said, fake } = await sent(act, {}, context);
    expect(said).toMatchObject(outcome);
    expect([fake.complete.length, fake.connections()]).toEqual([1, 1]);
    expect(JSON.stringify(said)).not.toContain('secret-token');
  });

  test('answers 503, which it promised to mean that it took nothing, is tried later', async () => {
    const { outcome } = await sent(
      { write: answer(503, '', { 'retry-after': '120' }), then: 'close' },
      { notTakenOn: [503] },
    );
    expect(outcome).toMatchObject({ kind: 'deferred', retryAfterMs: 120_000 });
  });

  const inTime: readonly (readonly [string, string, number | undefined])[] = [
    ['0', '', 0],
    ['1.5', '', 1_500],
    ['999999999', '', 86_400_000],
    ['-5', '', undefined],
    ['soon', '', undefined],
    ['', '', undefined],
    ['Sun, 01 Mar 2026 08:01:00 GMT', 'Sun, 01 Mar 2026 08:00:00 GMT', 60_000],
    ['Sun, 01 Mar 2026 07:00:00 GMT', 'Sun, 01 Mar 2026 08:00:00 GMT', 0],
    ['Sun, 01 Mar 2099 07:00:00 GMT', 'Sun, 01 Mar 2026 08:00:00 GMT', 86_400_000],
  ];
  test.each(inTime)('asks to retry after %j (its clock: %j) is given %j ms', async (wait, date, retryAfterMs) => {
    const { outcome } = await sent({
      write: answer(429, '', { 'retry-after': wait, ...(date === '' ? {} : { date }) }),
      then: 'close',
    });
    expect(outcome).toEqual({
      kind: 'deferred',
      reason: 'HTTP 429',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  });

  test('answers after the time limit is not waited for', async () => {
    const began = performance.now();
    const { outcome } = await sent({ then: 'hang' }, { timeoutMs: 700 });
    expect(outcome).toMatchObject(unknown);
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  test('is cut short by the deadline, leaves the outcome unknown at once', async () => {
    const aborter = new AbortController();
    const fake = await fakeHttp(() => {
      setImmediate(() => aborter.abort());
      return { then: 'hang' };
    });
    closing.push(() => fake.close());
    const said = await webhook({ url: fake.url }).send(message(), contextOf({ signal: aborter.signal }));
    expect(said).toMatchObject(unknown);
  });
});

describe('before the first byte', () => {
  async function unused(): Promise<number> {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    return port;
  }

  test('a refused connection, an unknown name and a failed handshake are not sent', async () => {
    const plain = await receiver({ then: 'hang' });
    const urls = [`http://127.0.0.1:${await unused()}/`, 'http://hooks.invalid/', `https://127.0.0.1:${plain.port}/`];
    for (const url of urls) {
      const said = await webhook({ url }).send(message(), contextOf({ deadlineMs: 1_000 }));
      expect(said, url).toMatchObject({ kind: 'not-sent' });
    }
    expect(plain.complete).toEqual([]);
  });

  test('a deadline that has passed sends nothing', async () => {
    const fake = await receiver({ write: answer(200), then: 'close' });
    const provider = webhook({ url: fake.url });
    for (const context of [{ deadlineMs: 0 }, { deadlineMs: -5 }, { signal: AbortSignal.abort() }])
      expect(await provider.send(message(), contextOf(context))).toMatchObject({ kind: 'not-sent' });
    expect(fake.connections()).toBe(0);
  });

  test('a deadline that passes while this process stands still sends nothing', async () => {
    const fake = await receiver({ write: answer(200), then: 'close' });
    const sending = webhook({ url: fake.url }).send(message(), contextOf({ deadlineMs: 100 }));
    const until = performance.now() + 200;
    while (performance.now() < until);
    expect(await sending).toMatchObject({ kind: 'not-sent' });
    expect(fake.complete).toEqual([]);
  });

  test('a deadline that passes by the clock on the wall alone, since the host was asleep, sends nothing', async () => {
    const fake = await receiver({ write: answer(200), then: 'close' });
    const sending = webhook({ url: fake.url }).send(message(), contextOf());
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    expect(await sending).toMatchObject({ kind: 'not-sent' });
    expect(fake.complete).toEqual([]);
  });

  test('a closed provider sends nothing, and may be closed again', async () => {
    const fake = await receiver({ write: answer(200), then: 'close' });
    const provider = webhook({ url: fake.url });
    await provider.close();
    await provider.close();
    expect(await provider.send(message(), contextOf())).toMatchObject({ kind: 'not-sent' });
    expect(fake.connections()).toBe(0);
  });
});

describe('a request', () => {
  const ok: HttpAct = { write: answer(200), then: 'close' };

  test('carries the content as JSON, under the id of the delivery', async () => {
    const { fake } = await sent(ok, { headers: { Authorization: 'Bearer t' } });
    const [request] = fake.complete;
    expect(request?.line).toBe('POST /hooks/secret-token?x=1 HTTP/1.1');
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer t',
      host: `127.0.0.1:${fake.port}`,
      'webhook-id': 'k_1',
    });
    expect(request?.headers['webhook-signature']).toBeUndefined();
    expect(JSON.parse(request?.body ?? '')).toEqual(message().content);
  });

  test('is signed so that any library of Standard Webhooks can check it', async () => {
    const { fake } = await sent(ok, { secret: SECRET });
    const { headers, body } = fake.complete[0]!;
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60);
  });

  test('is the same bytes for the same message and key, but for the time and what signs it', async () => {
    const fake = await receiver(ok);
    const provider = (): Provider => webhook({ url: fake.url, secret: SECRET });
    await provider().send(message({ content: { a: 1, b: { c: 'ü', d: [2] } } }), contextOf());
    await provider().send(message({ content: { b: { d: [2], c: 'ü' }, a: 1 } }), contextOf({ attempt: 2 }));
    const [first, second] = fake.complete.map(({ line, headers, body }) => {
      const { 'webhook-timestamp': _time, 'webhook-signature': _signature, ...rest } = headers;
      return { line, headers: rest, body };
    });
    expect(second).toEqual(first);
  });

  test('carries what the body option makes of the message', async () => {
    const { fake } = await sent(ok, { body: ({ deliveryId, to, content }) => ({ deliveryId, to, ...content }) });
    expect(JSON.parse(fake.complete[0]?.body ?? '')).toEqual({
      deliveryId: 'd_1',
      to: 'account-7',
      ...message().content,
    });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no template');
      },
    ],
    ['returns nothing', () => undefined],
    ['returns what JSON cannot say', () => 1n],
  ])('is not made by a body option that %s: the message is refused', async (_, body) => {
    const { outcome, fake } = await sent(ok, { body });
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'message' });
    expect(fake.connections()).toBe(0);
  });
});

describe('a URL from the target', () => {
  const ok: HttpAct = { write: answer(200), then: 'close' };
  const local = { allow: () => true, privateAddresses: true };

  test('is where the message goes, if it is allowed', async () => {
    const fake = await receiver(ok);
    expect(await webhook(local).send(message({ to: fake.url }), contextOf())).toEqual(accepted);
    const said = await webhook({ ...local, allow: (url) => url.port === '1' }).send(
      message({ to: fake.url }),
      contextOf(),
    );
    expect(said).toMatchObject({ kind: 'rejected', scope: 'destination' });
    expect(JSON.stringify(said)).not.toContain('secret-token');
    expect(fake.complete).toHaveLength(1);
  });

  test.each([404, 410, 401, 307])('is a matter of its destination alone when it answers %i', async (status) => {
    const fake = await receiver({ write: answer(status), then: 'close' });
    expect(await webhook(local).send(message({ to: fake.url }), contextOf())).toMatchObject(
      rejected('destination', status),
    );
  });

  test.each([
    '',
    'account-7',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:1',
    'http://',
    'https://user:pw@example.com/',
    '//example.com',
  ])('that is none for a webhook is refused: %j', async (to) => {
    let asked = 0;
    const provider = webhook({ allow: () => (asked += 1) > 0 });
    expect(await provider.send(message({ to }), contextOf())).toMatchObject({ kind: 'rejected', scope: 'destination' });
    expect(asked).toBe(0);
  });

  test('is not sent to when the option that decides about it throws', async () => {
    const allow = (): boolean => {
      throw new Error('no list yet');
    };
    expect(await webhook({ allow }).send(message({ to: 'https://example.com/' }), contextOf())).toMatchObject({
      kind: 'not-sent',
    });
  });

  test('that is not on the public internet is refused before a connection, however it is written', async () => {
    const fake = await receiver(ok);
    const provider = webhook({ allow: () => true });
    const hosts = [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '017700000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
    ];
    for (const host of hosts) {
      const said = await provider.send(message({ to: `http://${host}:${fake.port}/` }), contextOf());
      expect(said, host).toMatchObject({ kind: 'rejected', scope: 'destination' });
    }
    expect(fake.connections()).toBe(0);
  });
});

describe('an option', () => {
  const url = 'https://hooks.example.com/x';
  const wrong: readonly (readonly [string, WebhookOptions])[] = [
    ['url', {}],
    ['url', { url: 'hooks.example.com' }],
    ['url', { url: 'ftp://hooks.example.com' }],
    ['url', { url: 'https://user:secret@hooks.example.com' }],
    ['allow', { url, allow: () => true }],
    ['privateAddresses', { url, privateAddresses: false }],
    ['allow', { allow: true as unknown as () => boolean }],
    ['name', { url, name: '' }],
    ['timeoutMs', { url, timeoutMs: 0 }],
    ['timeoutMs', { url, timeoutMs: NaN }],
    ['secret', { url, secret: 'secret' }],
    ['body', { url, body: 'text' as unknown as () => unknown }],
    ['Webhook-Id', { url, headers: { 'Webhook-Id': 'x' } }],
    ['Host', { url, headers: { Host: 'x' } }],
    ['x-a', { url, headers: { 'x-a': 'secret\r\nx-b: 1' } }],
    ['x a', { url, headers: { 'x a': '1' } }],
    ['windowMs', { url, receiverHonoursId: { windowMs: 0 } }],
    ['notTakenOn', { url, notTakenOn: [200] }],
    ['notTakenOn', { url, notTakenOn: 503 as never }],
    ['headers', { url, headers: 'secret\r\n' as never }],
    ['url', { url: { toString: () => url } as never }],
    ["Did you mean 'timeoutMs'?", { url, timeoutMS: 5 } as never],
    ["Did you mean 'windowMs'?", { url, receiverHonoursId: { window: 5 } as never }],
    ['must be an object', undefined as never],
  ];
  test.each(wrong)('that cannot work is refused by name, without its secret: %s', (name, options) => {
    let said = '';
    try {
      webhook(options);
    } catch (error) {
      said = String(error);
      expect(error).toMatchObject({ code: 'OPTION_INVALID' });
    }
    expect(said).toContain(name);
    expect(said).not.toContain('secret\r\n');
    expect(said).not.toContain('user:secret');
  });

  test('alone makes the receiver one that drops repeats', () => {
    expect(webhook({ url }).capabilities.idempotency).toEqual({ kind: 'none' });
    const honoured = webhook({ url, receiverHonoursId: { windowMs: 60_000 } });
    expect(honoured.capabilities.idempotency).toEqual({ kind: 'key', windowMs: 60_000 });
  });
});

const answers: readonly ServiceAnswer[] = [
  'accepts',
  'accepts-and-says-nothing',
  'refuses',
  'throttles',
  'is-unreachable',
];

for (const honours of [true, false])
  testLaws(
    `the webhook provider, at a receiver that ${honours ? 'drops' : 'takes'} repeats`,
    providerLaws,
    async (): Promise<ProviderSubject> => {
      let next: ServiceAnswer = 'accepts';
      const mailbox = new Map<string, string[]>();
      const seen = new Set<string>();
      const fake = await fakeHttp(({ headers, body }) => {
        if (next === 'refuses') return { write: answer(422, 'no'), then: 'close' };
        if (next === 'throttles') return { write: answer(429, '', { 'retry-after': '1' }), then: 'close' };
        const { to } = JSON.parse(body) as { to: string };
        const id = headers['webhook-id'] ?? '';
        if (!honours || !seen.has(id)) mailbox.set(to, [...(mailbox.get(to) ?? []), id]);
        seen.add(id);
        return next === 'accepts' ? { write: answer(200), then: 'close' } : { then: 'reset' };
      });
      const options = {
        body: ({ to, content }: { to: string; content: object }) => ({ to, ...content }),
        ...(honours ? { receiverHonoursId: { windowMs: 60_000 } } : {}),
      };
      const provider = webhook({ url: fake.url, ...options });
      const nowhere = webhook({ url: 'http://hooks.invalid/', ...options });
      return {
        provider: {
          ...provider,
          async send(sending, context) {
            const outcome = await (next === 'is-unreachable' ? nowhere : provider).send(sending, context);
            next = 'accepts';
            return outcome;
          },
        },
        answers,
        answerNext: (given) => void (next = given),
        delivered: async (to) => mailbox.get(to)?.length ?? 0,
        capabilities: providerCapabilities(provider, answers),
        unitMs: 1,
        elapse: async () => undefined,
        async close() {
          await provider.close();
          await fake.close();
        },
      };
    },
  );
