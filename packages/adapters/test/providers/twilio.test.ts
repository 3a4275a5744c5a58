import { describe, expect, test } from 'vitest';
import { TWILIO, twilio, type TwilioOptions } from '../../src/providers/twilio.ts';
import { testApiProvider } from './support/api-provider.ts';
import { oneRequest } from './support/one-request.ts';
import { testNeverSent } from './support/never-sent.ts';
import { outgoing } from './support/sending.ts';

const AC = `AC${'0'.repeat(32)}`;
const MG = `MG${'1'.repeat(32)}`;
const HX = `HX${'2'.repeat(32)}`;
const options: TwilioOptions = { accountSid: AC, authToken: 'token', from: '+15005550006' };
const message = outgoing({ channel: 'sms', to: '+49 151 234-5678', content: { text: 'Hallo 😀 שלום &=+' } });
const taken = { status: 201, body: `{"sid":"SM3","status":"queued","error_code":null}` };

testApiProvider({
  name: 'twilio',
  make: (baseUrl) => twilio({ ...options, baseUrl }),
  message,
  taken,
  id: 'SM3',
  refusal: (code, status) => JSON.stringify({ code: Number(code), message: 'in words', status }),
  table: TWILIO.outcomes,
});

async function formOf(patch: Partial<typeof message>, more: Partial<TwilioOptions> = {}): Promise<URLSearchParams> {
  const make = (baseUrl: string) => twilio({ ...options, ...more, baseUrl });
  const { request } = await oneRequest(make, { ...message, ...patch }, taken);
  return new URLSearchParams(request.body);
}

describe('a message through Twilio', () => {
  test('is one form with number, sender and text', async () => {
    const { request } = await oneRequest((baseUrl) => twilio({ ...options, baseUrl }), message, taken);
    expect(request.line).toBe(`POST /2010-04-01/Accounts/${AC}/Messages.json HTTP/1.1`);
    expect(request.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${AC}:token`).toString('base64')}`,
    });
    expect([...new URLSearchParams(request.body)]).toEqual([
      ['To', '+491512345678'],
      ['From', '+15005550006'],
      ['Body', 'Hallo 😀 שלום &=+'],
    ]);
  });

  test('carries our delivery id in the query of the status callback, beside what is there', async () => {
    const form = await formOf({ deliveryId: 'd_1/2' }, { statusCallback: 'https://example.com/twilio?tenant=a#rc=3' });
    expect(form.get('StatusCallback')).toBe('https://example.com/twilio?tenant=a&sendonce_delivery=d_1%2F2#rc=3');
  });

  test('comes back with our id only where there is a status callback', () => {
    expect(twilio(options).capabilities.correlation).toBe('none');
    expect(twilio({ ...options, statusCallback: 'https://example.com/' }).capabilities.correlation).toEqual({
      field: 'sendonce_delivery',
      maxBytes: 512,
    });
  });

  test('goes to WhatsApp where that is its channel, by a template where it has one', async () => {
    const content = { contentSid: HX, contentVariables: { order: '7', name: 'Ann' } };
    expect([...(await formOf({ channel: 'whatsapp', content }))]).toEqual([
      ['To', 'whatsapp:+491512345678'],
      ['From', 'whatsapp:+15005550006'],
      ['ContentSid', HX],
      ['ContentVariables', '{"name":"Ann","order":"7"}'],
    ]);
  });

  test('may have pictures, and the sender that a messaging service picks', async () => {
    const { from: _from, ...others } = options;
    const mediaUrls = ['https://example.com/a.png', 'https://example.com/b.png'];
    const make = (baseUrl: string) => twilio({ ...others, messagingServiceSid: MG, baseUrl });
    const { request } = await oneRequest(make, { ...message, content: { text: 'See', mediaUrls } }, taken);
    const form = new URLSearchParams(request.body);
    expect([form.get('MessagingServiceSid'), form.get('From')]).toEqual([MG, null]);
    expect(form.getAll('MediaUrl')).toEqual(mediaUrls);
    expect([...(await formOf({ content: { mediaUrls } }))].map(([name]) => name)).toEqual([
      ...['To', 'From', 'MediaUrl', 'MediaUrl'],
    ]);
  });

  test('is signed in with an API key where one is given', async () => {
    const { authToken: _token, ...others } = options;
    const sid = `SK${'3'.repeat(32)}`;
    const make = (baseUrl: string) => twilio({ ...others, apiKey: { sid, secret: 's' }, baseUrl });
    const { request } = await oneRequest(make, message, taken);
    expect(request.headers['authorization']).toBe(`Basic ${Buffer.from(`${sid}:s`).toString('base64')}`);
  });

  const make = (baseUrl: string) => twilio({ ...options, maxSegments: 20, baseUrl });
  testNeverSent(make, message, [
    ['no text', { content: { subject: 'x' } }, 'message', /needs a 'text'/],
    ['a text of spaces', { content: { text: ' \r\n' } }, 'message', /is empty/],
    ['a text that is none', { content: { text: 7 as never } }, 'message', /must be a text, got number/],
    ['half an emoji', { content: { text: 'a\ud83d' } }, 'message', /half of a character/],
    ['1,601 characters', { content: { text: 'x'.repeat(1_601) } }, 'message', /1601 characters, more than the 1600/],
    ['1,601 emoji', { channel: 'whatsapp', content: { text: '😀'.repeat(1_601) } }, 'message', /1601 characters/],
    ['one emoji too many', { content: { text: '😀'.repeat(661) } }, 'message', /21 segments in UCS-2.*\(20\)/],
    ['no phone number', { to: 'ann@example.com' }, 'destination', /E\.164/],
    ['a national number', { to: '0151 2345678' }, 'destination', /E\.164/],
    ['a mark that turns the writing', { to: '+49151\u202e2345678' }, 'destination', /invisible character/],
    ['a line break in the number', { to: '+491512345678\r\nFrom: x' }, 'destination', /line break/],
    ['a template that is none', { channel: 'whatsapp', content: { contentSid: 'x' } }, 'message', /contentSid/],
    ['variables that are none', { content: { contentSid: HX, contentVariables: 'x' } }, 'message', /contentVariables/],
    ['pictures from elsewhere', { content: { mediaUrls: ['file:///etc/passwd'] } }, 'message', /mediaUrls/],
    ['a channel that is not its own', { channel: 'email' }, 'provider', /sms and whatsapp, not on email/],
  ]);

  test('of as many segments as allowed, and of 1,600 emoji on WhatsApp, passes the check', () => {
    expect(make('http://127.0.0.1:9').check?.({ ...message, content: { text: '😀'.repeat(660) } })).toBeNull();
    const content = { text: '😀'.repeat(1_600) };
    expect(twilio(options).check?.({ ...message, channel: 'whatsapp', content })).toBeNull();
  });
});

test.each([
  [{ ...options, authToken: 'token\n' }, /authToken must be a text of visible ASCII .* got a text of 6 characters/],
  [{ ...options, accountSid: 'x' }, /twilio: accountSid must be 'AC' and 32/],
  [{ ...options, from: 'Acme\r\nTo: +1' }, /twilio: from must be a number/],
  [{ ...options, from: '\u202eemcA' }, /twilio: from must be a number/],
  [{ ...options, from: 'Acme 😀' }, /twilio: from must be a number/],
  [{ ...options, from: 'Acme Shop Ltd.' }, /twilio: from must be a number/],
  [{ ...options, messagingServiceSid: MG }, /either 'from' or 'messagingServiceSid'/],
  [{ ...options, from: undefined }, /either 'from' or 'messagingServiceSid'/],
  [{ ...options, apiKey: { sid: `SK${'3'.repeat(32)}`, secret: 's' } }, /either 'authToken' or 'apiKey'/],
  [{ ...options, authToken: undefined, apiKey: { sid: 'x', secret: 's' } }, /twilio: apiKey: sid/],
  [{ ...options, statusCallback: '/relative' }, /statusCallback/],
  [{ ...options, maxSegments: 0 }, /maxSegments must be a whole number from 1 to 255/],
  [{ ...options, timeoutMs: 0 }, /timeoutMs/],
  [{ ...options, token: 'x' }, /token is not an option/],
])('twilio(%o) is refused by its option', (given, words) => {
  expect(() => twilio(given as never)).toThrow(words);
});

test.each(['+4912345678', '12345', 'Acme', 'Shop 24'])('a message may come from %s', (from) => {
  expect(() => twilio({ ...options, from })).not.toThrow();
});
