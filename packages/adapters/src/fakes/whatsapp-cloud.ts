import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { bearerIn, isObject, isText, jsonIn } from './support/read.ts';
import type { Read, Vendor } from './support/vendor.ts';
import { json, type WireRequest } from './support/wire.ts';

const CODES = {
  '0': { status: 401, says: 'AuthException', means: 'auth-config' },
  '1': { status: 500, says: 'An unknown error occurred', means: 'ambiguous' },
  '2': { status: 503, says: 'Service temporarily unavailable', means: 'ambiguous' },
  '3': { status: 403, says: 'The app may not do this', means: 'auth-config' },
  '4': { status: 429, says: 'Application request limit reached', means: 'rate-limited' },
  '10': { status: 403, says: 'Permission denied', means: 'auth-config' },
  '33': { status: 400, says: 'The business phone number has been deleted', means: 'auth-config' },
  '100': { status: 400, says: 'Invalid parameter', means: 'permanent-message' },
  '190': { status: 401, says: 'Invalid OAuth access token', means: 'auth-config' },
  '200': { status: 403, says: 'Permission denied', means: 'auth-config' },
  '299': { status: 403, says: 'Permission is either not granted or has been removed', means: 'auth-config' },
  '368': { status: 403, says: 'Temporarily blocked for policies violations', means: 'auth-config' },
  '80007': { status: 429, says: 'The account has reached its rate limit', means: 'rate-limited' },
  '130429': { status: 429, says: 'Rate limit hit', means: 'rate-limited' },
  '130472': { status: 400, says: "User's number is part of an experiment", means: 'permanent-destination' },
  '131000': { status: 500, says: 'Something went wrong', means: 'ambiguous' },
  '131005': { status: 403, says: 'Access denied', means: 'auth-config' },
  '131008': { status: 400, says: 'Required parameter is missing', means: 'permanent-message' },
  '131009': { status: 400, says: 'Parameter value is not valid', means: 'permanent-message' },
  '131016': { status: 503, says: 'Service unavailable', means: 'ambiguous' },
  '131026': { status: 400, says: 'Message undeliverable', means: 'permanent-destination' },
  '131030': { status: 400, says: 'Recipient phone number not in allowed list', means: 'permanent-destination' },
  '131031': { status: 403, says: 'Account has been locked', means: 'auth-config' },
  '131042': { status: 400, says: 'Business eligibility payment issue', means: 'auth-config' },
  '131047': {
    status: 400,
    says: 'More than 24 hours have passed since the recipient last replied',
    means: 'permanent-message',
  },
  '131048': { status: 400, says: 'Spam rate limit hit', means: 'rate-limited' },
  '131049': { status: 400, says: 'Not delivered to maintain healthy ecosystem engagement', means: 'permanent-message' },
  '131050': { status: 400, says: 'The user has stopped receiving marketing messages', means: 'permanent-destination' },
  '131051': { status: 400, says: 'Unsupported message type', means: 'permanent-message' },
  '131052': { status: 400, says: 'Media download error', means: 'permanent-message' },
  '131053': { status: 400, says: 'Media upload error', means: 'permanent-message' },
  '131056': { status: 429, says: 'Pair rate limit hit', means: 'rate-limited' },
  '132000': { status: 400, says: 'Template param count mismatch', means: 'permanent-message' },
  '132001': { status: 404, says: 'Template does not exist', means: 'permanent-message' },
  '132005': { status: 400, says: 'Template hydrated text too long', means: 'permanent-message' },
  '132007': { status: 400, says: 'Template format character policy violated', means: 'permanent-message' },
  '132012': { status: 400, says: 'Template parameter format mismatch', means: 'permanent-message' },
  '132015': { status: 400, says: 'Template is paused', means: 'auth-config' },
  '132016': { status: 400, says: 'Template is disabled', means: 'auth-config' },
  '133010': { status: 400, says: 'Phone number not registered', means: 'auth-config' },
  '133016': { status: 400, says: 'Account register deregister rate limit exceeded', means: 'rate-limited' },
} as const;

/** `error.code` of the Graph API: the status of HTTP says little. */
export type WhatsAppCloudCode = keyof typeof CODES;

export interface FakeWhatsAppCloudOptions extends Behaviour<WhatsAppCloudCode> {
  /** The one token that is taken. @defaultValue any */
  readonly accessToken?: string;
  /** The one number that sends. @defaultValue any */
  readonly phoneNumberId?: string;
  /** Names of the templates there are. @defaultValue any is taken */
  readonly templates?: readonly string[];
  /** Users who wrote within the last 24 hours: all others get templates alone. @defaultValue everybody did */
  readonly windowOpenFor?: readonly string[];
}

/** Meta's `POST /v{NN}.0/{phone-number-id}/messages`. It knows no repeats and names no time to wait. */
export function fakeWhatsAppCloud(options: FakeWhatsAppCloudOptions = {}): WireFake<WhatsAppCloudCode> {
  return wireFake(vendor(options), options);
}

const PATH = /^\/v\d+\.\d\/(\d+)\/messages$/;
const MOST = { text: 4_096, callbackData: 512 };

function vendor(options: FakeWhatsAppCloudOptions): Vendor<WhatsAppCloudCode> {
  const refusal: Vendor<WhatsAppCloudCode>['refusal'] = (code, message, status) =>
    json(status, {
      error: {
        message: `(#${code}) ${message}`,
        type: 'OAuthException',
        code: Number(code),
        error_data: { messaging_product: 'whatsapp', details: message },
        fbtrace_id: 'Afake',
      },
    });
  return {
    name: 'whatsapp-cloud',
    title: 'Meta WhatsApp Cloud API',
    origin: /^https:\/\/graph\.facebook\.com\//,
    refusals: CODES,
    throttles: '130429',
    isSend: ({ method, url }) => method === 'POST' && PATH.test(url.pathname),
    refusal,
    wait: (answer) => answer,
    fails: (status) => refusal('131000', CODES['131000'].says, status),
    read: (request) => read(request, options),
    id: (nth) => `wamid.FAKE${String(nth).padStart(12, '0')}`,
    taken: ([first]) =>
      json(200, {
        messaging_product: 'whatsapp',
        contacts: [{ input: first?.to, wa_id: first?.to.replace(/\D/g, '') }],
        messages: [{ id: first?.id, ...(first?.body['type'] === 'template' && { message_status: 'accepted' }) }],
      }),
    notFound: refusal('100', 'Unsupported request', 404),
  };
}

function read(request: WireRequest, options: FakeWhatsAppCloudOptions): Read<WhatsAppCloudCode> {
  const { accessToken, phoneNumberId, templates, windowOpenFor } = options;
  const token = bearerIn(request);
  if (token === null || (accessToken !== undefined && token !== accessToken)) return { refused: '190' };
  if (phoneNumberId !== undefined && PATH.exec(request.url.pathname)?.[1] !== phoneNumberId) return { refused: '33' };
  const body = jsonIn(request);
  if (body?.['messaging_product'] !== 'whatsapp')
    return { refused: '100', words: 'The parameter messaging_product is required.' };
  const { to, type = 'text', text, template, biz_opaque_callback_data: data = '' } = body;
  if (!isText(to)) return { refused: '131008', words: 'to is required' };
  if (!/^\+?\d{7,15}$/.test(to)) return { refused: '131009', words: 'to is not a phone number' };
  if (typeof data !== 'string' || data.length > MOST.callbackData)
    return { refused: '100', words: 'biz_opaque_callback_data is longer than 512 characters' };
  if (type === 'text') {
    const words = isObject(text) ? text['body'] : null;
    if (!isText(words)) return { refused: '131008', words: 'text.body is required' };
    if ([...words].length > MOST.text)
      return { refused: '100', words: 'text.body must be at most 4096 characters long' };
    if (windowOpenFor?.includes(to) === false) return { refused: '131047' };
  }
  if (type === 'template') {
    if (!isObject(template) || !isText(template['name']) || !isObject(template['language']))
      return { refused: '131008', words: 'template.name and template.language are required' };
    if (templates?.includes(template['name']) === false) return { refused: '132001' };
  }
  return { to: [to], key: null, body };
}
