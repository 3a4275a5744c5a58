import { createECDH } from 'node:crypto';
import type { OutgoingMessage } from '@sendonce/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { contextOf } from '../providers/support/sending.ts';
import { LETTERS } from '../providers/support/api-mail.ts';
import { CASES, messageTo, type FakeCase, type Running } from './cases.ts';

const open: Running[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const each of open.splice(0)) await each.close();
});

async function start(given: FakeCase): Promise<Running & { send: Send }> {
  const running = await given.start();
  open.push(running);
  const to = running.addressOf('ann');
  const send: Send = async (content, patch = {}) =>
    running.provider.send(messageTo(given, to, { content, ...patch }), contextOf({ key: 'k_1' }));
  return { ...running, send };
}

type Send = (content: OutgoingMessage['content'], patch?: Partial<OutgoingMessage>) => Promise<unknown>;

const ON_PHONES = CASES.filter(({ content }) => content.channel === 'sms');
const MAILS = CASES.filter(({ content }) => content.channel === 'email');

/** Mailgun says that it takes such addresses, and Resend does not say that it takes none. */
const TAKES_UTF8: ReadonlySet<string> = new Set(['mailgun', 'resend']);

/** The texts of a mail in MIME, decoded. */
function textsIn(mime: string): string {
  const words = mime
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_all, base64: string) => Buffer.from(base64, 'base64').toString('latin1'))
    .replace(/=\?UTF-8\?Q\?([^?]*)\?=/gi, (_all, quoted: string) => unquoted(quoted.replaceAll('_', ' ')));
  const [head = '', ...parts] = words.split('\r\n\r\n');
  const encoding = /^content-transfer-encoding: (\S+)/im.exec(head)?.[1];
  const body = parts.join('\r\n\r\n');
  const read = encoding === 'base64' ? Buffer.from(body, 'base64').toString('latin1') : unquoted(body);
  return Buffer.from(`${head}\r\n\r\n${read}`, 'latin1').toString();
}

function unquoted(text: string): string {
  return text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

describe.each(CASES)('$name', (given) => {
  test('carries every letter to its vendor', async () => {
    const { fake, send } = await start(given);
    const content = given.name === 'webhook' ? { data: LETTERS } : { subject: LETTERS, text: LETTERS };
    expect(await send(content)).toMatchObject({ kind: 'accepted' });
    const body = fake.mailbox[0]?.body ?? {};
    const said = typeof body['mime'] === 'string' ? textsIn(body['mime']) : JSON.stringify(body).replaceAll('\\"', '"');
    const hasSubject = !['sms', 'whatsapp', 'line', 'slack', 'webhook'].includes(given.content.channel);
    expect(said.split(LETTERS)).toHaveLength(hasSubject ? 3 : 2);
  });

  test('makes the same bytes of the same message, whenever', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { fake, provider, addressOf } = await start(given);
    const message = messageTo(given, addressOf('ann'));
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await provider.send(message, contextOf({ attempt }));
      vi.setSystemTime(Date.now() + 61_000);
    }
    const sent = fake.requests.filter(({ url }) => url.pathname !== '/token');
    // Of the request, and not of the message: when it was signed.
    const signed = /^(authorization|x-amz-date|amz-sdk-.*|x-amzn-.*|webhook-timestamp|webhook-signature)$/;
    const [first, ...rest] = sent.map(({ method, url, headers, bytes }) => [
      ...[method, url.href, bytes.toString('base64')],
      Object.fromEntries(Object.entries(headers).filter(([name]) => !signed.test(name))),
    ]);
    expect(rest).toEqual([first, first]);
  });
});

describe.each(MAILS)('a mail through $name', (given) => {
  test.each([
    ['subject', { subject: 'Order\r\nBcc: all@people.test', text: 'x' }],
    ['subject, a lone one', { subject: 'Order\nBcc: all@people.test', text: 'x' }],
    ['header', { subject: 'x', text: 'x', headers: { 'X-Order': '1\r\nBcc: all@people.test' } }],
    ['name of a header', { subject: 'x', text: 'x', headers: { 'X-Order\r\nBcc': 'all@people.test' } }],
    ['name of a file', { subject: 'x', text: 'x', attachments: [{ filename: 'a\r\nBcc: b', content: 'x' }] }],
  ])('with a line break in its %s is rejected before any request', async (_what, content) => {
    const { fake, send } = await start(given);
    expect(await send(content)).toMatchObject({ kind: 'rejected', scope: 'message' });
    expect(fake.requests).toEqual([]);
  });

  test('with a line break in its address is rejected before any request', async () => {
    const { fake, send } = await start(given);
    const outcome = await send({ subject: 'x', text: 'x' }, { to: 'ann@people.test\r\nBcc: all@people.test' });
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'destination' });
    expect(fake.requests).toEqual([]);
  });

  test.each([
    ['a domain in letters', 'ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['a domain in punycode', 'ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
    ['a domain in capitals and parts', 'ann@BU\u0308CHER.example', 'ann@xn--bcher-kva.example'],
    ['a sharp s, which is no double s', 'ann@straße.example', 'ann@xn--strae-oqa.example'],
    ['a domain of another script', 'ann@例子.广告', 'ann@xn--fsqu00a.xn--4rr70v'],
  ])('to an address with %s goes there, its domain in ASCII', async (_what, to, sent) => {
    const { fake, send } = await start(given);
    expect(await send({ subject: 'x', text: 'x' }, { to })).toMatchObject({ kind: 'accepted' });
    expect(JSON.stringify(fake.mailbox.map((taken) => taken.to))).toContain(sent);
  });

  test.each([
    ['composed', '用户@例子.广告', '用户@xn--fsqu00a.xn--4rr70v'],
    ['in parts, which are put together', 'mu\u0308ller@people.test', 'müller@people.test'],
  ])('to letters before the @, %s, goes there or to another provider', async (_what, to, sent) => {
    const { fake, provider, send } = await start(given);
    const outcome = await send({ subject: 'x', text: 'x' }, { to });
    if (TAKES_UTF8.has(given.name)) {
      expect(outcome).toMatchObject({ kind: 'accepted' });
      expect(JSON.stringify(fake.mailbox.map((taken) => taken.to))).toContain(sent);
      return;
    }
    const rejected = { kind: 'rejected', scope: 'provider', code: 'SMTPUTF8' };
    expect(outcome).toMatchObject(rejected);
    expect(provider.check?.(messageTo(given, to))).toMatchObject(rejected);
    expect(fake.requests).toEqual([]);
  });

  test.each([
    ['a mark that turns the direction of writing', 'a\u202enn@people.test'],
    ['a character without width', 'ann@peo\u200bple.test'],
    ['a full-width comma, which separates addresses', 'a\uff0cann@people.test'],
    ['a domain that is none in ASCII', 'ann@\u0301.test'],
  ])('to an address with %s is rejected before any request', async (_what, to) => {
    const { fake, send } = await start(given);
    expect(await send({ subject: 'x', text: 'x' }, { to })).toMatchObject({ kind: 'rejected', scope: 'destination' });
    expect(fake.requests).toEqual([]);
  });

  test('with 10 MB attached is taken, or is too long before any request', async () => {
    const { fake, send } = await start(given);
    const content = Buffer.alloc(10 * 1_048_576, 'x').toString('base64');
    const outcome = await send({
      subject: 'x',
      text: 'x',
      attachments: [{ filename: 'a.bin', content, encoding: 'base64' }],
    });
    // These two take 10 MB with everything that encoding adds.
    const isTooLong = ['postmark', 'ses'].includes(given.name);
    expect(outcome).toMatchObject(isTooLong ? { kind: 'rejected', scope: 'message' } : { kind: 'accepted' });
    expect(fake.requests).toHaveLength(isTooLong ? 0 : 1);
  });
});

test('a mail through resend takes attachments of 40 MB as they are encoded, and no byte more', async () => {
  const given = CASES.find(({ name }) => name === 'resend')!;
  const { fake, send } = await start(given);
  const attached = (bytes: number): OutgoingMessage['content'] => ({
    subject: 'x',
    text: 'x',
    attachments: [{ filename: 'a.bin', content: Buffer.alloc(bytes).toString('base64'), encoding: 'base64' }],
  });
  const most = 30 * 1_048_576;
  expect(await send(attached(most + 1))).toMatchObject({ kind: 'rejected', scope: 'message', code: 'too-long' });
  expect(fake.requests).toEqual([]);
  expect(await send(attached(most))).toMatchObject({ kind: 'accepted' });
});

describe.each(ON_PHONES)('an SMS through $name', (given) => {
  test.each([
    ['160 letters of GSM', 'x'.repeat(160), 1],
    ['161 letters of GSM', 'x'.repeat(161), 2],
    ['70 letters of others', 'ש'.repeat(70), 1],
    ['71 letters of others', 'ש'.repeat(71), 2],
    ['35 emoji', '😀'.repeat(35), 1],
    ['36 emoji', '😀'.repeat(36), 2],
    ['80 euro signs', '€'.repeat(80), 1],
    ['81 euro signs', '€'.repeat(81), 2],
    ['67 emoji, of which none is cut in two', '😀'.repeat(67), 3],
  ])('of %s arrives whole, in as many parts as its vendor counts', async (_what, text, parts) => {
    const { fake, send } = await start(given);
    expect(await send({ text })).toMatchObject({ kind: 'accepted' });
    const [taken] = fake.mailbox;
    expect(JSON.stringify(taken?.body)).toContain(text);
    const { segmentsOf } = await import('../../src/internal/sms/segments.ts');
    const { smsParts } = await import('../../src/fakes/support/sms-parts.ts');
    expect([segmentsOf(text).segments, smsParts(text)]).toEqual([parts, parts]);
  });
});

describe('a push', () => {
  const pushed = CASES.filter(({ content }) => content.channel === 'push');

  test.each([
    ['fcm', { text: 'x', data: { from: 'x' } }],
    ['fcm', { text: 'x', data: { 'google.sent_time': 'x' } }],
    ['fcm', { text: 'x', data: { 'gcm.n.e': 'x' } }],
    ['fcm', { text: 'x', data: { message_type: 'x' } }],
    ['fcm', { text: 'x', data: { sendonce_delivery: 'x' } }],
    ['apns', { text: 'x', data: { aps: {} } }],
    ['apns', { text: 'x', data: { sendonce_delivery: 'x' } }],
  ])('through %s with a key that is reserved, %o, is rejected before any request', async (name, content) => {
    const { fake, send } = await start(pushed.find((each) => each.name === name)!);
    expect(await send(content)).toMatchObject({ kind: 'rejected', scope: 'message' });
    expect(fake.requests).toEqual([]);
  });

  test('through web-push is read by its browser alone, and refused from another sender', async () => {
    const { fake, provider, send, addressOf } = await start(pushed.find(({ name }) => name === 'web-push')!);
    await send({ text: 'x', webPush: { topic: 'mine', ttlSeconds: 5 } });
    expect(fake.mailbox[0]?.body).toMatchObject({ text: '{"tag":"d_1","text":"x"}', topic: 'mine', ttl: 5 });
    const [endpoint, other] = ['ann', 'ben'].map(
      (name) => JSON.parse(addressOf(name)) as { endpoint: string; keys: object },
    );
    const mixed = JSON.stringify({ endpoint: endpoint?.endpoint, keys: other?.keys });
    await provider.send(
      messageTo(
        pushed.find(({ name }) => name === 'web-push')!,
        mixed,
      ),
      contextOf(),
    );
    expect(fake.mailbox[1]?.body['text']).toBeNull();
    const { webPush } = await import('../../src/providers/web-push.ts');
    const keys = createECDH('prime256v1');
    keys.generateKeys();
    const stranger = webPush({
      vapid: {
        publicKey: keys.getPublicKey('base64url'),
        privateKey: keys.getPrivateKey('base64url'),
        subject: 'mailto:x@acme.test',
      },
      privateAddresses: true,
      allow: () => true,
    });
    const message = messageTo(
      pushed.find(({ name }) => name === 'web-push')!,
      addressOf('ann'),
    );
    expect(await stranger.send(message, contextOf())).toMatchObject({ kind: 'rejected', scope: 'provider' });
  });
});

describe.each(CASES.filter(({ facts }) => facts.capabilities.lookup !== 'none'))('a lookup of $name', (given) => {
  test('does not find what its vendor has not settled, and finds it then', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { fake, provider, addressOf } = await start(given);
    const { lookup } = provider.capabilities;
    if (lookup === 'none') throw new Error('there is none');
    const to = addressOf('ann');
    const markedAt = Date.now();
    fake.next({ kind: 'drop-after-accept' });
    expect(await provider.send(messageTo(given, to), contextOf())).toMatchObject({ kind: 'unknown' });
    const find = () =>
      lookup.find({ deliveryId: 'd_1', key: 'k_1', to, markedAt }, { signal: new AbortController().signal });
    expect(await find()).toEqual({ kind: 'absent' });
    vi.setSystemTime(markedAt + lookup.settleMs);
    expect(await find()).toEqual({ kind: 'found', providerMessageId: fake.mailbox[0]?.id });
    expect(fake.mailbox).toHaveLength(1);
  });
});
