import { describe, expect, test } from 'vitest';
import { POSTMARK, postmark } from '../../src/providers/postmark.ts';
import { LETTERS, outcomeOf, requestsOf, SENDER, testApiLookup, testApiMail } from './support/api-mail.ts';
import { testApiProvider } from './support/api-provider.ts';
import { answer, fakeHttp } from './support/fake-http.ts';
import { outgoing } from './support/sending.ts';

const options = { serverToken: 'pm-token', from: SENDER };
const id = '0a129aee-e1cd-480d-b08d-4f48548ff48d';
const taken = JSON.stringify({ To: 'ann@example.com', MessageID: id, ErrorCode: 0, Message: 'OK' });
const make = (baseUrl: string) => postmark({ ...options, baseUrl });
const refusal = (ErrorCode: number, Message = 'in words') => JSON.stringify({ ErrorCode, Message });

testApiProvider({
  name: 'postmark',
  make,
  message: outgoing({ content: { subject: LETTERS, text: 'Hello.', headers: { 'X-Order': '7' } } }),
  taken: { status: 200, body: taken },
  id,
  refusal: (code) => refusal(Number(code)),
  table: POSTMARK.outcomes,
  statusOf: () => 422,
});

testApiMail({
  name: 'postmark',
  make,
  taken,
  megabytes: 7,
  command: 'X-PM-Message-Stream',
  tooLong: { text: 'x'.repeat(5_242_881) },
});

testApiLookup({
  name: 'postmark',
  make,
  found: (deliveryId) =>
    JSON.stringify({
      TotalCount: 2,
      Messages: [
        { MessageID: 'another', Metadata: { sendonce_delivery: 'd_3' } },
        { MessageID: id, Metadata: { sendonce_delivery: deliveryId } },
      ],
    }),
  empty: '{"TotalCount":0,"Messages":[]}',
  // Whoever asked for ours and got others was not understood.
  others: 'cannot-tell',
  id,
});

describe('a mail through Postmark', () => {
  test('is one request with metadata, stream and content', async () => {
    const attachments = [
      { filename: 'ü.pdf', content: 'JVBERg==', encoding: 'base64', contentType: 'application/pdf' },
      { filename: 'a.png', content: 'iVBO', encoding: 'base64', cid: 'logo' },
    ];
    const headers = { 'X-Order': '7', 'Reply-To': 'Ann, Sales <sales@bücher.example>' };
    const content = { subject: LETTERS, text: LETTERS, html: `<p>${LETTERS}`, headers, attachments };
    const [request] = await requestsOf((baseUrl) => make(`${baseUrl}/v1/`), content, taken);
    expect(request?.line).toBe('POST /v1/email HTTP/1.1');
    expect(request?.headers).toMatchObject({ 'x-postmark-server-token': 'pm-token', accept: 'application/json' });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      From: '"Acme \\"Shop\\" 😀" <shop@example.com>',
      To: 'ann@example.com',
      ReplyTo: '"Ann, Sales" <sales@xn--bcher-kva.example>',
      Subject: LETTERS,
      TextBody: LETTERS,
      HtmlBody: `<p>${LETTERS}`,
      Headers: [{ Name: 'X-Order', Value: '7' }],
      Attachments: [
        { Name: 'ü.pdf', Content: 'JVBERg==', ContentType: 'application/pdf' },
        { Name: 'a.png', Content: 'iVBO', ContentType: 'application/octet-stream', ContentID: 'cid:logo' },
      ],
      Metadata: { sendonce_delivery: 'd_1' },
      MessageStream: 'outbound',
    });
  });

  test('whose answer is 200 with an ErrorCode was not taken', async () => {
    const outcome = await outcomeOf(make, answer(200, refusal(406)));
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'destination', code: '406' });
  });

  test.each([
    ["Invalid 'To' address: 'ann@'.", 'destination'],
    ["Error parsing 'To': Illegal email address 'ann'.", 'destination'],
    ["Invalid 'From' address: 'shop@'.", 'provider'],
    ["Invalid metadata name 'To'.", 'message'],
  ])('that is refused with 300 and %s is rejected for its %s', async (words, scope) => {
    const outcome = await outcomeOf(make, answer(422, refusal(300, words)));
    expect(outcome).toMatchObject({ kind: 'rejected', scope, code: '300' });
  });

  test('whose code nobody documents has an unknown outcome that tells it', async () => {
    const outcome = await outcomeOf(make, answer(422, refusal(9_999)));
    expect(outcome).toMatchObject({ kind: 'unknown' });
    expect(JSON.stringify(outcome)).toContain('9999');
  });

  test('is looked up in its stream, by our delivery id', async () => {
    const fake = await fakeHttp(() => ({ write: answer(200, '{"Messages":[]}'), then: 'close' }));
    const { lookup } = postmark({
      ...options,
      messageStream: 'news',
      baseUrl: `http://127.0.0.1:${fake.port}`,
    }).capabilities;
    if (lookup === 'none') throw new Error('no lookup');
    const request = { deliveryId: 'd_1', key: 'k_1', to: 'ann@example.com', markedAt: 0 };
    await lookup.find(request, { signal: new AbortController().signal });
    expect(fake.complete.map(({ line }) => line)).toEqual([
      'GET /messages/outbound?count=10&offset=0&messagestream=news&metadata_sendonce_delivery=d_1 HTTP/1.1',
    ]);
    expect(fake.complete[0]?.headers).toMatchObject({ 'x-postmark-server-token': 'pm-token' });
    await fake.close();
  });
});

test.each([
  [{ ...options, serverToken: '' }, /postmark: serverToken must be a text/],
  [{ ...options, from: 'nobody' }, /postmark: from/],
  [{ ...options, messageStream: '' }, /postmark: messageStream/],
  [{ ...options, timeoutMs: 0 }, /timeoutMs/],
  [{ ...options, token: 'x' }, /token is not an option/],
])('postmark(%o) is refused by its option', (given, words) => {
  expect(() => postmark(given as never)).toThrow(words);
});
