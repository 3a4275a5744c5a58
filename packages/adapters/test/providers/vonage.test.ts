import { describe, expect, test } from 'vitest';
import { VONAGE, vonage, type VonageOptions } from '../../src/providers/vonage.ts';
import { testApiProvider } from './support/api-provider.ts';
import { testNeverSent } from './support/never-sent.ts';
import { oneRequest } from './support/one-request.ts';
import { outgoing } from './support/sending.ts';

const options = { apiKey: 'abcd1234', apiSecret: 'secret', from: 'Acme' };
const message = outgoing({ channel: 'sms', to: '+44 7700 900000', content: { text: 'Hi 😀 שלום &=+' } });
const part = (status: string, id = '0A1', text = 'in words') =>
  status === '0' ? { to: '447700900000', 'message-id': id, status } : { status, 'error-text': text };
const said = (...parts: readonly object[]) => ({
  status: 200,
  body: JSON.stringify({ 'message-count': String(parts.length), messages: parts }),
});
const taken = said(part('0'));
const make = (baseUrl: string) => vonage({ ...options, baseUrl });

testApiProvider({
  name: 'vonage',
  make,
  message,
  taken,
  id: '0A1',
  refusal: (code) => said(part(code)).body,
  table: VONAGE.outcomes,
});

async function formOf(text: string, more: Partial<VonageOptions> = {}): Promise<object> {
  const { request } = await oneRequest(
    (baseUrl) => vonage({ ...options, ...more, baseUrl }),
    { ...message, content: { text } },
    taken,
  );
  return Object.fromEntries(new URLSearchParams(request.body));
}

describe('an SMS through Vonage', () => {
  test('is one form with numbers, text and our delivery id', async () => {
    const { request } = await oneRequest(make, message, taken);
    expect(request.line).toBe('POST /sms/json HTTP/1.1');
    expect(request.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from('abcd1234:secret').toString('base64')}`,
    });
    expect(request.body).not.toContain('secret');
    expect([...new URLSearchParams(request.body)]).toEqual([
      ['from', 'Acme'],
      ['to', '447700900000'],
      ['text', 'Hi 😀 שלום &=+'],
      ['type', 'unicode'],
      ['client-ref', 'd_1'],
    ]);
  });

  test('is told to be Unicode only where GSM-7 cannot say it', async () => {
    expect(await formOf('50 €, ¿sí?')).toHaveProperty('type', 'unicode');
    expect(await formOf('50 €, ¿si?')).not.toHaveProperty('type');
  });

  test('is reported where the option says, and comes from a number without its plus', async () => {
    const form = await formOf('a', { from: '+447700900001', callback: 'https://example.com/dlr?x=1' });
    expect(form).toMatchObject({ from: '447700900001', callback: 'https://example.com/dlr?x=1' });
  });

  test('in several parts that were all taken has the id of the first', async () => {
    const { outcome } = await oneRequest(make, message, said(part('0', '0A1'), part('0', '0A2')));
    expect(outcome).toEqual({ kind: 'accepted', providerMessageId: '0A1' });
  });

  test.each([
    [said(part('0'), part('9', '', 'Partner quota exceeded')), '1 of 2 parts were taken (9: Partner quota exceeded)'],
    [said(part('1'), part('0')), '1 of 2 parts were taken (1: in words)'],
    [said({ status: '0' }), 'missing-id'],
    [said(), 'missing-id'],
    [said(part('99')), 'not documented (HTTP 200, code 99): HTTP 200 (99): in words'],
  ])('with the answer %o has an unknown outcome', async (given, reason) => {
    expect((await oneRequest(make, message, given)).outcome).toEqual({ kind: 'unknown', reason });
  });

  const strict = (baseUrl: string) => vonage({ ...options, maxSegments: 1, baseUrl });
  testNeverSent(strict, message, [
    ['no text', { content: {} }, 'message', /needs a 'text'/],
    ['an empty text', { content: { text: '\r\n' } }, 'message', /is empty/],
    ['161 letters', { content: { text: 'x'.repeat(161) } }, 'message', /2 segments in GSM-7.*\(1\)/],
    ['36 emoji', { content: { text: '😀'.repeat(36) } }, 'message', /2 segments in UCS-2/],
    ['half an emoji', { content: { text: '\ud83d' } }, 'message', /half of a character/],
    ['no phone number', { to: '07700900000' }, 'destination', /E\.164/],
    ['a mark that turns the writing', { to: '\u202e+447700900000' }, 'destination', /invisible/],
  ]);

  test('of one segment passes the check', () => {
    expect(strict('http://127.0.0.1:9').check?.({ ...message, content: { text: '😀'.repeat(35) } })).toBeNull();
  });
});

test.each([
  [{ ...options, apiSecret: 'sec ret' }, /apiSecret must be a text of visible ASCII/],
  [{ ...options, apiKey: '' }, /vonage: apiKey must be a text/],
  [{ ...options, apiSecret: undefined }, /apiSecret/],
  [{ ...options, from: 'Acme\r\n' }, /vonage: from must be a number/],
  [{ ...options, from: '😀' }, /vonage: from must be a number/],
  [{ ...options, callback: `https://example.com/${'x'.repeat(81)}` }, /callback must be .* at most 100 characters/],
  [{ ...options, callback: 'x' }, /callback/],
  [{ ...options, maxSegments: 256 }, /maxSegments/],
  [{ ...options, timeoutMs: 0 }, /timeoutMs/],
  [{ ...options, token: 'x' }, /token is not an option/],
])('vonage(%o) is refused by its option', (given, words) => {
  expect(() => vonage(given as never)).toThrow(words);
});
