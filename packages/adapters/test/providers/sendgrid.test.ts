import { describe, expect, test } from 'vitest';
import { SENDGRID, sendgrid } from '../../src/providers/sendgrid.ts';
import { LETTERS, outcomeOf, requestsOf, SENDER, testApiMail } from './support/api-mail.ts';
import { testApiProvider } from './support/api-provider.ts';
import { answer } from './support/fake-http.ts';
import { outgoing } from './support/sending.ts';

const options = { apiKey: 'SG.1', from: SENDER };
const make = (baseUrl: string) => sendgrid({ ...options, baseUrl });
const refusal = (...fields: readonly string[]) =>
  JSON.stringify({ errors: fields.map((field) => ({ message: 'in words', field, help: null })) });

testApiProvider({
  name: 'sendgrid',
  make,
  message: outgoing({ content: { subject: LETTERS, text: 'Hello.', headers: { 'X-Order': '7', 'X-Also': '8' } } }),
  taken: { status: 202, body: '', headers: { 'x-message-id': '14c5d75ce93.dfd.64b469' } },
  id: '14c5d75ce93.dfd.64b469',
  refusal: () => refusal('subject'),
  table: SENDGRID.outcomes,
});

testApiMail({
  name: 'sendgrid',
  make,
  taken: '',
  megabytes: 10,
  command: 'X-SMTPAPI',
  tooLong: { text: 'x'.repeat(31_457_281) },
});

describe('a mail through SendGrid', () => {
  test('is one request with argument and content, plain text first', async () => {
    const attachments = [
      { filename: 'ü.pdf', content: 'JVBERg==', encoding: 'base64', contentType: 'application/pdf' },
      { filename: 'a.png', content: 'iVBO', encoding: 'base64', cid: 'logo' },
    ];
    const headers = { 'X-Order': '7', 'reply-to': 'Ann, Sales <sales@example.com>' };
    const content = { html: `<p>${LETTERS}`, subject: LETTERS, text: LETTERS, headers, attachments };
    const [request] = await requestsOf((baseUrl) => make(`${baseUrl}/eu/`), content, '');
    expect(request?.line).toBe('POST /eu/v3/mail/send HTTP/1.1');
    expect(request?.headers).toMatchObject({ authorization: 'Bearer SG.1' });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      personalizations: [{ to: [{ email: 'ann@example.com' }] }],
      from: { email: 'shop@example.com', name: 'Acme "Shop" 😀' },
      reply_to: { email: 'sales@example.com', name: 'Ann, Sales' },
      subject: LETTERS,
      content: [
        { type: 'text/plain', value: LETTERS },
        { type: 'text/html', value: `<p>${LETTERS}` },
      ],
      headers: { 'X-Order': '7' },
      attachments: [
        { filename: 'ü.pdf', content: 'JVBERg==', type: 'application/pdf' },
        { filename: 'a.png', content: 'iVBO', content_id: 'logo', disposition: 'inline' },
      ],
      custom_args: { sendonce_delivery: 'd_1' },
    });
  });

  test.each([
    ['personalizations.0.to.0.email', 'destination'],
    ['from.email', 'provider'],
    ['personalizations.0.subject', 'message'],
  ])('that is refused with 400 for %s is rejected for its %s', async (field, scope) => {
    expect(await outcomeOf(make, answer(400, refusal(field)))).toMatchObject({ kind: 'rejected', scope });
    // What is wrong in two places is not mended by another address.
    const both = await outcomeOf(make, answer(400, refusal(field, 'content')));
    expect(both).toMatchObject({ kind: 'rejected', scope: 'message' });
  });

  test('that comes too soon waits until the window begins again, by the clock of SendGrid', async () => {
    const headers = { 'x-ratelimit-reset': '1772352060', date: 'Sun, 01 Mar 2026 08:00:00 GMT' };
    expect(await outcomeOf(make, answer(429, '', headers))).toMatchObject({ kind: 'deferred', retryAfterMs: 60_000 });
  });

  test('in a reply address that is none is rejected before any request', () => {
    const content = { text: 'x', headers: { 'Reply-To': 'a@example.com, b@example.com' } };
    const checked = make('http://127.0.0.1:9').check?.(outgoing({ content }));
    expect(checked).toMatchObject({ kind: 'rejected', scope: 'message' });
  });
});

test.each([
  [{ ...options, apiKey: '' }, /sendgrid: apiKey must be a text/],
  [{ ...options, from: 'nobody' }, /sendgrid: from/],
  [{ ...options, baseUrl: 'ftp://x' }, /baseUrl/],
  [{ ...options, timeoutMs: 0 }, /timeoutMs/],
  [{ ...options, sandbox: true }, /sandbox is not an option/],
])('sendgrid(%o) is refused by its option', (given, words) => {
  expect(() => sendgrid(given as never)).toThrow(words);
});
