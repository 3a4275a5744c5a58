import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { bearerIn, isObject, isText, jsonIn, mailAddress } from './support/read.ts';
import type { Read, Vendor } from './support/vendor.ts';
import { html, json, type WireAnswer, type WireRequest } from './support/wire.ts';

/** SendGrid has no codes; these are its statuses, and of 400 also the field that is complained about. */
export type SendgridCode = '400' | '400-to' | '400-from' | '401' | '403' | '404' | '405' | '413' | '429';

export interface FakeSendgridOptions extends Behaviour<SendgridCode> {
  /** The one key that is taken. @defaultValue any that begins with `SG.` */
  readonly apiKey?: string;
  /** The templates there are. @defaultValue any is taken */
  readonly templates?: readonly string[];
}

const MOST_BYTES = 30 * 1_048_576;
const MOST_RECIPIENTS = 1_000;
const MOST_ARGS_BYTES = 10_000;

/** SendGrid's `POST /v3/mail/send`. It knows no repeats: each request is another mail. */
export function fakeSendgrid(options: FakeSendgridOptions = {}): WireFake<SendgridCode> {
  return wireFake(vendor(options), options);
}

function vendor({ apiKey, templates }: FakeSendgridOptions): Vendor<SendgridCode> {
  return {
    name: 'sendgrid',
    title: 'Twilio SendGrid',
    origin: /^https:\/\/api(\.eu)?\.sendgrid\.com\//,
    refusals: {
      '400': { status: 400, says: 'Bad Request', means: 'permanent-message' },
      '400-to': {
        status: 400,
        code: 'personalizations.0.to.0.email',
        says: 'Does not contain a valid address.',
        means: 'permanent-destination',
      },
      '400-from': { status: 400, code: 'from.email', says: 'Does not contain a valid address.', means: 'auth-config' },
      '401': {
        status: 401,
        says: 'The provided authorization grant is invalid, expired, or revoked',
        means: 'auth-config',
      },
      '403': { status: 403, says: 'The from address does not match a verified Sender Identity.', means: 'auth-config' },
      '404': { status: 404, says: 'not found', means: 'auth-config' },
      '405': { status: 405, says: 'method not allowed', means: 'auth-config' },
      '413': { status: 413, says: 'Payload Too Large', means: 'permanent-message' },
      '429': { status: 429, says: 'too many requests', means: 'rate-limited' },
    },
    throttles: '429',
    isSend: ({ method, url }) => method === 'POST' && url.pathname === '/v3/mail/send',
    refusal: (code, message, status) => {
      // The proxy in front refuses what is too long, in its own way.
      if (status === 413) return html(413, message);
      return json(status, { errors: [{ message, field: /^\d+$/.test(code) ? null : code, help: null }] });
    },
    wait: (answer, seconds, now) => ({
      ...answer,
      headers: {
        ...answer.headers,
        date: new Date(now).toUTCString(),
        'x-ratelimit-limit': '600',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.floor(now / 1_000) + seconds),
      },
    }),
    read: (request) => read(request, { apiKey, templates }),
    id: (nth) => `fake-sendgrid-message-${nth}`,
    taken: ([first]) => ({ status: 202, headers: { 'x-message-id': first?.id ?? '' } }),
    notFound: json(404, { errors: [{ message: 'not found', field: null, help: null }] }),
  };
}

function read(
  request: WireRequest,
  { apiKey, templates }: { apiKey: string | undefined; templates: readonly string[] | undefined },
): Read<SendgridCode> {
  const key = bearerIn(request) ?? '';
  if (apiKey === undefined ? !key.startsWith('SG.') : key !== apiKey) return { refused: '401' };
  if (request.bytes.length > MOST_BYTES) return { refused: '413' };
  const body = jsonIn(request);
  if (body === null) return { refused: '400', words: 'Bad Request' };
  const { personalizations, from, subject, content, template_id: template, custom_args: args = {} } = body;
  const persons: readonly unknown[] = Array.isArray(personalizations) ? personalizations : [];
  const to = persons.flatMap((each) => (isObject(each) && Array.isArray(each['to']) ? (each['to'] as unknown[]) : []));
  if (to.length === 0) return { refused: '400', words: 'The personalizations field is required' };
  if (to.length > MOST_RECIPIENTS) return { refused: '400', words: 'too many recipients' };
  const addresses = to.map((each) => (isObject(each) ? mailAddress(each['email']) : null));
  if (addresses.includes(null)) return { refused: '400-to' };
  if (!isObject(from) || mailAddress(from['email']) === null) return { refused: '400-from' };
  if (template === undefined) {
    if (!isText(subject)) return { refused: '400', words: 'The subject is required.' };
    const parts: readonly unknown[] = Array.isArray(content) ? content : [];
    if (parts.length === 0 || !parts.every((each) => isObject(each) && isText(each['value'])))
      return { refused: '400', words: 'The content value must be a string at least one character in length.' };
  } else if (templates !== undefined && !(isText(template) && templates.includes(template)))
    return { refused: '400', words: 'The template_id must be a valid GUID of a template.' };
  if (!isObject(args) || !Object.values(args).every((each) => typeof each === 'string'))
    return { refused: '400', words: 'The custom_args must be strings.' };
  if (Buffer.byteLength(JSON.stringify(args)) > MOST_ARGS_BYTES)
    return { refused: '400', words: 'The custom_args exceed 10000 bytes.' };
  if (isSandbox(body)) return { answer: SANDBOX };
  return { to: addresses as readonly string[], key: null, body };
}

/** Checked and thrown away. */
const SANDBOX: WireAnswer = { status: 200 };

function isSandbox({ mail_settings: settings }: Readonly<Record<string, unknown>>): boolean {
  const mode = isObject(settings) ? settings['sandbox_mode'] : null;
  return isObject(mode) && mode['enable'] === true;
}
