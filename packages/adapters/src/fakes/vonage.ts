import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { basicIn, formIn, isText } from './support/read.ts';
import { isGsm, smsParts } from './support/sms-parts.ts';
import type { Accepted, Read, Vendor } from './support/vendor.ts';
import { json, type WireRequest } from './support/wire.ts';

const CODES = {
  '1': { status: 200, says: 'Throttled', means: 'rate-limited' },
  '2': { status: 200, says: 'Missing Parameters', means: 'permanent-message' },
  '3': { status: 200, says: 'Invalid Parameters', means: 'permanent-message' },
  '4': { status: 200, says: 'Invalid Credentials', means: 'auth-config' },
  '5': { status: 200, says: 'Internal Error', means: 'ambiguous' },
  '6': { status: 200, says: 'Invalid Message', means: 'permanent-message' },
  '7': { status: 200, says: 'Number Barred', means: 'permanent-destination' },
  '8': { status: 200, says: 'Partner Account Barred', means: 'auth-config' },
  '9': { status: 200, says: 'Partner Quota Violation', means: 'auth-config' },
  '12': { status: 200, says: 'Message Too Long', means: 'permanent-message' },
  '14': { status: 200, says: 'Invalid Signature', means: 'auth-config' },
  '15': { status: 200, says: 'Invalid Sender Address', means: 'auth-config' },
  '29': { status: 200, says: 'Non-Whitelisted Destination', means: 'auth-config' },
  '33': { status: 200, says: 'Number De-activated', means: 'permanent-destination' },
} as const;

/** The status of a message of Vonage's SMS API: the status of HTTP is always 200. */
export type VonageCode = keyof typeof CODES;

export interface FakeVonageOptions extends Behaviour<VonageCode> {
  /** The one pair of key and secret. @defaultValue any */
  readonly credentials?: { readonly apiKey: string; readonly apiSecret: string };
}

/** Vonage's `POST /sms/json`. It knows no repeats, and what is not in GSM arrives as question marks where `type` does not say unicode. */
export function fakeVonage(options: FakeVonageOptions = {}): WireFake<VonageCode> {
  return wireFake(vendor(options), options);
}

function vendor({ credentials }: FakeVonageOptions): Vendor<VonageCode> {
  return {
    name: 'vonage',
    title: 'Vonage SMS',
    origin: /^https:\/\/rest\.nexmo\.com\//,
    refusals: CODES,
    throttles: '1',
    isSend: ({ method, url }) => method === 'POST' && url.pathname === '/sms/json',
    refusal: (code, words, status) =>
      json(status, { 'message-count': '1', messages: [{ status: code, 'error-text': words }] }),
    // There is no word for how long.
    wait: (answer) => answer,
    read: (request) => read(request, credentials),
    id: (nth) => `0C000000FA${nth.toString(16).toUpperCase().padStart(6, '0')}`,
    taken: ([first]) => json(200, answerTo(first)),
    notFound: json(404, {}),
  };
}

function textIn(taken: Accepted | undefined): string {
  const text = taken?.body['text'];
  return isText(text) ? text : '';
}

/** One entry for each part, whose ids differ. */
function answerTo(taken: Accepted | undefined): object {
  const count = smsParts(textIn(taken));
  const messages = Array.from({ length: count }, (_, i) => ({
    to: taken?.to,
    'message-id': i === 0 ? taken?.id : `${taken?.id}${i}`,
    status: '0',
    'remaining-balance': '9.99',
    'message-price': '0.03',
    network: '00000',
    'client-ref': taken?.body['client-ref'],
  }));
  return { 'message-count': String(count), messages };
}

function read(request: WireRequest, credentials: FakeVonageOptions['credentials']): Read<VonageCode> {
  const form = formIn(request);
  const { api_key: inForm, api_secret: secretInForm, from, to, text, type, 'client-ref': reference = '' } = form;
  const [key = '', secret = ''] = basicIn(request)?.split(':') ?? [inForm, secretInForm];
  const isKnown =
    credentials === undefined
      ? isText(key) && isText(secret)
      : key === credentials.apiKey && secret === credentials.apiSecret;
  if (!isKnown) return { refused: '4' };
  if (![from, to, text].every(isText)) return { refused: '2', words: 'Missing from, to or text' };
  if (!/^[1-9]\d{6,14}$/.test(to ?? '')) return { refused: '3', words: 'Invalid to' };
  if (!/^(\d{1,15}|[\w .-]{1,11})$/.test(from ?? '')) return { refused: '15' };
  if (reference.length > 100) return { refused: '3', words: 'Invalid client-ref' };
  const arrives = type === 'unicode' ? text : [...(text ?? '')].map((each) => (isGsm(each) ? each : '?')).join('');
  return { to: [to ?? ''], key: null, body: { ...form, text: arrives } };
}
