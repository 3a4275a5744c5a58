import { createECDH } from 'node:crypto';
import type { OutgoingMessage, Provider } from '@sendonce/core';
import { PROVIDERS, type ProviderFacts } from '../../src/catalogue.ts';
import { fakeApns, type FakeApns } from '../../src/fakes/apns.ts';
import { fakeFcm, type FakeFcm } from '../../src/fakes/fcm.ts';
import { fakeInfobip } from '../../src/fakes/infobip.ts';
import { fakeLine } from '../../src/fakes/line.ts';
import { fakeMailgun } from '../../src/fakes/mailgun.ts';
import { fakePostmark } from '../../src/fakes/postmark.ts';
import { fakeResend } from '../../src/fakes/resend.ts';
import { fakeSendgrid } from '../../src/fakes/sendgrid.ts';
import { fakeSes } from '../../src/fakes/ses.ts';
import { fakeSesV2 } from '../../src/fakes/sesv2.ts';
import { fakeSlack } from '../../src/fakes/slack.ts';
import type { Behaviour, WireFake } from '../../src/fakes/support/fake.ts';
import { fakeTwilio } from '../../src/fakes/twilio.ts';
import { fakeVonage } from '../../src/fakes/vonage.ts';
import { fakeWebPush, type FakeWebPush } from '../../src/fakes/web-push.ts';
import { fakeWebhook } from '../../src/fakes/webhook.ts';
import { fakeWhatsAppCloud } from '../../src/fakes/whatsapp-cloud.ts';
import { apns } from '../../src/providers/apns.ts';
import { fcm } from '../../src/providers/fcm.ts';
import { infobip } from '../../src/providers/infobip.ts';
import { line } from '../../src/providers/line.ts';
import { mailgun } from '../../src/providers/mailgun.ts';
import { postmark } from '../../src/providers/postmark.ts';
import { resend } from '../../src/providers/resend.ts';
import { sendgrid } from '../../src/providers/sendgrid.ts';
import { ses } from '../../src/providers/ses.ts';
import { sesv2 } from '../../src/providers/sesv2.ts';
import { slack } from '../../src/providers/slack.ts';
import { twilio } from '../../src/providers/twilio.ts';
import { vonage } from '../../src/providers/vonage.ts';
import { webPush } from '../../src/providers/web-push.ts';
import { webhook } from '../../src/providers/webhook.ts';
import { whatsappCloud } from '../../src/providers/whatsapp-cloud.ts';
import { outgoing } from '../providers/support/sending.ts';

/** What means the same to all of them. */
export type Common = Omit<Behaviour, 'refuseTo'>;

/** A vendor, and our adapter before it. */
export interface Running {
  readonly fake: WireFake;
  readonly provider: Provider;
  /** The same adapter where nobody listens. */
  readonly nowhere: Provider;
  /** An address of this vendor's, one per name. */
  readonly addressOf: (name: string) => string;
  close(): Promise<void>;
}

export interface FakeCase {
  readonly name: string;
  readonly facts: ProviderFacts;
  /** What is sent, but for its address. */
  readonly content: Pick<OutgoingMessage, 'channel' | 'content'>;
  start(behaviour?: Common): Promise<Running>;
}

interface Given<Fake extends WireFake> {
  readonly fake: (behaviour: Common) => Fake;
  readonly provider: (url: string, fake: Fake) => Provider;
  readonly addressOf: (name: string, url: string, fake: Fake) => string;
  readonly content: FakeCase['content'];
}

function caseOf<Fake extends WireFake>(name: string, given: Given<Fake>): FakeCase {
  const facts = PROVIDERS.find((each) => each.name === name);
  if (facts === undefined) throw new Error(`no provider ${name}`);
  return {
    name,
    facts,
    content: given.content,
    async start(behaviour = {}) {
      const fake = given.fake(behaviour);
      const server = await fake.listen();
      const [provider, nowhere] = [given.provider(server.url, fake), given.provider('http://127.0.0.1:9', fake)];
      const addresses = new Map<string, string>();
      return {
        fake,
        provider,
        nowhere,
        addressOf(who) {
          const known = addresses.get(who) ?? given.addressOf(who, server.url, fake);
          addresses.set(who, known);
          return known;
        },
        async close() {
          await provider.close();
          await nowhere.close();
          await server.close();
        },
      };
    },
  };
}

/** A number or an id of this many digits that a name makes. */
function digits(name: string, length: number): string {
  return String(Buffer.from(name).reduce((sum, each) => (sum * 31 + each) % 1_000_003, 7)).padStart(length, '1');
}

const from = 'Acme <shop@acme.test>';
const mail = { channel: 'email', content: { subject: 'Order 4711', text: 'Thank you.' } } as const;
const text = { text: 'Thank you.' };
const phoneOf = (name: string): string => `+1555${digits(name, 7)}`;
const mailbox = (name: string): string => `${name}@people.test`;
const keys = { accessKeyId: 'AKID', secretAccessKey: 'secret' };
const account = `AC${'a'.repeat(32)}`;
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const vapidKeys = createECDH('prime256v1');
vapidKeys.generateKeys();
const vapid = {
  publicKey: vapidKeys.getPublicKey('base64url'),
  privateKey: vapidKeys.getPrivateKey('base64url'),
  subject: 'mailto:ops@acme.test',
};

/** Every vendor there is a fake of, with all of its behaviours that our adapter should fit. */
export const CASES: readonly FakeCase[] = [
  caseOf('sendgrid', {
    fake: (behaviour) => fakeSendgrid({ ...behaviour, apiKey: 'SG.key' }),
    provider: (baseUrl) => sendgrid({ apiKey: 'SG.key', from, baseUrl }),
    addressOf: mailbox,
    content: mail,
  }),
  caseOf('resend', {
    fake: (behaviour) => fakeResend({ ...behaviour, apiKey: 're_key' }),
    provider: (baseUrl) => resend({ apiKey: 're_key', from, baseUrl }),
    addressOf: mailbox,
    content: mail,
  }),
  caseOf('postmark', {
    fake: (behaviour) => fakePostmark({ ...behaviour, serverToken: 'token' }),
    provider: (baseUrl) => postmark({ serverToken: 'token', from, baseUrl }),
    addressOf: mailbox,
    content: mail,
  }),
  caseOf('mailgun', {
    fake: (behaviour) => fakeMailgun({ ...behaviour, apiKey: 'key', domain: 'mg.acme.test' }),
    provider: (baseUrl) => mailgun({ apiKey: 'key', domain: 'mg.acme.test', from, baseUrl }),
    addressOf: mailbox,
    content: mail,
  }),
  caseOf('sesv2', {
    fake: (behaviour) => fakeSesV2({ ...behaviour, credentials: keys, identities: ['acme.test'] }),
    provider: (endpoint) => sesv2({ from, region: 'eu-west-1', credentials: keys, endpoint }),
    addressOf: mailbox,
    content: mail,
  }),
  caseOf('ses', {
    fake: (behaviour) => fakeSes({ ...behaviour, credentials: keys, identities: ['acme.test'] }),
    provider: (endpoint) => ses({ from, region: 'eu-west-1', credentials: keys, endpoint }),
    addressOf: mailbox,
    content: mail,
  }),
  caseOf('twilio', {
    fake: (behaviour) => fakeTwilio({ ...behaviour, accountSid: account, secret: 'token' }),
    provider: (baseUrl) => twilio({ accountSid: account, authToken: 'token', from: '+15550001111', baseUrl }),
    addressOf: phoneOf,
    content: { channel: 'sms', content: text },
  }),
  caseOf('infobip', {
    fake: (behaviour) => fakeInfobip({ ...behaviour, apiKey: 'key' }),
    provider: (baseUrl) => infobip({ apiKey: 'key', from: 'Acme', baseUrl, idempotencyWindowMs: 48 * 3_600_000 }),
    addressOf: phoneOf,
    content: { channel: 'sms', content: text },
  }),
  caseOf('vonage', {
    fake: (behaviour) => fakeVonage({ ...behaviour, credentials: { apiKey: 'key', apiSecret: 'secret' } }),
    provider: (baseUrl) => vonage({ apiKey: 'key', apiSecret: 'secret', from: 'Acme', baseUrl }),
    addressOf: phoneOf,
    content: { channel: 'sms', content: text },
  }),
  caseOf('whatsapp-cloud', {
    fake: (behaviour) => fakeWhatsAppCloud({ ...behaviour, accessToken: 'token', phoneNumberId: '4711' }),
    provider: (baseUrl) => whatsappCloud({ accessToken: 'token', phoneNumberId: '4711', baseUrl }),
    addressOf: phoneOf,
    content: { channel: 'whatsapp', content: text },
  }),
  caseOf('line', {
    fake: (behaviour) => fakeLine({ ...behaviour, channelAccessToken: 'token' }),
    provider: (baseUrl) => line({ channelAccessToken: 'token', baseUrl }),
    addressOf: (name) => `U${digits(name, 32)}`,
    content: { channel: 'line', content: text },
  }),
  caseOf<FakeFcm>('fcm', {
    fake: (behaviour) => fakeFcm(behaviour),
    provider: (baseUrl, fake) => fcm({ serviceAccount: fake.serviceAccount(baseUrl), baseUrl }),
    addressOf: (name) => `token-${name}`,
    content: { channel: 'push', content: { subject: 'Order 4711', text: 'Thank you.', data: { order: '4711' } } },
  }),
  caseOf<FakeApns>('apns', {
    fake: (behaviour) => fakeApns(behaviour),
    provider: (baseUrl, { credentials }) => apns({ ...credentials, baseUrl }),
    addressOf: (name) => digits(name, 64),
    content: { channel: 'push', content: { subject: 'Order 4711', text: 'Thank you.' } },
  }),
  caseOf<FakeWebPush>('web-push', {
    fake: (behaviour) => fakeWebPush(behaviour),
    provider: () => webPush({ vapid, privateAddresses: true, allow: () => true }),
    addressOf: (_name, url, fake) => fake.subscribe(url),
    content: { channel: 'push', content: { subject: 'Order 4711', text: 'Thank you.' } },
  }),
  caseOf('slack', {
    fake: (behaviour) => fakeSlack({ ...behaviour, token: 'xoxb-1' }),
    provider: (baseUrl) => slack({ token: 'xoxb-1', baseUrl }),
    addressOf: (name) => `C${digits(name, 9)}`,
    content: { channel: 'slack', content: text },
  }),
  caseOf('webhook', {
    fake: (behaviour) => fakeWebhook({ ...behaviour, secret }),
    provider: () =>
      webhook({ allow: () => true, privateAddresses: true, secret, receiverHonoursId: { windowMs: 86_400_000 } }),
    addressOf: (name, url) => `${url}/${name}`,
    content: { channel: 'webhook', content: { type: 'order.placed', data: { order: '4711' } } },
  }),
];

export function messageTo(given: FakeCase, to: string, patch: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return outgoing({ ...given.content, to, ...patch });
}

/** How an address reads in a mailbox. */
export function inMailbox({ name }: FakeCase, to: string): string {
  if (name === 'web-push') return (JSON.parse(to) as { readonly endpoint: string }).endpoint;
  return ['infobip', 'vonage'].includes(name) ? to.slice(1) : to;
}
