import { describe, expect, test } from 'vitest';
import { LINE, line } from '../../src/providers/line.ts';
import { testApiProvider } from './support/api-provider.ts';
import { answer, fakeHttp } from './support/fake-http.ts';
import { testNeverSent } from './support/never-sent.ts';
import { oneRequest } from './support/one-request.ts';
import { contextOf, outgoing } from './support/sending.ts';

const options = { channelAccessToken: 'token' };
const to = `U${'0123456789abcdef'.repeat(2)}`;
const message = outgoing({ channel: 'line', to, content: { text: 'お届け 😀 שלום' } });
const taken = {
  status: 200,
  body: '{"sentMessages":[{"id":"461230966842064897"}]}',
  headers: { 'x-line-request-id': '123e4567-e89b-12d3-a456-426614174000' },
};
const make = (baseUrl: string) => line({ ...options, baseUrl });

testApiProvider({
  name: 'line',
  make,
  message,
  taken,
  id: '123e4567-e89b-12d3-a456-426614174000',
  refusal: (code) => JSON.stringify({ message: code === '' ? 'in words' : code }),
  table: LINE.outcomes,
});

describe('a message through LINE', () => {
  test('is one push with a UUID as retry key', async () => {
    const { request } = await oneRequest(make, message, taken);
    expect(request.line).toBe('POST /v2/bot/message/push HTTP/1.1');
    expect(request.headers).toMatchObject({ authorization: 'Bearer token', 'content-type': 'application/json' });
    expect(request.headers['x-line-retry-key']).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(JSON.parse(request.body)).toEqual({ to, messages: [{ type: 'text', text: 'お届け 😀 שלום' }] });
  });

  test('has the retry key of its key, on every attempt and in every process', async () => {
    const fake = await fakeHttp(() => ({ write: answer(200, taken.body, taken.headers), then: 'close' }));
    const baseUrl = `http://127.0.0.1:${fake.port}`;
    for (const key of ['k_1', 'k_1', 'k_2']) await make(baseUrl).send(message, contextOf({ key }));
    const [first, again, other] = fake.complete.map(({ headers }) => headers['x-line-retry-key']);
    expect(first).toBe('59cdcbf9-4ea6-5c55-ba09-9abb7286b41a');
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    await fake.close();
  });

  test('that was accepted earlier is accepted under the id of that request', async () => {
    const { outcome } = await oneRequest(make, message, {
      status: 409,
      body: '{"message":"The retry key is already accepted"}',
      headers: { 'x-line-request-id': 'second', 'x-line-accepted-request-id': 'first' },
    });
    expect(outcome).toEqual({ kind: 'accepted', providerMessageId: 'first' });
  });

  test('may be up to five messages as LINE has them, without a sound', async () => {
    const messages = [
      { type: 'sticker', stickerId: '1', packageId: '2' },
      { type: 'text', text: 'a' },
    ];
    const silent = (baseUrl: string) => line({ ...options, notificationDisabled: true, baseUrl });
    const { request } = await oneRequest(silent, { ...message, content: { messages } }, taken);
    expect(JSON.parse(request.body)).toEqual({ to, messages, notificationDisabled: true });
    expect(request.body).toContain('{"packageId":"2","stickerId":"1","type":"sticker"}');
  });

  testNeverSent(make, message, [
    ['no text', { content: {} }, 'message', /needs a 'text'/],
    ['an empty text', { content: { text: '' } }, 'message', /is empty/],
    ['half an emoji', { content: { text: '\ude00' } }, 'message', /half of a character/],
    [
      '5,001 units',
      { content: { text: `${'a'.repeat(4_999)}😀` } },
      'message',
      /5001 UTF-16 units, more than the 5000/,
    ],
    ['no messages', { content: { messages: [] } }, 'message', /1 to 5 objects/],
    ['six messages', { content: { messages: Array(6).fill({ type: 'text', text: 'a' }) } }, 'message', /1 to 5/],
    ['a message without a type', { content: { messages: [{ text: 'a' }] } }, 'message', /each with a type/],
    ['a phone number', { to: '+4912345678' }, 'destination', /not an id of LINE/],
    ['a line break in the id', { to: `${to}\r\nx` }, 'destination', /line break/],
    ['a mark that turns the writing', { to: `\u202e${to}` }, 'destination', /invisible/],
  ]);

  test('of 5,000 units passes the check', () => {
    const content = { text: `${'a'.repeat(4_998)}😀` };
    expect(line(options).check?.({ ...message, content })).toBeNull();
  });
});

test.each([
  [
    { channelAccessToken: 'token\n' },
    /channelAccessToken must be a text of visible ASCII .* got a text of 6 characters/,
  ],
  [{ channelAccessToken: '' }, /line: channelAccessToken must be a text/],
  [{ ...options, notificationDisabled: 1 }, /notificationDisabled/],
  [{ ...options, timeoutMs: 0 }, /timeoutMs/],
  [{ ...options, token: 'x' }, /token is not an option/],
])('line(%o) is refused by its option', (given, words) => {
  expect(() => line(given as never)).toThrow(words);
});
