import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { listenHttp2 } from './support/http2-server.ts';
import { verifiedJwt } from './support/jwt.ts';
import { jsonIn } from './support/read.ts';
import type { Log, Read, Refusal, Refusals, Vendor } from './support/vendor.ts';
import { json, type WireRequest } from './support/wire.ts';

const REASONS = [
  [410, 'permanent-destination', ['Unregistered', 'ExpiredToken']],
  [400, 'permanent-destination', ['BadDeviceToken', 'DeviceTokenNotForTopic']],
  [400, 'permanent-message', ['BadCollapseId', 'BadExpirationDate', 'BadMessageId', 'BadPriority', 'PayloadEmpty']],
  [400, 'permanent-message', ['InvalidPushType', 'MissingDeviceToken', 'DuplicateHeaders']],
  [413, 'permanent-message', ['PayloadTooLarge']],
  [400, 'auth-config', ['MissingTopic', 'BadTopic', 'TopicDisallowed']],
  [403, 'auth-config', ['BadCertificate', 'BadCertificateEnvironment', 'Forbidden', 'InvalidProviderToken']],
  [403, 'auth-config', ['MissingProviderToken', 'UnrelatedKeyIdInToken', 'BadEnvironmentKeyIdInToken']],
  [404, 'auth-config', ['BadPath']],
  [405, 'auth-config', ['MethodNotAllowed']],
  [403, 'transient', ['ExpiredProviderToken']],
  [429, 'rate-limited', ['TooManyRequests']],
  [429, 'auth-config', ['TooManyProviderTokenUpdates']],
  [400, 'transient', ['IdleTimeout']],
  [503, 'transient', ['Shutdown', 'ServiceUnavailable']],
  [500, 'ambiguous', ['InternalServerError']],
] as const;

/** Apple's reasons. */
export type ApnsCode = (typeof REASONS)[number][2][number];

const REFUSALS = Object.fromEntries(
  REASONS.flatMap(([status, means, reasons]) =>
    reasons.map((says) => [says, { status, says, means } satisfies Refusal]),
  ),
) as Refusals<ApnsCode>;

export interface FakeApnsOptions extends Behaviour<ApnsCode> {
  /** The bundle id of the app. @defaultValue 'com.example.app' */
  readonly topic?: string;
  /** The device tokens there are; any other is a bad one. @defaultValue all of the right form */
  readonly devices?: readonly string[];
}

export interface FakeApns extends WireFake<ApnsCode> {
  /** What Apple gave the team: whose tokens this fake believes. */
  readonly credentials: {
    readonly key: string;
    readonly keyId: string;
    readonly teamId: string;
    readonly topic: string;
  };
}

const HOUR_S = 3_600;
const MOST = { bytes: 4_096, collapseId: 64 };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const PUSH_TYPES = 'alert background location voip complication fileprovider mdm liveactivity pushtotalk'.split(' ');

/** Apple's `POST /3/device/{token}`, by HTTP/2, which msw does not see: it has no handlers, and is there by `listen()`. It knows no repeats. */
export function fakeApns(options: FakeApnsOptions = {}): FakeApns {
  const { topic = 'com.example.app' } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const credentials = { key, keyId: 'FAKEKEY123', teamId: 'FAKETEAM12', topic };
  const fake = wireFake(vendor({ ...credentials, publicKey, devices: options.devices }), options, listenHttp2);
  return Object.assign(fake, { credentials });
}

interface Team {
  readonly keyId: string;
  readonly teamId: string;
  readonly topic: string;
  readonly publicKey: KeyObject;
  readonly devices: readonly string[] | undefined;
}

function vendor(team: Team): Vendor<ApnsCode> {
  let ids = 0;
  return {
    name: 'apns',
    title: 'Apple Push Notification service',
    origin: null,
    refusals: REFUSALS,
    throttles: 'TooManyRequests',
    isSend: () => true,
    refusal: (reason, _words, status) =>
      json(status, { reason, ...(status === 410 && { timestamp: 1_700_000_000_000 }) }),
    fails: (status) => json(status, { reason: status === 503 ? 'ServiceUnavailable' : 'InternalServerError' }),
    read: (request, log) => read(request, log, team),
    id: (_nth, { headers }) => headers['apns-id'] ?? `00000000-0000-4000-b000-${String((ids += 1)).padStart(12, '0')}`,
    taken: ([first]) => ({ status: 200, headers: { 'apns-id': first?.id ?? '' } }),
    notFound: json(404, { reason: 'BadPath' }),
  };
}

function read(request: WireRequest, { now }: Log, team: Team): Read<ApnsCode> {
  const { method, url, headers, bytes } = request;
  if (method !== 'POST') return { refused: 'MethodNotAllowed' };
  const device = /^\/3\/device\/([^/]*)$/.exec(url.pathname)?.[1];
  if (device === undefined) return { refused: 'BadPath' };
  const unknown = tokenProblem(headers['authorization'], team, now());
  if (unknown !== null) return { refused: unknown };
  if (device === '') return { refused: 'MissingDeviceToken' };
  if (!/^([0-9a-f]{2}){8,100}$/i.test(device) || team.devices?.includes(device) === false)
    return { refused: 'BadDeviceToken' };
  const wrong = headerProblem(headers, team);
  if (wrong !== null) return { refused: wrong };
  const body = jsonIn(request);
  if (body === null || Object.keys(body).length === 0) return { refused: 'PayloadEmpty' };
  if (bytes.length > MOST.bytes) return { refused: 'PayloadTooLarge' };
  return { to: [device], key: null, body: { ...body, collapseId: headers['apns-collapse-id'] ?? null } };
}

function tokenProblem(
  authorization: string | undefined,
  { publicKey, keyId, teamId }: Team,
  now: number,
): ApnsCode | null {
  if (authorization === undefined) return 'MissingProviderToken';
  const jwt = verifiedJwt(authorization.replace(/^bearer /i, ''), publicKey, 'ES256');
  if (jwt === null || jwt.header['kid'] !== keyId || jwt.claims['iss'] !== teamId) return 'InvalidProviderToken';
  return now / 1_000 - Number(jwt.claims['iat']) > HOUR_S ? 'ExpiredProviderToken' : null;
}

function headerProblem(headers: WireRequest['headers'], { topic }: Team): ApnsCode | null {
  const {
    'apns-topic': given,
    'apns-id': id,
    'apns-collapse-id': collapseId = '',
    'apns-priority': priority = '10',
    'apns-push-type': type = 'alert',
    'apns-expiration': expiration = '0',
  } = headers;
  if (given === undefined) return 'MissingTopic';
  if (given !== topic) return 'DeviceTokenNotForTopic';
  if (id !== undefined && !UUID.test(id)) return 'BadMessageId';
  if (Buffer.byteLength(collapseId) > MOST.collapseId) return 'BadCollapseId';
  if (!['1', '5', '10'].includes(priority)) return 'BadPriority';
  if (!PUSH_TYPES.includes(type)) return 'InvalidPushType';
  return /^\d+$/.test(expiration) ? null : 'BadExpirationDate';
}
