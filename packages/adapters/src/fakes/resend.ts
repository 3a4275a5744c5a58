import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { bearerIn, isObject, isText, jsonIn, mailAddress } from './support/read.ts';
import type { Read, Refusals, Vendor } from './support/vendor.ts';
import { json, type WireRequest } from './support/wire.ts';

/** Resend's names; of `validation_error`, which says several things, with what it is about. */
export type ResendCode =
  | ('validation_error' | 'validation_error-to' | 'validation_error-domain' | 'missing_required_field')
  | ('invalid_attachment' | 'invalid_parameter' | 'invalid_region' | 'invalid_from_address')
  | ('missing_api_key' | 'restricted_api_key' | 'invalid_api_key' | 'invalid_access')
  | ('not_found' | 'method_not_allowed' | 'invalid_idempotency_key' | 'invalid_idempotent_request')
  | ('concurrent_idempotent_requests' | 'rate_limit_exceeded' | 'daily_quota_exceeded' | 'monthly_quota_exceeded')
  | ('security_error' | 'application_error' | 'internal_server_error');

export interface FakeResendOptions extends Behaviour<ResendCode> {
  /** The one key that is taken. @defaultValue any that begins with `re_` */
  readonly apiKey?: string;
  /** Whether example.com and test.com are taken, which Resend refuses. @defaultValue false */
  readonly reservedDomains?: boolean;
}

const REFUSALS: Refusals<ResendCode> = {
  validation_error: {
    status: 422,
    says: 'We found an error with one or more fields in the request.',
    means: 'permanent-message',
  },
  'validation_error-to': {
    status: 422,
    code: 'validation_error',
    says: 'Invalid `to` field. The email address needs to follow the `email@example.com` format.',
    means: 'permanent-destination',
  },
  'validation_error-domain': {
    status: 403,
    code: 'validation_error',
    says: 'The domain is not verified.',
    means: 'auth-config',
  },
  missing_required_field: {
    status: 422,
    says: 'The request body is missing one or more required fields.',
    means: 'permanent-message',
  },
  invalid_attachment: {
    status: 422,
    says: 'Attachment must have either a `content` or `path`.',
    means: 'permanent-message',
  },
  invalid_parameter: { status: 422, says: 'The parameter must be a valid UUID.', means: 'permanent-message' },
  invalid_region: { status: 422, says: 'Region must be one of the supported ones.', means: 'permanent-message' },
  invalid_from_address: { status: 422, says: 'Invalid `from` field.', means: 'auth-config' },
  missing_api_key: { status: 401, says: 'Missing API key in the authorization header.', means: 'auth-config' },
  restricted_api_key: { status: 401, says: 'This API key is restricted to only send emails.', means: 'auth-config' },
  invalid_api_key: { status: 403, says: 'API key is invalid.', means: 'auth-config' },
  invalid_access: { status: 403, says: 'Access must be "full_access" or "sending_access".', means: 'auth-config' },
  not_found: { status: 404, says: 'The requested endpoint does not exist.', means: 'auth-config' },
  method_not_allowed: { status: 405, says: 'Method is not allowed for the requested path.', means: 'auth-config' },
  invalid_idempotency_key: { status: 400, says: 'The key must be between 1-256 chars.', means: 'permanent-message' },
  // Permanent for the request; of the message it says only that something was sent under its key before.
  invalid_idempotent_request: {
    status: 409,
    says: 'Same idempotency key used with a different request payload.',
    means: 'ambiguous',
  },
  // The other request may still be taken: the same key is asked again.
  concurrent_idempotent_requests: {
    status: 409,
    says: 'Same idempotency key used while original request is still in progress.',
    means: 'ambiguous',
  },
  rate_limit_exceeded: {
    status: 429,
    says: 'Too many requests. Please limit the number of requests per second.',
    means: 'rate-limited',
  },
  daily_quota_exceeded: { status: 429, says: 'You have reached your daily email sending quota.', means: 'auth-config' },
  monthly_quota_exceeded: {
    status: 429,
    says: 'You have reached your monthly email sending quota.',
    means: 'auth-config',
  },
  security_error: {
    status: 451,
    says: 'We may have found a security issue with the request.',
    means: 'permanent-message',
  },
  application_error: { status: 500, says: 'An unexpected error occurred.', means: 'ambiguous' },
  internal_server_error: { status: 500, says: 'An unexpected error occurred.', means: 'ambiguous' },
};

const DAY_MS = 86_400_000;
const MOST_TO = 50;
const MOST_ATTACHED = 40 * 1_048_576;

/** Resend's `POST /emails`. It knows an `Idempotency-Key` for 24 hours from its first acceptance, and nothing of what it refused. */
export function fakeResend(options: FakeResendOptions = {}): WireFake<ResendCode> {
  return wireFake(vendor(options), options);
}

function vendor(options: FakeResendOptions): Vendor<ResendCode> {
  const refusal: Vendor<ResendCode>['refusal'] = (name, message, statusCode) =>
    json(statusCode, { statusCode, name, message });
  const said = (code: ResendCode) => refusal(code, REFUSALS[code].says, REFUSALS[code].status);
  return {
    name: 'resend',
    title: 'Resend',
    origin: /^https:\/\/api\.resend\.com\//,
    refusals: REFUSALS,
    throttles: 'rate_limit_exceeded',
    isSend: ({ method, url }) => method === 'POST' && url.pathname === '/emails',
    refusal,
    read: (request) => read(request, options),
    id: (nth) => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`,
    taken: ([first]) => json(200, { id: first?.id }),
    keys: {
      windowMs: DAY_MS,
      repeat({ answer, isInFlight, isSameBody }) {
        if (isInFlight) return said('concurrent_idempotent_requests');
        return isSameBody ? answer : said('invalid_idempotent_request');
      },
    },
    notFound: said('not_found'),
  };
}

function read(request: WireRequest, { apiKey, reservedDomains = false }: FakeResendOptions): Read<ResendCode> {
  const given = bearerIn(request);
  if (given === null) return { refused: 'missing_api_key' };
  if (apiKey === undefined ? !given.startsWith('re_') : given !== apiKey) return { refused: 'invalid_api_key' };
  const { 'idempotency-key': key = null } = request.headers;
  if (key !== null && (key === '' || key.length > 256)) return { refused: 'invalid_idempotency_key' };
  const body = jsonIn(request);
  if (body === null) return { refused: 'validation_error' };
  const { from, subject, html, text, template, tags = [], attachments = [] } = body;
  const to: readonly unknown[] = Array.isArray(body['to']) ? body['to'] : [body['to']];
  for (const [name, value] of Object.entries({ from, to: body['to'], subject }))
    if (value === undefined && template === undefined)
      return { refused: 'missing_required_field', words: `Missing \`${name}\` field.` };
  if (html === undefined && text === undefined && template === undefined)
    return { refused: 'missing_required_field', words: 'Missing `html` or `text` field.' };
  if (mailAddress(from) === null) return { refused: 'invalid_from_address' };
  const addresses = to.map(mailAddress);
  if (addresses.length > MOST_TO) return { refused: 'validation_error', words: 'The `to` field takes 50 at most.' };
  if (addresses.includes(null)) return { refused: 'validation_error-to' };
  if (!reservedDomains && addresses.some((each) => /@(example|test)\.com$/i.test(each ?? '')))
    return {
      refused: 'validation_error-to',
      words: 'Invalid `to` field. Please use our testing email address instead of domains like `example.com`.',
    };
  const isTag = (tag: unknown): boolean =>
    isObject(tag) && [tag['name'], tag['value']].every((each) => isText(each) && /^[\w-]{1,256}$/.test(each));
  if (!Array.isArray(tags) || !tags.every(isTag))
    return {
      refused: 'validation_error',
      words: 'Tags should only contain ASCII letters, numbers, underscores, or dashes.',
    };
  const files: readonly unknown[] = Array.isArray(attachments) ? attachments : [];
  const lengths = files.map((each) => (isObject(each) && isText(each['content']) ? each['content'].length : 0));
  if (lengths.reduce((sum, each) => sum + each, 0) > MOST_ATTACHED)
    return { refused: 'validation_error', words: 'The attachments are larger than 40MB.' };
  return { to: addresses as readonly string[], key, body };
}
