import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { fakeFcm } from '../../src/fakes/fcm.ts';
import { fakeInfobip } from '../../src/fakes/infobip.ts';
import { fakeLine } from '../../src/fakes/line.ts';
import { fakeMailgun } from '../../src/fakes/mailgun.ts';
import { fakePostmark } from '../../src/fakes/postmark.ts';
import { fakeResend } from '../../src/fakes/resend.ts';
import { fakeSendgrid } from '../../src/fakes/sendgrid.ts';
import { fakeSes } from '../../src/fakes/ses.ts';
import { fakeSesV2 } from '../../src/fakes/sesv2.ts';
import { fakeSlack } from '../../src/fakes/slack.ts';
import type { WireFake } from '../../src/fakes/support/fake.ts';
import { fakeTwilio } from '../../src/fakes/twilio.ts';
import { fakeVonage } from '../../src/fakes/vonage.ts';
import { fakeWebPush } from '../../src/fakes/web-push.ts';
import { fakeWebhook } from '../../src/fakes/webhook.ts';
import { fakeWhatsAppCloud } from '../../src/fakes/whatsapp-cloud.ts';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  server.resetHandlers();
  vi.useRealTimers();
});
afterAll(() => server.close());

type Fields = Readonly<Record<string, unknown>>;

interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Fields | string;
}

async function ask({ url, headers, body }: Asked): Promise<{ status: number; text: string; headers: Headers }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, { method: 'POST', headers, body: text, redirect: 'manual' });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const basic = (pair: string): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
});
const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });

interface Vendor {
  readonly name: string;
  readonly fake: () => WireFake;
  /** A request that is taken. */
  readonly good: Asked;
  /** What is wrong, how the request differs, and what of the vendor's answer says so. */
  readonly wrong: readonly (readonly [
    what: string,
    patch: { headers?: Asked['headers']; body?: Fields | string; url?: string },
    status: number,
    says: RegExp,
  ])[];
}

const account = `AC${'a'.repeat(32)}`;
const mg = (fields: Record<string, string>): string => String(new URLSearchParams(fields));
const letter = { from: 'a@acme.test', to: 'b@people.test', subject: 'x', text: 'y' };
const sms = { To: '+15551234567', From: '+15550001111', Body: 'x' };
const infobipBody = (patch: object, content: object = { text: 'x' }): Fields => ({
  messages: [{ sender: 'Acme', destinations: [{ to: '15551234567', ...patch }], content }],
});
const user = `U${'0'.repeat(32)}`;
const signed = {
  authorization: `AWS4-HMAC-SHA256 Credential=AKID/20260301/eu-west-1/ses/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
};
const raw = Buffer.from('From: a@acme.test\r\n\r\nHello.').toString('base64');
const v2 = { Destination: { ToAddresses: ['b@people.test'] }, Content: { Raw: { Data: raw } } };
const v1 = (patch: Record<string, string>): string =>
  mg({ Action: 'SendRawEmail', 'Destinations.member.1': 'b@people.test', 'RawMessage.Data': raw, ...patch });
const person = { to: [{ email: 'b@people.test' }] };
const sg = { personalizations: [person], from: { email: 'a@acme.test' }, subject: 'x', content: [{ value: 'y' }] };

const VENDORS: readonly Vendor[] = [
  {
    name: 'SendGrid',
    fake: () => fakeSendgrid({ templates: ['d-1'] }),
    good: { url: 'https://api.sendgrid.com/v3/mail/send', headers: bearer('SG.x'), body: sg },
    wrong: [
      ['another key', { headers: bearer('x') }, 401, /authorization grant is invalid/],
      ['no recipient', { body: { ...sg, personalizations: [] } }, 400, /personalizations field is required/],
      [
        'a bad recipient',
        { body: { ...sg, personalizations: [{ to: [{ email: 'b' }] }] } },
        400,
        /"personalizations.0.to/,
      ],
      ['a bad sender', { body: { ...sg, from: { email: 'a' } } }, 400, /"from.email"/],
      ['no subject', { body: { ...sg, subject: '' } }, 400, /subject is required/],
      ['an empty text', { body: { ...sg, content: [{ value: '' }] } }, 400, /at least one character/],
      ['another template', { body: { ...sg, template_id: 'd-2' } }, 400, /template_id/],
      ['arguments that are no texts', { body: { ...sg, custom_args: { a: 1 } } }, 400, /custom_args must be strings/],
      ['arguments that are too long', { body: { ...sg, custom_args: { a: 'x'.repeat(10_000) } } }, 400, /10000 bytes/],
      ['more than 30 MB', { body: ' '.repeat(30 * 1_048_576 + 1) }, 413, /<html>/],
      ['another path', { url: 'https://api.sendgrid.com/v3/mail' }, 404, /not found/],
    ],
  },
  {
    name: 'Resend',
    fake: () => fakeResend(),
    good: { url: 'https://api.resend.com/emails', headers: bearer('re_x'), body: letter },
    wrong: [
      ['no key', { headers: {} }, 401, /missing_api_key/],
      ['another key', { headers: bearer('x') }, 403, /invalid_api_key/],
      [
        'a key of repeats that is too long',
        { headers: { ...bearer('re_x'), 'idempotency-key': 'k'.repeat(257) } },
        400,
        /invalid_idempotency_key/,
      ],
      ['no subject', { body: { ...letter, subject: undefined } }, 422, /missing_required_field.*`subject`/],
      ['no body', { body: { ...letter, text: undefined } }, 422, /missing_required_field.*`html` or `text`/],
      ['a bad sender', { body: { ...letter, from: 'a' } }, 422, /invalid_from_address/],
      ['a bad recipient', { body: { ...letter, to: 'b' } }, 422, /validation_error.*Invalid `to`/],
      ['a domain of examples', { body: { ...letter, to: 'b@example.com' } }, 422, /Invalid `to`.*example.com/],
      ['51 recipients', { body: { ...letter, to: Array<string>(51).fill('b@people.test') } }, 422, /50 at most/],
      ['a tag with other letters', { body: { ...letter, tags: [{ name: 'ä', value: 'x' }] } }, 422, /Tags should only/],
      [
        'attachments of more than 40 MB',
        { body: { ...letter, attachments: [{ content: 'x'.repeat(40 * 1_048_576 + 1) }] } },
        422,
        /40MB/,
      ],
    ],
  },
  {
    name: 'Postmark',
    fake: () => fakePostmark({ serverToken: 'token' }),
    good: {
      url: 'https://api.postmarkapp.com/email',
      headers: { 'x-postmark-server-token': 'token', 'content-type': 'application/json' },
      body: { From: 'a@acme.test', To: 'b@people.test', TextBody: 'x' },
    },
    wrong: [
      ['another token', { headers: { 'content-type': 'application/json' } }, 401, /"ErrorCode":10,/],
      [
        'another type',
        { headers: { 'x-postmark-server-token': 'token', 'content-type': 'text/plain' } },
        422,
        /"ErrorCode":409,/,
      ],
      ['no JSON', { body: '{' }, 422, /"ErrorCode":402,/],
      ['a field of another type', { body: { From: 'a@acme.test', To: 1 } }, 422, /"ErrorCode":403,/],
      ['a bad recipient', { body: { From: 'a@acme.test', To: 'b', TextBody: 'x' } }, 422, /"ErrorCode":300,.*'To'/],
      ['no body', { body: { From: 'a@acme.test', To: 'b@people.test' } }, 422, /'TextBody' or 'HtmlBody'/],
      [
        'a long name of metadata',
        { body: { From: 'a@acme.test', To: 'b@people.test', TextBody: 'x', Metadata: { ['n'.repeat(21)]: '' } } },
        422,
        /Metadata/,
      ],
      ['more than 10 MB', { body: ' '.repeat(10 * 1_048_576 + 1) }, 413, /<html>/],
    ],
  },
  {
    name: 'Mailgun',
    fake: () => fakeMailgun({ apiKey: 'key', domain: 'mg.acme.test' }),
    good: {
      url: 'https://api.mailgun.net/v3/mg.acme.test/messages',
      headers: { ...basic('api:key'), ...form },
      body: mg(letter),
    },
    wrong: [
      ['another key', { headers: { ...basic('api:x'), ...form } }, 401, /^Forbidden$/],
      ['another domain', { url: 'https://api.mailgun.net/v3/mg.other.test/messages' }, 404, /Domain not found/],
      ['a bad recipient', { body: mg({ ...letter, to: 'b' }) }, 400, /'to' parameter is not a valid/],
      ['a bad sender', { body: mg({ ...letter, from: 'a' }) }, 400, /'from' parameter is not a valid/],
      ['no body', { body: mg({ from: letter.from, to: letter.to }) }, 400, /Need at least one of/],
      ['variables that are too long', { body: mg({ ...letter, 'v:a': 'x'.repeat(16_384) }) }, 400, /16 KB/],
      ['more than 25 MB', { body: ' '.repeat(25 * 1_048_576 + 1) }, 413, /too large/],
    ],
  },
  {
    name: 'SES, version 2',
    fake: () => fakeSesV2({ identities: ['acme.test'], configurationSets: ['events'] }),
    good: { url: 'https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails', headers: signed, body: v2 },
    wrong: [
      ['no signature', { headers: {} }, 403, /not authorized/],
      ['no recipient', { body: { ...v2, Destination: {} } }, 400, /Recipient count/],
      ['a bad recipient', { body: { ...v2, Destination: { ToAddresses: ['b'] } } }, 400, /Illegal address/],
      ['a tag with other letters', { body: { ...v2, EmailTags: [{ Name: 'id', Value: 'a:b' }] } }, 400, /Invalid tag/],
      ['another configuration set', { body: { ...v2, ConfigurationSetName: 'x' } }, 404, /<x> does not exist/],
      [
        'a sender that is not verified',
        { body: { ...v2, Content: { Raw: { Data: Buffer.from('From: a@other.test\r\n\r\nx').toString('base64') } } } },
        400,
        /not verified.*a@other.test/,
      ],
    ],
  },
  {
    name: 'SES, version 1',
    fake: () => fakeSes({ identities: ['acme.test'], configurationSets: ['events'] }),
    good: { url: 'https://email.eu-west-1.amazonaws.com/', headers: { ...signed, ...form }, body: v1({}) },
    wrong: [
      ['no signature', { headers: form }, 403, /<Code>AccessDenied</],
      ['a bad recipient', { body: v1({ 'Destinations.member.1': 'b' }) }, 400, /<Code>InvalidParameterValue</],
      ['another action', { body: v1({ Action: 'Nothing' }) }, 400, /Unknown Action/],
      [
        'another configuration set',
        { body: v1({ ConfigurationSetName: 'x' }) },
        400,
        /<Code>ConfigurationSetDoesNotExist<.*&lt;x&gt;/,
      ],
      [
        'a sender that is not verified',
        { body: v1({ Source: 'a@other.test' }) },
        400,
        /<Code>MessageRejected<.*not verified/,
      ],
      [
        'more than 10 MB',
        {
          body: v1({
            'RawMessage.Data': Buffer.from(`From: a@acme.test\r\n\r\n${'x'.repeat(10 * 1_048_576)}`).toString('base64'),
          }),
        },
        413,
        /<Code>RequestEntityTooLarge</,
      ],
    ],
  },
  {
    name: 'Twilio',
    fake: () => fakeTwilio({ accountSid: account, secret: 'token' }),
    good: {
      url: `https://api.twilio.com/2010-04-01/Accounts/${account}/Messages.json`,
      headers: { ...basic(`${account}:token`), ...form },
      body: mg(sms),
    },
    wrong: [
      ['another token', { headers: { ...basic(`${account}:x`), ...form } }, 401, /"code":20003,/],
      ['a bad recipient', { body: mg({ ...sms, To: '555' }) }, 400, /"code":21211,/],
      ['a number that has opted out', { body: mg({ ...sms, To: '+15005550004' }) }, 400, /"code":21610,/],
      ['a sender whose queue is full', { body: mg({ ...sms, From: '+15005550008' }) }, 400, /"code":21611,/],
      ['no sender', { body: mg({ To: sms.To, Body: 'x' }) }, 400, /"code":21603,/],
      ['no body', { body: mg({ ...sms, Body: '' }) }, 400, /"code":21602,/],
      ['more than 1600 characters', { body: mg({ ...sms, Body: 'x'.repeat(1_601) }) }, 400, /"code":21617,/],
      ['WhatsApp from a number of SMS', { body: mg({ ...sms, To: `whatsapp:${sms.To}` }) }, 400, /"code":63007,/],
    ],
  },
  {
    name: 'Infobip',
    fake: () => fakeInfobip({ apiKey: 'key' }),
    good: {
      url: 'https://x1.api.infobip.com/sms/3/messages',
      headers: { authorization: 'App key' },
      body: infobipBody({}),
    },
    wrong: [
      ['another key', { headers: { authorization: 'App x' } }, 401, /E401/],
      ['no text', { body: infobipBody({}, {}) }, 400, /E400.*text/],
      ['no destination', { body: { messages: [{}] } }, 400, /E400.*destinations/],
      ['a bad recipient', { body: infobipBody({ to: '+x' }) }, 200, /"groupName":"REJECTED","id":52,/],
      ['an id that is too long', { body: infobipBody({ messageId: 'x'.repeat(201) }) }, 400, /messageId/],
      ['26 parts', { body: infobipBody({}, { text: 'x'.repeat(25 * 153 + 1) }) }, 200, /"id":25,/],
    ],
  },
  {
    name: 'Vonage',
    fake: () => fakeVonage({ credentials: { apiKey: 'k', apiSecret: 's' } }),
    good: {
      url: 'https://rest.nexmo.com/sms/json',
      headers: { ...basic('k:s'), ...form },
      body: mg({ from: 'Acme', to: '15551234567', text: 'x' }),
    },
    wrong: [
      ['another secret', { headers: { ...basic('k:x'), ...form } }, 200, /"status":"4"/],
      ['no text', { body: mg({ from: 'Acme', to: '15551234567' }) }, 200, /"status":"2"/],
      ['a bad recipient', { body: mg({ from: 'Acme', to: 'b', text: 'x' }) }, 200, /"status":"3"/],
      ['a bad sender', { body: mg({ from: 'Acme Incorporated', to: '15551234567', text: 'x' }) }, 200, /"status":"15"/],
      [
        'a long reference',
        { body: mg({ from: 'Acme', to: '15551234567', text: 'x', 'client-ref': 'x'.repeat(101) }) },
        200,
        /client-ref/,
      ],
    ],
  },
  {
    name: 'WhatsApp Cloud API',
    fake: () => fakeWhatsAppCloud({ phoneNumberId: '1', templates: ['hello'], windowOpenFor: ['+15551234567'] }),
    good: {
      url: 'https://graph.facebook.com/v23.0/1/messages',
      headers: bearer('x'),
      body: { messaging_product: 'whatsapp', to: '+15551234567', type: 'text', text: { body: 'x' } },
    },
    wrong: [
      ['no token', { headers: {} }, 401, /"code":190,/],
      ['another number', { url: 'https://graph.facebook.com/v23.0/2/messages' }, 400, /"code":33,/],
      ['another product', { body: { to: '+15551234567' } }, 400, /"code":100,/],
      ['a bad recipient', { body: { messaging_product: 'whatsapp', to: 'b' } }, 400, /"code":131009,/],
      ['no text', { body: { messaging_product: 'whatsapp', to: '+15551234567', type: 'text' } }, 400, /"code":131008,/],
      [
        'a text to somebody who has not written',
        { body: { messaging_product: 'whatsapp', to: '+15557654321', text: { body: 'x' } } },
        400,
        /"code":131047,/,
      ],
      [
        'another template',
        {
          body: {
            messaging_product: 'whatsapp',
            to: '+15551234567',
            type: 'template',
            template: { name: 'bye', language: { code: 'en' } },
          },
        },
        404,
        /"code":132001,/,
      ],
    ],
  },
  {
    name: 'LINE',
    fake: () => fakeLine({ friends: [user] }),
    good: {
      url: 'https://api.line.me/v2/bot/message/push',
      headers: bearer('x'),
      body: { to: user, messages: [{ type: 'text', text: 'x' }] },
    },
    wrong: [
      ['no token', { headers: {} }, 401, /Authentication failed/],
      ['a key that is no UUID', { headers: { ...bearer('x'), 'x-line-retry-key': 'k_1' } }, 400, /Retry-Key/],
      [
        'a bad recipient',
        { body: { to: 'ann', messages: [{ type: 'text', text: 'x' }] } },
        400,
        /'to', in the request body/,
      ],
      [
        'somebody who is no friend',
        { body: { to: `U${'1'.repeat(32)}`, messages: [{ type: 'text', text: 'x' }] } },
        400,
        /Failed to send messages/,
      ],
      ['six messages', { body: { to: user, messages: Array(6).fill({ type: 'text', text: 'x' }) } }, 400, /error/],
      [
        'a text of 5001 characters',
        { body: { to: user, messages: [{ type: 'text', text: 'x'.repeat(5_001) }] } },
        400,
        /error/,
      ],
    ],
  },
  {
    name: 'Slack',
    fake: () => fakeSlack({ channels: ['C1'] }),
    good: {
      url: 'https://slack.com/api/chat.postMessage',
      headers: bearer('xoxb-1'),
      body: { channel: 'C1', text: 'x' },
    },
    wrong: [
      ['no token', { headers: {} }, 200, /"not_authed"/],
      ['another token', { headers: bearer('xoxp-1') }, 200, /"invalid_auth"/],
      ['another channel', { body: { channel: 'C2', text: 'x' } }, 200, /"channel_not_found"/],
      ['no text', { body: { channel: 'C1' } }, 200, /"no_text"/],
      ['a text that is too long', { body: { channel: 'C1', text: 'x'.repeat(40_001) } }, 200, /"msg_too_long"/],
      [
        '51 blocks',
        { body: { channel: 'C1', text: 'x', blocks: Array(51).fill({ type: 'divider' }) } },
        200,
        /"invalid_blocks"/,
      ],
    ],
  },
  {
    name: 'a receiver of webhooks',
    fake: () => fakeWebhook(),
    good: { url: 'https://hooks.example.com/in', headers: { 'webhook-id': 'm_1' }, body: { type: 'a' } },
    wrong: [['no JSON', { body: 'a=b' }, 400, /no JSON/]],
  },
];

describe.each(VENDORS)('the fake of $name, seen through msw', ({ fake: make, good, wrong }) => {
  test('takes what is right', async () => {
    const fake = make();
    server.use(...fake.handlers);
    expect((await ask(good)).status).toBeLessThan(300);
    expect([fake.mailbox.length, fake.requests.length]).toEqual([1, 1]);
    expect(fake.mailbox[0]?.id).not.toBe('');
  });

  test.each(wrong)('refuses %s', async (_what, patch, status, says) => {
    const fake = make();
    server.use(...fake.handlers);
    const answer = await ask({ ...good, ...patch });
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(says)]);
    expect([fake.mailbox.length, fake.requests.length]).toEqual([0, 1]);
  });

  test('ends a connection as a network does', async () => {
    const fake = make();
    server.use(...fake.handlers);
    fake.next({ kind: 'drop-after-accept' });
    fake.next({ kind: 'drop-before-accept' });
    await expect(ask(good)).rejects.toThrow('Failed to fetch');
    await expect(ask(good)).rejects.toThrow('Failed to fetch');
    expect([fake.mailbox.length, fake.requests.length]).toEqual([1, 2]);
    fake.reset();
    expect([fake.mailbox.length, fake.requests.length]).toEqual([0, 0]);
  });
});

describe('the fake of Resend', () => {
  const good = VENDORS.find(({ name }) => name === 'Resend')!.good;
  const keyed = { ...good, headers: { ...good.headers, 'idempotency-key': 'k' } };

  test('answers a repeat by its first id, another body by a refusal, and after a day as if it were new', async () => {
    let now = 0;
    const fake = fakeResend({ now: () => now });
    server.use(...fake.handlers);
    const first = await ask(keyed);
    expect(await ask(keyed)).toMatchObject({ text: first.text });
    const other = await ask({ ...keyed, body: { ...letter, subject: 'other' } });
    expect([other.status, other.text]).toEqual([409, expect.stringContaining('invalid_idempotent_request')]);
    now = 86_400_000 - 1;
    expect((await ask(keyed)).text).toBe(first.text);
    now += 1;
    expect((await ask(keyed)).text).not.toBe(first.text);
    expect(fake.mailbox.map(({ at }) => at)).toEqual([0, 86_400_000]);
  });

  test('refuses a repeat while the first is on its way', async () => {
    const fake = fakeResend();
    server.use(...fake.handlers);
    fake.next({ kind: 'late', ms: 50 });
    const [first, second] = [ask(keyed), ask(keyed)];
    expect((await second).text).toContain('concurrent_idempotent_requests');
    expect((await ask(keyed)).text).toContain('concurrent_idempotent_requests');
    expect((await first).status).toBe(200);
    expect(await ask(keyed)).toMatchObject({ text: (await first).text });
    expect(fake.mailbox).toHaveLength(1);
  });

  test('remembers nothing of what it refused, nor of what it never took', async () => {
    const fake = fakeResend();
    server.use(...fake.handlers);
    fake.next({ kind: 'refuse', code: 'application_error' });
    fake.next({ kind: 'server-error', status: 503 });
    expect([(await ask(keyed)).status, (await ask(keyed)).status, (await ask(keyed)).status]).toEqual([500, 503, 200]);
    expect(fake.mailbox).toHaveLength(1);
  });
});

describe('every fake', () => {
  const good = VENDORS.find(({ name }) => name === 'Slack')!.good;

  test('follows its script, then what is always, then its own mind', async () => {
    const fake = fakeSlack();
    server.use(...fake.handlers);
    fake.always({ kind: 'server-error', status: 500 });
    fake.next({ kind: 'refuse', code: 'fatal_error' }, 2);
    const says = async (): Promise<string> => `${(await ask(good)).text.slice(0, 29)}`;
    expect(await says()).toBe('{"ok":false,"error":"fatal_er');
    expect(await says()).toBe('{"ok":false,"error":"fatal_er');
    expect(await says()).toContain('<html>');
    fake.always(null);
    expect(await says()).toContain('"ok":true');
  });

  test('refuses whom it is told to refuse', async () => {
    const fake = fakePostmark({ refuseTo: { 'b@people.test': '406' } });
    server.use(...fake.handlers);
    const answer = await ask(VENDORS.find(({ name }) => name === 'Postmark')!.good);
    expect(answer.text).toContain('"ErrorCode":406,');
    expect(fake.mailbox).toEqual([]);
  });

  test('stores nothing in a test mode of the vendor', async () => {
    const [sendgrid, postmark] = [fakeSendgrid(), fakePostmark()];
    server.use(...sendgrid.handlers, ...postmark.handlers);
    const sandbox = { ...VENDORS[0]!.good, body: { ...sg, mail_settings: { sandbox_mode: { enable: true } } } };
    expect((await ask(sandbox)).status).toBe(200);
    const good = VENDORS.find(({ name }) => name === 'Postmark')!.good;
    const tried = { ...good, headers: { ...good.headers, 'x-postmark-server-token': 'POSTMARK_API_TEST' } };
    expect((await ask(tried)).text).toContain('"ErrorCode":0,');
    expect([sendgrid.mailbox, postmark.mailbox]).toEqual([[], []]);
  });
});

describe('the fake of Vonage', () => {
  test('shows what is not in GSM as question marks, where the type does not say unicode', async () => {
    const fake = fakeVonage();
    server.use(...fake.handlers);
    const good = VENDORS.find(({ name }) => name === 'Vonage')!.good;
    const fields = { from: 'Acme', to: '15551234567', text: 'Zoë 😀 €' };
    await ask({ ...good, body: mg(fields) });
    await ask({ ...good, body: mg({ ...fields, type: 'unicode' }) });
    expect(fake.mailbox.map(({ body }) => body['text'])).toEqual(['Zo? ? €', 'Zoë 😀 €']);
  });
});

describe('the fake of FCM', () => {
  test('believes no token that it did not give', async () => {
    const fake = fakeFcm();
    server.use(...fake.handlers);
    const url = 'https://fcm.googleapis.com/v1/projects/fake-project/messages:send';
    const answer = await ask({ url, headers: bearer('x'), body: { message: { token: 't' } } });
    expect([answer.status, answer.text]).toEqual([401, expect.stringContaining('UNAUTHENTICATED')]);
    const token = await ask({ url: 'https://oauth2.googleapis.com/token', headers: form, body: 'assertion=x' });
    expect([token.status, token.text]).toEqual([400, expect.stringContaining('invalid_grant')]);
  });
});

describe('the fake of a push service', () => {
  test('knows its browsers, and believes nobody without VAPID', async () => {
    const fake = fakeWebPush();
    server.use(...fake.handlers);
    const subscription = fake.subscribe();
    const { endpoint } = JSON.parse(subscription) as { endpoint: string };
    const headers = { ttl: '60', 'content-encoding': 'aes128gcm' };
    expect((await ask({ url: endpoint, headers: {}, body: 'x' })).status).toBe(400);
    expect((await ask({ url: endpoint, headers, body: 'x' })).status).toBe(401);
    expect((await ask({ url: `${endpoint}9`, headers, body: 'x' })).status).toBe(404);
    fake.unsubscribe(subscription);
    expect((await ask({ url: endpoint, headers, body: 'x' })).status).toBe(410);
    expect(fake.mailbox).toEqual([]);
  });
});
