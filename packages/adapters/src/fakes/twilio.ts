import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { basicIn, formIn, isText } from './support/read.ts';
import { smsParts } from './support/sms-parts.ts';
import type { Accepted, Read, Vendor } from './support/vendor.ts';
import { json, type WireRequest } from './support/wire.ts';

const CODES = {
  '21211': { status: 400, says: "The 'To' number is not a valid phone number.", means: 'permanent-destination' },
  '21217': { status: 400, says: 'Phone number does not appear to be valid.', means: 'permanent-destination' },
  '21265': { status: 400, says: "'To' number cannot be a Short Code.", means: 'permanent-destination' },
  '21612': { status: 400, says: "The 'To' phone number cannot be reached.", means: 'permanent-destination' },
  '21614': { status: 400, says: "'To' number is not a valid mobile number.", means: 'permanent-destination' },
  '21610': { status: 400, says: 'Attempt to send to unsubscribed recipient.', means: 'permanent-destination' },
  '63024': { status: 400, says: 'Invalid message recipient.', means: 'permanent-destination' },
  '21602': { status: 400, says: 'Message body is required.', means: 'permanent-message' },
  '21617': {
    status: 400,
    says: 'The concatenated message body exceeds the 1600 character limit.',
    means: 'permanent-message',
  },
  '21620': { status: 400, says: 'Invalid media URL(s).', means: 'permanent-message' },
  '63013': { status: 400, says: 'Channel policy violation.', means: 'permanent-message' },
  '63016': {
    status: 400,
    says: 'Failed to send freeform message because you are outside the allowed window.',
    means: 'permanent-message',
  },
  '63021': { status: 400, says: 'Channel invalid content error.', means: 'permanent-message' },
  '20003': { status: 401, says: 'Authenticate', means: 'auth-config' },
  '20404': { status: 404, says: 'The requested resource was not found.', means: 'auth-config' },
  '21212': { status: 400, says: "The 'From' number is not a valid phone number.", means: 'auth-config' },
  '21603': { status: 400, says: "A 'From' phone number is required.", means: 'auth-config' },
  '21606': {
    status: 400,
    says: "The 'From' phone number is not a valid, message-capable Twilio phone number.",
    means: 'auth-config',
  },
  '21659': { status: 400, says: "'From' is not a Twilio phone number.", means: 'auth-config' },
  '21660': { status: 400, says: "Mismatch between the 'From' number and the account.", means: 'auth-config' },
  '21408': {
    status: 403,
    says: 'Permission to send an SMS has not been enabled for the region.',
    means: 'auth-config',
  },
  '63007': {
    status: 400,
    says: 'Twilio could not find a Channel with the specified From address.',
    means: 'auth-config',
  },
  '20429': { status: 429, says: 'Too Many Requests', means: 'rate-limited' },
  '63018': { status: 429, says: 'Rate limit exceeded for Channel.', means: 'rate-limited' },
  '14107': { status: 429, says: 'Message rate limit exceeded.', means: 'rate-limited' },
  '21611': {
    status: 400,
    says: "The 'From' number has exceeded the maximum number of queued messages.",
    means: 'transient',
  },
  '20500': { status: 500, says: 'An internal server error has occurred.', means: 'ambiguous' },
} as const;

/** Twilio's error codes that a request for a message is answered with. */
export type TwilioCode = keyof typeof CODES;

export interface FakeTwilioOptions extends Behaviour<TwilioCode> {
  /** The one account, `AC...`. @defaultValue any */
  readonly accountSid?: string;
  /** The one password: the auth token, or the secret of an API key. @defaultValue any */
  readonly secret?: string;
}

/** Numbers that Twilio's test credentials refuse; the fake does, whatever the credentials. */
const MAGIC_TO: Readonly<Record<string, TwilioCode>> = {
  '+15005550001': '21211',
  '+15005550002': '21612',
  '+15005550003': '21408',
  '+15005550004': '21610',
  '+15005550009': '21614',
};
const MAGIC_FROM: Readonly<Record<string, TwilioCode>> = {
  '+15005550001': '21212',
  '+15005550007': '21606',
  '+15005550008': '21611',
};

/** Twilio's `POST .../Messages.json`, SMS and WhatsApp. It knows no repeats, whatever header asks it to. */
export function fakeTwilio(options: FakeTwilioOptions = {}): WireFake<TwilioCode> {
  return wireFake(vendor(options), options);
}

const PATH = /^\/2010-04-01\/Accounts\/(AC[0-9a-f]{32})\/Messages\.json$/i;

function vendor(options: FakeTwilioOptions): Vendor<TwilioCode> {
  const refusal: Vendor<TwilioCode>['refusal'] = (code, message, status) =>
    json(status, { code: Number(code), message, more_info: `https://www.twilio.com/docs/errors/${code}`, status });
  return {
    name: 'twilio',
    title: 'Twilio Messages',
    origin: /^https:\/\/api\.twilio\.com\//,
    refusals: CODES,
    throttles: '20429',
    isSend: ({ method, url }) => method === 'POST' && PATH.test(url.pathname),
    refusal,
    fails: (status) => refusal('20500', CODES['20500'].says, status),
    read: (request) => read(request, options),
    id: (nth) => `SM${nth.toString(16).padStart(32, '0')}`,
    taken: ([first]) => json(201, messageOf(first)),
    notFound: refusal('20404', CODES['20404'].says, 404),
  };
}

function messageOf(taken: Accepted | undefined): object {
  const body = taken?.body['Body'];
  const text = typeof body === 'string' ? body : '';
  return {
    sid: taken?.id,
    status: 'queued',
    error_code: null,
    error_message: null,
    to: taken?.to,
    from: taken?.body['From'] ?? null,
    body: text,
    num_segments: String(smsParts(text)),
    date_created: new Date(taken?.at ?? 0).toUTCString(),
  };
}

function read(request: WireRequest, { accountSid, secret }: FakeTwilioOptions): Read<TwilioCode> {
  const account = PATH.exec(request.url.pathname)?.[1];
  const [user = '', password = ''] = (basicIn(request) ?? '').split(':');
  const isUser = user === account || /^SK[0-9a-f]{32}$/i.test(user);
  if (!isUser || (secret === undefined ? password === '' : password !== secret)) return { refused: '20003' };
  if (accountSid !== undefined && account !== accountSid) return { refused: '20404' };
  const body = formIn(request);
  const { To = '', From, MessagingServiceSid, Body, ContentSid, MediaUrl } = body;
  const number = To.replace(/^whatsapp:/, '');
  const magic = MAGIC_TO[number] ?? MAGIC_FROM[From ?? ''];
  if (magic !== undefined) return { refused: magic };
  if (!/^\+[1-9]\d{6,14}$/.test(number)) return { refused: '21211', words: `Invalid 'To' Phone Number: ${To}` };
  if (From === undefined && MessagingServiceSid === undefined) return { refused: '21603' };
  if (From !== undefined && To.startsWith('whatsapp:') !== From.startsWith('whatsapp:')) return { refused: '63007' };
  if (![Body, ContentSid, MediaUrl].some(isText)) return { refused: '21602' };
  if ([...(Body ?? '')].length > 1_600) return { refused: '21617' };
  if (MediaUrl !== undefined && !/^https?:/.test(MediaUrl)) return { refused: '21620' };
  return { to: [To], key: null, body };
}
