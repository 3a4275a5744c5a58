import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { verifiedJwt } from './support/jwt.ts';
import { bearerIn, formIn, isObject, isText, jsonIn } from './support/read.ts';
import type { Log, Read, Vendor } from './support/vendor.ts';
import { json, type WireAnswer, type WireRequest } from './support/wire.ts';

/** Firebase's own codes, and those of all of Google's APIs; of INVALID_ARGUMENT, what it is about. */
const CODES = {
  UNREGISTERED: { status: 404, says: 'Requested entity was not found.', means: 'permanent-destination' },
  INVALID_ARGUMENT: {
    status: 400,
    says: 'Invalid value at message: the message is too big.',
    means: 'permanent-message',
  },
  'INVALID_ARGUMENT-token': {
    status: 400,
    code: 'INVALID_ARGUMENT',
    says: 'The registration token is not a valid FCM registration token',
    means: 'permanent-destination',
  },
  SENDER_ID_MISMATCH: { status: 403, says: 'SenderId mismatch', means: 'permanent-destination' },
  THIRD_PARTY_AUTH_ERROR: { status: 401, says: 'Auth error from APNS or Web Push Service', means: 'auth-config' },
  UNAUTHENTICATED: { status: 401, says: 'Request had invalid authentication credentials.', means: 'auth-config' },
  PERMISSION_DENIED: { status: 403, says: 'Permission denied on the project.', means: 'auth-config' },
  QUOTA_EXCEEDED: { status: 429, says: 'Quota exceeded for quota metric.', means: 'rate-limited' },
  UNAVAILABLE: { status: 503, says: 'The service is currently unavailable.', means: 'ambiguous' },
  INTERNAL: { status: 500, says: 'Internal error encountered.', means: 'ambiguous' },
  UNSPECIFIED_ERROR: { status: 500, says: 'No more information is available about this error.', means: 'ambiguous' },
} as const;

export type FcmCode = keyof typeof CODES;

export interface FakeFcmOptions extends Behaviour<FcmCode> {
  /** The project of the service account. @defaultValue 'fake-project' */
  readonly projectId?: string;
  /** The registration tokens there are; any other is unregistered. @defaultValue all */
  readonly tokens?: readonly string[];
}

export interface FakeFcm extends WireFake<FcmCode> {
  /** The JSON of a service account whose assertions this fake believes. Its tokens come from `url`, which `listen()` gives, or from Google's address. */
  serviceAccount(url?: string): Readonly<Record<string, string>>;
}

const HOUR_MS = 3_600_000;
const MOST_BYTES = 4_096;
const EMAIL = 'sender@fake-project.iam.gserviceaccount.com';
/** Names of data that Firebase keeps for itself. */
const RESERVED = /^(from|message_type|gcm\..*|google\..*)$/;

/**
 * Firebase's `POST /v1/projects/{project}/messages:send`, and the `POST /token` of Google's OAuth, whose tokens end after an hour. It knows no
 * repeats. Each fake makes an RSA key.
 */
export function fakeFcm(options: FakeFcmOptions = {}): FakeFcm {
  const { projectId = 'fake-project', tokens } = options;
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const given = new Map<string, number>();
  const fake = wireFake(vendor({ projectId, tokens, publicKey, given }), options);
  return Object.assign(fake, {
    serviceAccount: (url = 'https://oauth2.googleapis.com') => ({
      type: 'service_account',
      project_id: projectId,
      client_email: EMAIL,
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      token_uri: `${url}/token`,
    }),
  });
}

interface Account {
  readonly projectId: string;
  readonly tokens: readonly string[] | undefined;
  readonly publicKey: KeyObject;
  /** Access tokens, and when each ends. */
  readonly given: Map<string, number>;
}

function vendor(account: Account): Vendor<FcmCode> {
  const path = `/v1/projects/${account.projectId}/messages:send`;
  return {
    name: 'fcm',
    title: 'Firebase Cloud Messaging, HTTP v1',
    origin: /^https:\/\/(fcm|oauth2)\.googleapis\.com\//,
    refusals: CODES,
    throttles: 'QUOTA_EXCEEDED',
    isSend: ({ method, url }) => method === 'POST' && /^\/v1\/projects\/[^/]+\/messages:send$/.test(url.pathname),
    refusal: refusalOf,
    fails: (status) => refusalOf(status === 503 ? 'UNAVAILABLE' : 'INTERNAL', 'try again', status),
    read: (request, log) =>
      request.url.pathname === path ? read(request, log, account) : { refused: 'PERMISSION_DENIED' },
    id: (nth) => `projects/${account.projectId}/messages/0:${nth}%fake`,
    taken: ([first]) => json(200, { name: first?.id }),
    elsewhere: (request, { now }) =>
      request.method === 'POST' && request.url.pathname === '/token' ? tokenFor(request, account, now()) : null,
    notFound: refusalOf('NOT_FOUND', 'no such method', 404),
  };
}

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';
const CANONICAL: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};
/** Codes of Google's, which come without a detail of Firebase's. */
const PLAIN = ['UNAUTHENTICATED', 'PERMISSION_DENIED', 'NOT_FOUND'];

/** A bad token has a detail of Firebase's; a bad message one that says which field. */
function refusalOf(code: string, message: string, status: number): WireAnswer {
  const detail =
    code === 'INVALID_ARGUMENT' && message !== CODES['INVALID_ARGUMENT-token'].says
      ? { '@type': BAD_REQUEST, fieldViolations: [{ field: 'message', description: message }] }
      : { '@type': FCM_ERROR, errorCode: code };
  const error = { code: status, message, status: CANONICAL[status] ?? 'INTERNAL' };
  return json(status, { error: { ...error, ...(!PLAIN.includes(code) && { details: [detail] }) } });
}

function tokenFor(request: WireRequest, { publicKey, given }: Account, now: number): WireAnswer {
  const { grant_type: grant, assertion = '' } = formIn(request);
  const claims = verifiedJwt(assertion, publicKey, 'RS256')?.claims;
  const seconds = now / 1_000;
  const isGood =
    grant === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
    claims?.['iss'] === EMAIL &&
    Number(claims['exp']) > seconds &&
    Number(claims['exp']) - Number(claims['iat']) <= 3_600;
  if (!isGood) return json(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
  const token = `ya29.fake-${given.size + 1}`;
  given.set(token, now + HOUR_MS);
  return json(200, { access_token: token, expires_in: 3_600, token_type: 'Bearer' });
}

function read(request: WireRequest, { now }: Log, { given, tokens }: Account): Read<FcmCode> {
  if ((given.get(bearerIn(request) ?? '') ?? 0) <= now()) return { refused: 'UNAUTHENTICATED' };
  const message = jsonIn(request)?.['message'];
  if (!isObject(message)) return { refused: 'INVALID_ARGUMENT', words: 'message is missing' };
  const { token, data = {}, notification = {} } = message;
  if (!isText(token)) return { refused: 'INVALID_ARGUMENT-token' };
  if (!isObject(data) || !Object.values(data).every((each) => typeof each === 'string'))
    return { refused: 'INVALID_ARGUMENT', words: 'Invalid value at message.data: texts alone' };
  const reserved = Object.keys(data).find((name) => RESERVED.test(name));
  if (reserved !== undefined) return { refused: 'INVALID_ARGUMENT', words: `Invalid data payload key: ${reserved}` };
  if (Buffer.byteLength(JSON.stringify({ data, notification })) > MOST_BYTES)
    return { refused: 'INVALID_ARGUMENT', words: 'The message is too big' };
  if (tokens?.includes(token) === false) return { refused: 'UNREGISTERED' };
  return { to: [token], key: null, body: message };
}
