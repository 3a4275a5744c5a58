import { describe, expect, test } from 'vitest';
import { MAILGUN, mailgun } from '../../src/providers/mailgun.ts';
import { LETTERS, outcomeOf, requestsOf, SENDER, testApiLookup, testApiMail } from './support/api-mail.ts';
import { testApiProvider } from './support/api-provider.ts';
import { answer, fakeHttp } from './support/fake-http.ts';
import { outgoing } from './support/sending.ts';

const options = { apiKey: 'key-1', domain: 'mg.example.com', from: SENDER };
const id = '20260301080000.1.ABC@mg.example.com';
const taken = JSON.stringify({ id: `<${id}>`, message: 'Queued. Thank you.' });
const make = (baseUrl: string) => mailgun({ ...options, baseUrl });
const refusal = (message: string) => JSON.stringify({ message });
const event = (deliveryId: string, messageId: string) => ({
  event: 'accepted',
  message: { headers: { 'message-id': messageId } },
  'user-variables': { sendonce_delivery: deliveryId },
});

testApiProvider({
  name: 'mailgun',
  make,
  message: outgoing({ content: { subject: LETTERS, text: 'Hello.', headers: { 'X-Order': '7', 'X-Also': '8' } } }),
  taken: { status: 200, body: taken },
  id,
  refusal: () => refusal('in words'),
  table: MAILGUN.outcomes,
});

testApiMail({
  name: 'mailgun',
  make,
  taken,
  megabytes: 10,
  command: 'X-Mailgun-Drop-Message',
  tooLong: { text: 'x'.repeat(26_214_401) },
});

testApiLookup({
  name: 'mailgun',
  make,
  found: (deliveryId) => JSON.stringify({ items: [event('d_3', 'another'), event(deliveryId, id)] }),
  empty: '{"items":[]}',
  // Other mail to the same recipient is nothing unusual.
  others: 'absent',
  id,
});

/** The parts of a form, by name, as a server would read them. */
async function partsOf(bytes: Buffer, contentType = ''): Promise<[name: string, value: unknown][]> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  const read = async (value: unknown): Promise<unknown> =>
    value instanceof File ? [value.name, value.type, Buffer.from(await value.arrayBuffer())] : value;
  return Promise.all([...form].map(async ([name, value]) => [name, await read(value)] as [string, unknown]));
}

describe('a mail through Mailgun', () => {
  test('is one form with variable, headers and content, its files in their own bytes', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 128]);
    const attachments = [
      {
        filename: 'a "b" ü.pdf',
        content: bytes.toString('base64'),
        encoding: 'base64',
        contentType: 'application/pdf',
      },
      { filename: 'a.png', content: 'iVBO', encoding: 'base64', cid: 'logo' },
    ];
    const headers = { 'X-Order': '7', 'Reply-To': 'sales@example.com' };
    const content = { subject: LETTERS, text: LETTERS, html: `<p>${LETTERS}`, headers, attachments };
    const [request] = await requestsOf(make, content, taken);
    expect(request?.line).toBe('POST /v3/mg.example.com/messages HTTP/1.1');
    expect(request?.headers).toMatchObject({ authorization: 'Basic YXBpOmtleS0x' });
    expect(await partsOf(request?.bytes ?? Buffer.alloc(0), request?.headers['content-type'])).toEqual([
      ['from', '"Acme \\"Shop\\" 😀" <shop@example.com>'],
      ['to', 'ann@example.com'],
      ['subject', LETTERS],
      ['text', LETTERS],
      ['html', `<p>${LETTERS}`],
      ['h:Reply-To', 'sales@example.com'],
      ['h:X-Order', '7'],
      ['v:sendonce_delivery', 'd_1'],
      ['attachment', ['a "b" ü.pdf', 'application/pdf', bytes]],
      ['inline', ['logo', 'application/octet-stream', Buffer.from('iVBO', 'base64')]],
    ]);
  });

  test('that holds the boundary of another one cannot end its own', async () => {
    const [first] = await requestsOf(make, { text: 'x' }, taken);
    const boundary = /boundary=(.*)/.exec(first?.headers['content-type'] ?? '')?.[1] ?? '';
    const text = `x\r\n--${boundary}\r\nContent-Disposition: form-data; name="bcc"\r\n\r\nall@example.com\r\n`;
    const [second] = await requestsOf(make, { text }, taken);
    const parts = await partsOf(second?.bytes ?? Buffer.alloc(0), second?.headers['content-type']);
    expect(boundary).toMatch(/^sendonce-/);
    expect(parts.map(([name]) => name)).not.toContain('bcc');
    expect(Object.fromEntries(parts)).toMatchObject({ text });
  });

  test('whose headers are longer than 16 KB in all is rejected before any request', () => {
    const headers = Object.fromEntries(['A', 'B', 'C'].map((name) => [name, 'x'.repeat(8_000)]));
    const checked = make('http://127.0.0.1:9').check?.(outgoing({ content: { text: 'x', headers } }));
    expect(checked).toMatchObject({ kind: 'rejected', scope: 'message', code: 'too-long' });
  });

  test.each([
    ["'to' parameter is not a valid address. please check documentation", 'destination'],
    ["'from' parameter is not a valid address. please check documentation", 'provider'],
    ['Domain mg.example.com is not allowed to send: the domain is not verified', 'provider'],
    ['Sandbox subdomains are for test purposes only. Please add the address to authorized recipients', 'provider'],
    ["'o:tag' parameter is wrong", 'message'],
  ])('that is refused with 400 and "%s" is rejected for its %s', async (words, scope) => {
    expect(await outcomeOf(make, answer(400, refusal(words)))).toMatchObject({ kind: 'rejected', scope });
  });

  test('that comes too soon waits as long as the words of the answer ask, by the clock of Mailgun', async () => {
    const words = 'Domain mg.example.com exceeded its rate; try again after Sun, 01 Mar 2026 08:05:00 GMT';
    const headers = { date: 'Sun, 01 Mar 2026 08:00:00 GMT' };
    const outcome = await outcomeOf(make, answer(429, refusal(words), headers));
    expect(outcome).toMatchObject({ kind: 'deferred', retryAfterMs: 300_000 });
  });
});

describe('a lookup at Mailgun', () => {
  test.each([
    ['asks for what was accepted for the recipient since before the send', 1, 'absent'],
    ['cannot tell when the first page is full of others', 300, 'cannot-tell'],
  ])('%s', async (_what, others, kind) => {
    const page = JSON.stringify({ items: Array.from({ length: others }, () => event('d_3', 'another')) });
    const fake = await fakeHttp(() => ({ write: answer(200, page), then: 'close' }));
    const { lookup } = make(`http://127.0.0.1:${fake.port}`).capabilities;
    if (lookup === 'none') throw new Error('no lookup');
    const request = { deliveryId: 'd_1', key: 'k_1', to: 'ann+a@bücher.example', markedAt: 1_772_352_000_500 };
    expect(await lookup.find(request, { signal: new AbortController().signal })).toMatchObject({ kind });
    expect(fake.complete.map(({ line }) => line)).toEqual([
      'GET /v3/mg.example.com/events?begin=1772351400&ascending=yes&limit=300&event=accepted&recipient=ann%2Ba%40xn--bcher-kva.example HTTP/1.1',
    ]);
    expect(fake.complete[0]?.headers).toMatchObject({ authorization: 'Basic YXBpOmtleS0x' });
    await fake.close();
  });
});

test.each([
  [{ ...options, apiKey: '' }, /mailgun: apiKey must be a text/],
  [{ ...options, domain: 'a/../b' }, /mailgun: domain must be a domain name/],
  [{ ...options, from: 'nobody' }, /mailgun: from/],
  [{ ...options, timeoutMs: 0 }, /timeoutMs/],
  [{ ...options, region: 'eu' }, /region is not an option/],
])('mailgun(%o) is refused by its option', (given, words) => {
  expect(() => mailgun(given as never)).toThrow(words);
});
