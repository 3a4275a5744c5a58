import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { MessageContent, Outcome, Provider } from '@sendonce/core';
import {
  providerCapabilities,
  providerLaws,
  type ProviderSubject,
  type ServiceAnswer,
} from '@sendonce/core/conformance';
import { testLaws } from '../../../core/test/conformance/support/laws.ts';
import { smtp, type SmtpOptions } from '../../src/providers/smtp.ts';
import { fakeSmtp, type SmtpAct, type SmtpStep } from './support/fake-smtp.ts';
import { contextOf, outgoing } from './support/sending.ts';

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly raw: string;
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

/** A real server of SMTP: what it understands is what was said. */
async function mailServer(
  options: SMTPServerOptions = { disabledCommands: ['STARTTLS'], allowInsecureAuth: true },
): Promise<{ readonly port: number; readonly got: Received[] }> {
  const got: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    ...options,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username ?? '' }) : done(new Error('wrong')),
    onData: (stream, { envelope, user }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        got.push({
          from,
          to: envelope.rcptTo.map(({ address }) => address),
          user,
          raw: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, got };
}

function providerAt(port: number, options: Partial<SmtpOptions> = {}): Provider {
  const provider = smtp({ host: '127.0.0.1', port, from: 'Orders <orders@example.com>', ...options });
  closing.unshift(() => provider.close());
  return provider;
}

async function sent(
  content: MessageContent,
  to = 'ann@example.com',
): Promise<{ outcome: Outcome; mail: Received | undefined }> {
  const { port, got } = await mailServer();
  const outcome = await providerAt(port).send(outgoing({ content, to }), contextOf());
  return { outcome, mail: got[0] };
}

describe('a mail', () => {
  test('says from whom, to whom, what, and which delivery it is', async () => {
    const { outcome, mail } = await sent({ subject: 'Order 4711', text: 'Thank you.', headers: { 'X-Order': '4711' } });
    expect(outcome).toEqual({ kind: 'accepted', providerMessageId: '<k_1@example.com>' });
    expect(mail).toMatchObject({ from: 'orders@example.com', to: ['ann@example.com'] });
    expect(mail?.raw.split('\r\n')).toEqual(
      expect.arrayContaining([
        'From: Orders <orders@example.com>',
        'To: ann@example.com',
        'Subject: Order 4711',
        'Message-ID: <k_1@example.com>',
        'X-Sendonce-Delivery: d_1',
        'X-Order: 4711',
        'Thank you.',
      ]),
    );
  });

  test('has text, html and attachments as parts, all of its bytes there', async () => {
    const { mail } = await sent({
      subject: 'Invoice',
      text: 'Attached.',
      html: '<p>Attached. <img src="cid:logo"></p>',
      attachments: [
        {
          filename: 'Rechnung 4711 über.pdf',
          content: Buffer.from('%PDF-1.7').toString('base64'),
          encoding: 'base64',
          contentType: 'application/pdf',
        },
        { filename: 'note.txt', content: 'so be it' },
        { filename: 'logo.png', content: 'iVBORw0KGgo=', encoding: 'base64', cid: 'logo' },
      ],
    });
    expect(mail?.raw).toContain(Buffer.from('%PDF-1.7').toString('base64'));
    expect(mail?.raw).toContain(Buffer.from('so be it').toString('base64'));
    expect(mail?.raw).toContain("filename*0*=utf-8''Rechnung%204711%20%C3%BCber.pdf");
    expect(mail?.raw).toContain('Content-ID: <logo>');
  });

  test('carries every script and a line that begins with a dot', async () => {
    const { mail } = await sent({ subject: 'Grüße 🎉 注文', text: '.dot\n..two\nこんにちは' });
    const [, encoded = ''] = /^Subject: (.*(?:\r\n .*)*)/m.exec(mail?.raw ?? '') ?? [];
    const words = [...encoded.matchAll(/=\?UTF-8\?B\?(.*?)\?=/g)].map(([, word = '']) =>
      Buffer.from(word, 'base64').toString(),
    );
    expect(words.join('')).toBe('Grüße 🎉 注文');
    const body = mail?.raw.split('\r\n\r\n').slice(1).join('\r\n\r\n') ?? '';
    const text = /quoted-printable/.test(mail?.raw ?? '')
      ? Buffer.from(
          body
            .replace(/=\r\n/g, '')
            .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16))),
          'latin1',
        ).toString()
      : Buffer.from(body, 'base64').toString();
    expect(text.replaceAll('\r\n', '\n').trim()).toBe('.dot\n..two\nこんにちは');
  });

  test('goes to an international domain under its ASCII name', async () => {
    const fake = await fakeSmtp();
    closing.push(() => fake.close());
    expect(await providerAt(fake.port).send(outgoing({ to: 'ann@bücher.example' }), contextOf())).toMatchObject({
      kind: 'accepted',
    });
    expect(fake.complete[0]?.to).toEqual(['ann@xn--bcher-kva.example']);
  });

  test('goes to an international mailbox with SMTPUTF8, and to nobody without', async () => {
    const { outcome, mail } = await sent({ text: 'x' }, 'jürgen@example.com');
    expect([outcome.kind, mail?.to]).toEqual(['accepted', ['jürgen@example.com']]);
    const fake = await fakeSmtp();
    closing.push(() => fake.close());
    expect(await providerAt(fake.port).send(outgoing({ to: 'jürgen@example.com' }), contextOf())).toMatchObject({
      kind: 'rejected',
      scope: 'provider',
      code: 'SMTPUTF8',
    });
    expect(fake.commands.filter((each) => each.startsWith('MAIL'))).toEqual([]);
  });

  test('has the date of its content, else that of its delivery: the time of an attempt would change with each', async () => {
    expect((await sent({ text: 'x', date: '2025-03-01T08:00:00Z' })).mail?.raw).toContain(
      '\r\nDate: Sat, 01 Mar 2025 08:00:00 +0000\r\n',
    );
    expect((await sent({ text: 'x' })).mail?.raw).toContain('\r\nDate: Sun, 01 Mar 2026 08:00:00 +0000\r\n');
  });

  test('is sent by whoever logged in', async () => {
    const { port, got } = await mailServer();
    await providerAt(port, { auth: { user: 'app', pass: 'right' } }).send(outgoing(), contextOf());
    expect(got[0]?.user).toBe('app');
    const said = await providerAt(port, { auth: { user: 'app', pass: 'wrong' } }).send(outgoing(), contextOf());
    expect(said).toMatchObject({ kind: 'rejected', scope: 'provider', code: '535' });
  });

  test("has the server's own id beside ours, where the server names one", async () => {
    const fake = await fakeSmtp();
    closing.push(() => fake.close());
    expect(await providerAt(fake.port).send(outgoing(), contextOf())).toEqual({
      kind: 'accepted',
      providerMessageId: '<k_1@example.com> 4F2A1B',
    });
  });
});

describe('an encrypted connection', () => {
  // The server's certificate is its own, for localhost.
  const trusting = { rejectUnauthorized: false };
  // It warns that everybody has it.
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));

  test.each([
    ['from the first byte', { secure: true }, { secure: true }],
    ['by STARTTLS', {}, { requireTls: true }],
  ])('%s carries one message after another, the log-in included', async (_, offered, asked) => {
    const { port, got } = await mailServer(offered);
    const provider = providerAt(port, { ...asked, tls: trusting, auth: { user: 'app', pass: 'right' } });
    for (const key of ['k_1', 'k_2'])
      expect(await provider.send(outgoing(), contextOf({ key }))).toMatchObject({ kind: 'accepted' });
    expect(got.map(({ user }) => user)).toEqual(['app', 'app']);
  });

  test.each([
    ['from the first byte', { secure: true }, { secure: true }],
    ['by STARTTLS', {}, {}],
  ])('%s to a server that cannot prove who it is sends nothing', async (_, offered, asked) => {
    const { port, got } = await mailServer(offered);
    const said = await providerAt(port, asked).send(outgoing(), contextOf());
    expect(said).toMatchObject({ kind: 'not-sent' });
    expect(got).toEqual([]);
  });

  test('is required by default where a password would be shown to a server elsewhere', async () => {
    const { port, got } = await mailServer();
    // 127.0.0.1 in IPv6's words: not among the names that are known to be this host.
    const elsewhere = providerAt(port, { host: '::ffff:127.0.0.1', auth: { user: 'app', pass: 'right' } });
    expect((await elsewhere.send(outgoing(), contextOf())).kind).not.toBe('accepted');
    expect(got).toEqual([]);
  });
});

describe('the same message and key', () => {
  const contents: readonly (readonly [string, MessageContent])[] = [
    ['text', { subject: 'A', text: 'b' }],
    ['text and html', { subject: 'Grüße', text: 'b', html: '<b>b</b>' }],
    [
      'attachments',
      {
        text: 'b',
        html: '<b>b</b>',
        attachments: [
          { filename: 'a', content: 'c' },
          { filename: 'b', content: 'd', cid: 'x' },
        ],
      },
    ],
    ['headers in another order', { text: 'b', headers: { 'X-B': '2', 'X-A': '1' } }],
  ];
  test.each(contents)('are the same bytes, attempt after attempt and process after process: %s', async (_, content) => {
    const { port, got } = await mailServer();
    await providerAt(port).send(outgoing({ content }), contextOf());
    const again = { ...content, ...(content.headers === undefined ? {} : { headers: { 'X-A': '1', 'X-B': '2' } }) };
    const reversed = Object.fromEntries(Object.entries(again).reverse());
    await providerAt(port).send(outgoing({ content: reversed }), contextOf({ attempt: 2 }));
    expect(got[1]?.raw).toBe(got[0]?.raw);
  });

  test('are not those of another key or another content', async () => {
    const { port, got } = await mailServer();
    const provider = providerAt(port);
    const content = { text: 'b', html: 'c' };
    await provider.send(outgoing({ content }), contextOf());
    await provider.send(outgoing({ content }), contextOf({ key: 'k_2' }));
    await provider.send(outgoing({ content: { ...content, text: 'd' } }), contextOf());
    const boundaries = got.map(({ raw }) => /boundary="(.*?)"/.exec(raw)?.[1]);
    expect(new Set(boundaries).size).toBe(3);
  });
});

describe('content that no mail can carry', () => {
  const cases: readonly (readonly [string, MessageContent])[] = [
    ['a subject with a line break', { subject: 'A\r\nBcc: eve@example.com', text: 'x' }],
    ['a subject with a bare line feed', { subject: 'A\nB', text: 'x' }],
    ['a subject with NUL', { subject: 'A\0', text: 'x' }],
    ['a header with a line break', { text: 'x', headers: { 'X-A': '1\r\nBcc: eve@example.com' } }],
    ['a header name with a line break', { text: 'x', headers: { 'X-A: 1\r\nBcc': 'eve@example.com' } }],
    ['a header name with a colon', { text: 'x', headers: { 'X:A': '1' } }],
    ['a header name with a space', { text: 'x', headers: { 'X A': '1' } }],
    ['a header of ours', { text: 'x', headers: { 'Message-Id': '<x@y>' } }],
    ['a second recipient', { text: 'x', headers: { bcc: 'eve@example.com' } }],
    ['a header that is no text', { text: 'x', headers: { 'X-A': 1 } as unknown as Record<string, string> }],
    ['headers that are a list', { text: 'x', headers: ['X-A: 1'] as unknown as Record<string, string> }],
    ['neither text nor html', { subject: 'A' }],
    ['a text that is no text', { text: { a: 1 } as unknown as string }],
    ['a date that is none', { text: 'x', date: 'soon' }],
    ['attachments that are no list', { text: 'x', attachments: {} }],
    ['an attachment from a file', { text: 'x', attachments: [{ filename: 'a', path: '/etc/passwd' }] }],
    ['an attachment from the web', { text: 'x', attachments: [{ filename: 'a', href: 'http://127.0.0.1/' }] }],
    ['an attachment without a name', { text: 'x', attachments: [{ content: 'a' }] }],
    ['an attachment without content', { text: 'x', attachments: [{ filename: 'a' }] }],
    [
      'an attachment with a line break in its name',
      { text: 'x', attachments: [{ filename: 'a\r\nX: 1', content: 'a' }] },
    ],
    [
      'an attachment with a line break in its type',
      { text: 'x', attachments: [{ filename: 'a', content: 'a', contentType: 'text/plain\r\nX: 1' }] },
    ],
    [
      'an attachment that is not the base64 it says',
      { text: 'x', attachments: [{ filename: 'a', content: 'a*b', encoding: 'base64' }] },
    ],
    [
      'an attachment in another encoding',
      { text: 'x', attachments: [{ filename: 'a', content: 'a', encoding: 'hex' }] },
    ],
  ];
  test.each(cases)('is refused before any connection: %s', async (_, content) => {
    const fake = await fakeSmtp();
    closing.push(() => fake.close());
    const said = await providerAt(fake.port).send(outgoing({ content }), contextOf());
    expect(said).toMatchObject({ kind: 'rejected', scope: 'message' });
    expect(JSON.stringify(said)).not.toContain('eve@example.com');
    expect(fake.connections()).toBe(0);
  });

  test.each([
    '',
    'ann',
    'ann@',
    'a b@example.com',
    'ann@example.com\r\nRCPT TO:<eve@example.com>',
    'ann@example.com, eve@example.com',
    '<ann@example.com>',
  ])('or an address that is not one: %j', async (to) => {
    const fake = await fakeSmtp();
    closing.push(() => fake.close());
    const said = await providerAt(fake.port).send(outgoing({ to }), contextOf());
    expect(said).toMatchObject({ kind: 'rejected', scope: 'destination' });
    expect(fake.connections()).toBe(0);
  });
});

describe('an option', () => {
  const wrong: readonly (readonly [string, Partial<SmtpOptions>])[] = [
    ['host', { host: '' }],
    ['host', { host: 'mail.example.com\r\n' }],
    ['port', { port: 0 }],
    ['port', { port: 70_000 }],
    ['from', { from: 'Orders' }],
    ['from', { from: 'Orders\r\nBcc: x@y.z <orders@example.com>' }],
    ['from', { from: { name: 'A\nB', address: 'orders@example.com' } }],
    ['name', { name: '' }],
    ['auth', { auth: { user: '', pass: 'x' } }],
    ['clientName', { clientName: 'a\r\nb' }],
    ['maxConnections', { maxConnections: 0 }],
    ['messagesPerConnection', { messagesPerConnection: 1.5 }],
    ['idleMs', { idleMs: NaN }],
    ['secure', { secure: 'yes' as never }],
    ['from', { from: 5 as never }],
    ['smtp: auth: pass must be', { auth: { user: 'x', pass: 5 as never } }],
    ["Did you mean 'maxConnections'?", { maxConections: 5 } as never],
    ["Did you mean 'pass'?", { auth: { user: 'x', pas: 'y' } as never }],
  ];
  test.each(wrong)('that cannot work is refused by name: %s %j', (option, options) => {
    expect(() => smtp({ host: 'mail.example.com', from: 'orders@example.com', ...options })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(option) as unknown }),
    );
  });
});

const answers: readonly ServiceAnswer[] = [
  'accepts',
  'accepts-and-says-nothing',
  'refuses',
  'throttles',
  'is-unreachable',
];
const ACTS: Readonly<Record<ServiceAnswer, Partial<Record<SmtpStep, SmtpAct>>>> = {
  accepts: {},
  'accepts-and-says-nothing': { message: 'close' },
  refuses: { RCPT: '550 5.1.1 no such user' },
  throttles: { RCPT: '451 4.7.1 slow down' },
  'is-unreachable': { connect: 'reset' },
};

testLaws('the SMTP provider', providerLaws, async (): Promise<ProviderSubject> => {
  let next: ServiceAnswer = 'accepts';
  const fake = await fakeSmtp({ script: (step) => ACTS[next][step] });
  const provider = smtp({ host: '127.0.0.1', port: fake.port, from: 'a@example.com', messagesPerConnection: 1 });
  return {
    provider: {
      ...provider,
      async send(message, context) {
        const outcome = await provider.send(message, context);
        next = 'accepts';
        return outcome;
      },
    },
    answers,
    answerNext: (answer) => void (next = answer),
    delivered: async (to) => fake.complete.filter((mail) => mail.to.includes(to)).length,
    capabilities: providerCapabilities(provider, answers),
    unitMs: 1,
    elapse: async () => undefined,
    async close() {
      await provider.close();
      await fake.close();
    },
  };
});
