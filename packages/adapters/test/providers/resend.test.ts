import { describe, expect, test } from 'vitest';
import { RESEND, resend } from '../../src/providers/resend.ts';
import { testApiProvider } from './support/api-provider.ts';
import { answer, fakeHttp } from './support/fake-http.ts';
import { contextOf, outgoing } from './support/sending.ts';

const options = { apiKey: 're_123', from: 'Acme "Shop" <shop@example.com>' };
const message = outgoing({ content: { subject: 'Ünïcode 😀 עברית', text: 'Hello.', headers: { 'X-Order': '7' } } });

testApiProvider({
  name: 'resend',
  make: (baseUrl) => resend({ ...options, baseUrl }),
  message,
  taken: { status: 200, body: '{"id":"49a3999c-0ce1-4ea6-ab68-afcd6dc2e794"}' },
  id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794',
  refusal: (name, statusCode) => JSON.stringify({ statusCode, name, message: 'in words' }),
  table: RESEND.outcomes,
});

describe('a mail through Resend', () => {
  test('is one request with key, tag and content', async () => {
    const fake = await fakeHttp(() => ({ write: answer(200, '{"id":"1"}'), then: 'close' }));
    const attachments = [
      { filename: 'a.pdf', content: 'JVBERg==', encoding: 'base64', contentType: 'application/pdf' },
    ];
    const provider = resend({ ...options, baseUrl: `http://127.0.0.1:${fake.port}/v1/` });
    await provider.send({ ...message, content: { ...message.content, html: '<p>Hello.', attachments } }, contextOf());
    const [{ line, headers, body } = { line: '', headers: {}, body: '' }] = fake.complete;
    expect(line).toBe('POST /v1/emails HTTP/1.1');
    expect(headers).toMatchObject({ authorization: 'Bearer re_123', 'idempotency-key': 'k_1' });
    expect(JSON.parse(body)).toEqual({
      from: '"Acme \\"Shop\\"" <shop@example.com>',
      to: [message.to],
      subject: 'Ünïcode 😀 עברית',
      text: 'Hello.',
      html: '<p>Hello.',
      headers: { 'X-Order': '7' },
      attachments: [{ filename: 'a.pdf', content: 'JVBERg==', content_type: 'application/pdf' }],
      tags: [{ name: 'sendonce_delivery', value: message.deliveryId }],
    });
    await fake.close();
  });

  test('that Resend refuses for its recipient is about the recipient', async () => {
    const body = JSON.stringify({ statusCode: 422, name: 'validation_error', message: 'Invalid `to` field.' });
    const fake = await fakeHttp(() => ({ write: answer(422, body), then: 'close' }));
    const outcome = await resend({ ...options, baseUrl: `http://127.0.0.1:${fake.port}` }).send(message, contextOf());
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'destination', code: 'validation_error' });
    await fake.close();
  });

  test.each([
    ['a line break in the subject', { subject: 'a\r\nBcc: all@example.com', text: 'x' }],
    ['neither text nor html', { subject: 'a' }],
    ['a header that is ours to write', { text: 'x', headers: { To: 'all@example.com' } }],
  ])('with %s is rejected before any request', async (_what, content) => {
    const provider = resend(options);
    const rejected = { kind: 'rejected', scope: 'message' };
    expect(provider.check?.({ ...message, content })).toMatchObject(rejected);
    expect(await provider.send({ ...message, content }, contextOf())).toMatchObject(rejected);
  });
});

test.each([
  [{ ...options, apiKey: '' }, /resend: apiKey must be a text/],
  [{ ...options, from: 'nobody' }, /resend: from/],
  [{ ...options, timeoutMs: 0 }, /timeoutMs/],
  [{ ...options, key: 'x' }, /key is not an option/],
])('resend(%o) is refused by its option', (given, words) => {
  expect(() => resend(given as never)).toThrow(words);
});
