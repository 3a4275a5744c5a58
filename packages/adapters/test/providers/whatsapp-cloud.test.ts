import { describe, expect, test } from 'vitest';
import { WHATSAPP_CLOUD, whatsappCloud } from '../../src/providers/whatsapp-cloud.ts';
import { testApiProvider } from './support/api-provider.ts';
import { testNeverSent } from './support/never-sent.ts';
import { oneRequest } from './support/one-request.ts';
import { outgoing } from './support/sending.ts';

const options = { phoneNumberId: '106540352242922', accessToken: 'token' };
const message = outgoing({ channel: 'whatsapp', to: '+1 (650) 555-1234', content: { text: 'Olá 😀 שלום' } });
const taken = {
  status: 200,
  body: '{"messaging_product":"whatsapp","contacts":[{"input":"x","wa_id":"16505551234"}],"messages":[{"id":"wamid.HBg"}]}',
};
const make = (baseUrl: string) => whatsappCloud({ ...options, baseUrl });

testApiProvider({
  name: 'whatsapp-cloud',
  make,
  message,
  taken,
  id: 'wamid.HBg',
  refusal: (code) =>
    JSON.stringify({ error: { message: 'in words', type: 'OAuthException', code: Number(code), fbtrace_id: 'x' } }),
  table: WHATSAPP_CLOUD.outcomes,
});

async function bodyOf(content: object): Promise<unknown> {
  const { request } = await oneRequest(make, { ...message, content: content as typeof message.content }, taken);
  return JSON.parse(request.body);
}

describe('a message through the WhatsApp Cloud API', () => {
  test('is one text with our delivery id', async () => {
    const { request } = await oneRequest(make, message, taken);
    expect(request.line).toBe('POST /v23.0/106540352242922/messages HTTP/1.1');
    expect(request.headers).toMatchObject({ authorization: 'Bearer token', 'content-type': 'application/json' });
    expect(JSON.parse(request.body)).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+16505551234',
      type: 'text',
      text: { body: 'Olá 😀 שלום' },
      biz_opaque_callback_data: 'd_1',
    });
  });

  test('may show what its link leads to', async () => {
    expect(await bodyOf({ text: 'https://example.com', previewUrl: true })).toMatchObject({
      text: { body: 'https://example.com', preview_url: true },
    });
  });

  test('is the template where it has one, in its language and with its components', async () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];
    const template = { name: 'order_shipped', language: 'pt_BR', components };
    const body = await bodyOf({ text: 'for other channels', template });
    expect(body).toMatchObject({
      type: 'template',
      template: { name: 'order_shipped', language: { code: 'pt_BR' }, components },
    });
    expect(body).not.toHaveProperty('text');
    // However a store gave it back.
    const turned = { ...template, components: [{ parameters: [{ text: 'Ann', type: 'text' }], type: 'body' }] };
    expect(JSON.stringify(await bodyOf({ template: turned }))).toBe(JSON.stringify(body));
    const bare = await bodyOf({ template: { name: 'hello_world', language: 'en' } });
    expect(bare).toMatchObject({ template: { name: 'hello_world', language: { code: 'en' } } });
    expect(bare).not.toHaveProperty('template.components');
  });

  test('that comes from a number which does not exist is refused by the provider, not for the message', async () => {
    const error = { message: "Object with ID '1' does not exist", code: 100, error_subcode: 33 };
    const { outcome } = await oneRequest(make, message, { status: 400, body: JSON.stringify({ error }) });
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'provider', code: '100' });
  });

  test('is refused in the words of the details', async () => {
    const error = { message: '(#131009)', code: 131009, error_data: { details: 'Parameter value is not valid' } };
    const { outcome } = await oneRequest(make, message, { status: 400, body: JSON.stringify({ error }) });
    expect(outcome).toMatchObject({ reason: 'HTTP 400 (131009): Parameter value is not valid' });
  });

  const template = { name: 'a', language: 'en' };
  testNeverSent(make, message, [
    ['neither text nor template', { content: {} }, 'message', /needs a 'text'/],
    ['an empty text', { content: { text: '\n' } }, 'message', /is empty/],
    ['4,097 emoji', { content: { text: '😀'.repeat(4_097) } }, 'message', /4097 characters, more than the 4096/],
    ['half an emoji', { content: { text: '\ud83d!' } }, 'message', /half of a character/],
    ['a template that is a text', { content: { template: 'a' } }, 'message', /must be an object/],
    ['an unknown part of a template', { content: { template: { ...template, lang: 'x' } } }, 'message', /got 'lang'/],
    ['a template without a name', { content: { template: { language: 'en' } } }, 'message', /template\.name/],
    ['a template in no language', { content: { template: { name: 'a', language: 'English' } } }, 'message', /'en_US'/],
    [
      'components that are none',
      { content: { template: { ...template, components: ['x'] } } },
      'message',
      /components/,
    ],
    ['no phone number', { to: 'ann' }, 'destination', /E\.164/],
    ['a mark that turns the writing', { to: '+1650\u200f5551234' }, 'destination', /invisible/],
    ['a line break in the number', { to: '+16505551234\r\n' }, 'destination', /line break/],
  ]);

  test('of 4,096 emoji passes the check', () => {
    expect(whatsappCloud(options).check?.({ ...message, content: { text: '😀'.repeat(4_096) } })).toBeNull();
  });
});

test.each([
  [{ ...options, accessToken: 'token\n' }, /accessToken must be a text of visible ASCII/],
  [{ ...options, phoneNumberId: '+16505551234' }, /whatsappCloud: phoneNumberId must be the digits of an id/],
  [{ ...options, phoneNumberId: '1/../2' }, /phoneNumberId/],
  [{ ...options, accessToken: '' }, /accessToken/],
  [{ ...options, apiVersion: '23' }, /apiVersion must be a version like 'v23.0'/],
  [{ ...options, timeoutMs: 0 }, /timeoutMs/],
  [{ ...options, token: 'x' }, /token is not an option/],
])('whatsappCloud(%o) is refused by its option', (given, words) => {
  expect(() => whatsappCloud(given as never)).toThrow(words);
});
