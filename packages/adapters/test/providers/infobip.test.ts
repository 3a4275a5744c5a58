import { describe, expect, test } from 'vitest';
import { INFOBIP, infobip } from '../../src/providers/infobip.ts';
import { testApiLookup } from './support/api-mail.ts';
import { testApiProvider } from './support/api-provider.ts';
import { testNeverSent } from './support/never-sent.ts';
import { oneRequest } from './support/one-request.ts';
import { outgoing } from './support/sending.ts';

const options = { apiKey: 'key', from: 'Acme' };
const message = outgoing({ channel: 'sms', to: '+41 79 302-6727', content: { text: 'Grüezi 😀 שלום' } });
const statusOf = (id: number, groupId: number) => ({ id, groupId, groupName: 'G', name: 'N', description: 'in words' });
const said = (id: number, groupId: number) =>
  JSON.stringify({ messages: [{ messageId: 'k_1', status: statusOf(id, groupId), destination: '41793026727' }] });
const taken = { status: 200, body: said(26, 1) };
const make = (baseUrl: string) => infobip({ ...options, baseUrl });

testApiProvider({
  name: 'infobip',
  make,
  message,
  taken,
  id: 'k_1',
  refusal: (code, status) =>
    status === 200 ? said(Number(code), 5) : '{"errorCode":"E400","description":"in words","violations":[]}',
  table: INFOBIP.outcomes,
});

testApiLookup({
  name: 'infobip',
  make,
  found: (deliveryId) => logOf(deliveryId === 'd_1' ? 'k_1' : 'k_2', statusOf(5, 3)),
  empty: '{"results":[]}',
  others: 'cannot-tell',
  id: 'k_1',
});

function logOf(messageId: string, ...statuses: readonly object[]): string {
  return JSON.stringify({ results: statuses.map((status) => ({ messageId, to: '41793026727', status })) });
}

describe('an SMS through Infobip', () => {
  test('is one message under our id', async () => {
    const { request } = await oneRequest(make, message, taken);
    expect(request.line).toBe('POST /sms/3/messages HTTP/1.1');
    expect(request.headers).toMatchObject({ authorization: 'App key', 'content-type': 'application/json' });
    expect(JSON.parse(request.body)).toEqual({
      messages: [
        {
          sender: 'Acme',
          destinations: [{ to: '41793026727', messageId: 'k_1' }],
          content: { text: 'Grüezi 😀 שלום' },
          webhooks: { callbackData: 'd_1' },
        },
      ],
    });
  });

  test('is reported where the option says, and comes from a number without its plus', async () => {
    const reporting = (baseUrl: string) =>
      infobip({ ...options, from: '+41793026700', reportUrl: 'https://example.com/dlr', baseUrl });
    const { request } = await oneRequest(reporting, message, taken);
    expect(JSON.parse(request.body)).toMatchObject({
      messages: [
        {
          sender: '41793026700',
          webhooks: {
            callbackData: 'd_1',
            delivery: { url: 'https://example.com/dlr' },
            contentType: 'application/json',
          },
        },
      ],
    });
  });

  test('that is a duplicate was accepted earlier, under the same id', async () => {
    const { outcome } = await oneRequest(make, message, { status: 200, body: said(23, 5) });
    expect(outcome).toEqual({ kind: 'accepted', providerMessageId: 'k_1' });
  });

  test.each([
    [said(16, 5), { kind: 'unknown', reason: 'not documented (HTTP 200, code 16): HTTP 200 (16): in words' }],
    [said(4, 2), { kind: 'unknown' }],
    ['{"messages":[{"messageId":"k_1"}]}', { kind: 'unknown', reason: 'missing-id' }],
  ])('with the answer %s is not taken for accepted', async (body, expected) => {
    expect((await oneRequest(make, message, { status: 200, body })).outcome).toMatchObject(expected);
  });

  test('whose credentials are wrong tells the code of the older form, too', async () => {
    const body = '{"requestError":{"serviceException":{"messageId":"UNAUTHORIZED","text":"Invalid login details"}}}';
    expect((await oneRequest(make, message, { status: 401, body })).outcome).toEqual({
      kind: 'rejected',
      scope: 'provider',
      reason: 'HTTP 401 (UNAUTHORIZED): Invalid login details',
      code: 'UNAUTHORIZED',
    });
  });

  test('is repeated only for as long as Infobip has agreed to', () => {
    const baseUrl = 'https://x.api.infobip.com';
    expect(infobip({ ...options, baseUrl }).capabilities.idempotency).toEqual({ kind: 'none' });
    const agreed = infobip({ ...options, baseUrl, idempotencyWindowMs: 3_600_000 });
    expect(agreed.capabilities.idempotency).toEqual({ kind: 'client-id', windowMs: 3_600_000 });
  });

  test.each([
    ['taken', logOf('k_1', statusOf(26, 1)), 'found'],
    ['refused', logOf('k_1', statusOf(12, 5)), 'absent'],
    ['taken, and then repeated', logOf('k_1', statusOf(23, 5), statusOf(5, 3)), 'found'],
    ['known as a repeat alone', logOf('k_1', statusOf(23, 5)), 'found'],
  ])('that was %s is looked up by its id', async (_what, body, kind) => {
    const asking = (baseUrl: string) => {
      const provider = make(baseUrl);
      const { lookup } = provider.capabilities;
      if (lookup === 'none') throw new Error('there is no lookup');
      const asked = { deliveryId: 'd_1', key: 'k_1', to: message.to, markedAt: 0 };
      return { ...provider, send: () => lookup.find(asked, { signal: new AbortController().signal }) as never };
    };
    const { request, outcome } = await oneRequest(asking, message, { status: 200, body });
    expect(request.line).toBe('GET /sms/3/logs?messageId=k_1&limit=10 HTTP/1.1');
    expect(request.headers['authorization']).toBe('App key');
    expect(outcome.kind).toBe(kind);
  });

  testNeverSent(make, message, [
    ['no text', { content: { html: '<p>' } }, 'message', /needs a 'text'/],
    ['an empty text', { content: { text: ' ' } }, 'message', /is empty/],
    ['26 segments', { content: { text: 'x'.repeat(25 * 153 + 1) } }, 'message', /26 segments in GSM-7.*\(25\)/],
    ['26 segments of emoji', { content: { text: '😀'.repeat(25 * 33 + 1) } }, 'message', /26 segments in UCS-2/],
    ['half an emoji', { content: { text: '\ud83d' } }, 'message', /half of a character/],
    ['no phone number', { to: '41793026727' }, 'destination', /E\.164/],
    ['a mark that turns the writing', { to: '\u202e+41793026727' }, 'destination', /invisible/],
  ]);

  test('of 25 segments passes the check', () => {
    expect(make('http://127.0.0.1:9').check?.({ ...message, content: { text: 'x'.repeat(25 * 153) } })).toBeNull();
  });
});

const baseUrl = 'https://x.api.infobip.com';
test.each([
  [{ ...options, baseUrl, apiKey: 'key\n' }, /apiKey must be a text of visible ASCII/],
  [options, /infobip: baseUrl must be a whole http or https address/],
  [{ ...options, baseUrl, apiKey: '' }, /apiKey/],
  [{ ...options, baseUrl, from: 'Acme\r\n' }, /infobip: from must be a number/],
  [{ ...options, baseUrl, from: 'א' }, /infobip: from must be a number/],
  [{ ...options, baseUrl, maxSegments: 26 }, /maxSegments must be a whole number from 1 to 25/],
  [{ ...options, baseUrl, idempotencyWindowMs: 0 }, /idempotencyWindowMs/],
  [{ ...options, baseUrl, reportUrl: 'x' }, /reportUrl/],
  [{ ...options, baseUrl, token: 'x' }, /token is not an option/],
])('infobip(%o) is refused by its option', (given, words) => {
  expect(() => infobip(given as never)).toThrow(words);
});
