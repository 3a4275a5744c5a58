import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { MessageContent, Outcome, OutgoingMessage, Provider } from '@sendonce/core';
import { canonicalJson, isFields, textRule, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi, type ApiAnswer } from '../internal/api/http-api.ts';
import { at, textAt } from '../internal/api/json-path.ts';
import { API_RULES } from '../internal/api/options.ts';
import { codes, outcomeBy, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { http2Host } from '../internal/http/http2.ts';
import type { HttpPost } from '../internal/http/post.ts';
import { insteadOfFile } from '../internal/instead-of-file.ts';
import { checkAdapter, invalid, SECRET_RULE } from '../internal/options.ts';
import { collapseIdOf } from '../internal/push/ids.ts';
import { jwt } from '../internal/push/jwt.ts';
import { keptToken } from '../internal/push/kept-token.ts';
import type { Rejection } from '../internal/rejection.ts';
import { keyUuid } from '../internal/uuid.ts';

export interface ApnsOptions {
  /** The key for APNs: the text of its `.p8` file, not its path. */
  readonly key: string;
  /** The id of that key, 10 characters. */
  readonly keyId: string;
  /** The id of the team, 10 characters. */
  readonly teamId: string;
  /** `apns-topic`: the bundle id of the app. */
  readonly topic: string;
  /** Unique within the channel; renaming it changes the key of what is sent again. @defaultValue 'apns' */
  readonly name?: string;
  /** `https://api.sandbox.push.apple.com` for builds in development. @defaultValue https://api.push.apple.com */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

const ERRORS = 'https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns';

/** What each answer proves. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...codes(410, ['Unregistered', 'ExpiredToken'], 'rejected destination', ERRORS),
  ...codes(400, ['BadDeviceToken', 'DeviceTokenNotForTopic'], 'rejected destination', ERRORS),
  ...codes(
    400,
    [
      ...['BadCollapseId', 'BadExpirationDate', 'BadMessageId', 'BadPriority', 'DuplicateHeaders'],
      ...['InvalidPushType', 'MissingDeviceToken', 'PayloadEmpty'],
    ],
    'rejected message',
    ERRORS,
  ),
  ...codes(413, ['PayloadTooLarge'], 'rejected message', ERRORS),
  ...codes(400, ['BadTopic', 'MissingTopic', 'TopicDisallowed'], 'rejected provider', ERRORS),
  ...codes(
    403,
    [
      ...['BadCertificate', 'BadCertificateEnvironment', 'Forbidden', 'InvalidProviderToken', 'MissingProviderToken'],
      ...['UnrelatedKeyIdInToken', 'BadEnvironmentKeyIdInToken'],
    ],
    'rejected provider',
    ERRORS,
  ),
  // Refused for the token alone, and the next attempt has a new one.
  ...codes(403, ['ExpiredProviderToken'], 'deferred', ERRORS),
  ...codes(404, ['BadPath'], 'rejected provider', ERRORS),
  ...codes(405, ['MethodNotAllowed'], 'rejected provider', ERRORS),
  ...codes(429, ['TooManyProviderTokenUpdates'], 'rejected provider', ERRORS),
  ...codes(429, ['TooManyRequests'], 'deferred', ERRORS),
  ...codes(400, ['IdleTimeout'], 'not-sent', ERRORS),
  ...codes(503, ['ServiceUnavailable', 'Shutdown'], 'deferred', ERRORS),
  ...codes(500, ['InternalServerError'], 'unknown', ERRORS),
];

/** What is known of Apple's push service. */
export const APNS: ProviderFacts = {
  name: 'apns',
  title: 'Apple Push Notification service',
  channels: ['push'],
  needs: null,
  capabilities: { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: true },
  id: 'our `apns-id`, as Apple gives it back',
  outcomes: OUTCOMES,
};

/** Apple takes tokens of up to an hour, and new ones no more often than every 20 minutes. */
const TOKEN_MS = 50 * 60_000;
const MOST_BYTES = 4_096;

/**
 * Sends to one device through Apple, whose token is the target's `to`, over one HTTP/2 session that is kept. Apple drops no repeats, but one
 * replaces what is shown, by its collapse id.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function apns(options: ApnsOptions): Provider {
  checkAdapter('apns', options, RULES);
  const { keyId, teamId, topic, name = APNS.name, timeoutMs = 15_000 } = options;
  const key = ecKey(options.key);
  const base = new URL(options.baseUrl ?? 'https://api.push.apple.com');
  const host = http2Host(base.origin);
  const token = keptToken(async () => {
    const now = Date.now();
    const claims = { iss: teamId, iat: Math.floor(now / 1_000) };
    return { value: jwt({ alg: 'ES256', kid: keyId }, claims, key), untilMs: now + TOKEN_MS };
  });
  return httpApi({
    name,
    timeoutMs,
    capabilities: APNS.capabilities,
    request: (message, delivery) => requestFor(message, delivery, { base, topic }),
    async authorize(deadline) {
      const value = await token.get(deadline);
      return typeof value === 'string' ? { authorization: `bearer ${value}` } : value;
    },
    onAnswer: ({ json }, { authorization = '' }) => {
      if (textAt(json, 'reason') === 'ExpiredProviderToken') token.forget(authorization.replace('bearer ', ''));
    },
    exchange: host.post,
    close: () => host.close(),
    idIn: ({ headers }) => textAt(headers, 'apns-id'),
    codeIn: ({ json }) => textAt(json, 'reason'),
    reasonIn: ({ json }) => textAt(json, 'reason'),
    special: goneSince,
    table: OUTCOMES,
  });
}

function requestFor(
  { to, content, deliveryId }: OutgoingMessage,
  key: string,
  { base, topic }: { readonly base: URL; readonly topic: string },
): HttpPost | Rejection {
  const device = to.trim();
  if (!/^([0-9a-f]{2}){8,100}$/i.test(device)) return refused('destination', 'not a device token in hexadecimal');
  const payload = payloadOf(content, deliveryId);
  if (typeof payload === 'string') return refused('message', payload);
  const body = canonicalJson(payload);
  const length = Buffer.byteLength(body);
  if (length > MOST_BYTES) return refused('message', `the payload has ${length} bytes; Apple takes ${MOST_BYTES}`);
  const isShown = ['alert', 'badge', 'sound'].some((each) => payload.aps[each] !== undefined);
  return {
    url: new URL(`/3/device/${device}`, base),
    headers: {
      'apns-id': keyUuid(key),
      'apns-topic': topic,
      'apns-collapse-id': collapseIdOf(deliveryId),
      'apns-push-type': isShown ? 'alert' : 'background',
      'apns-priority': isShown ? '10' : '5',
      'content-type': 'application/json',
    },
    body,
  };
}

/** With a 410 Apple says when it found the token to be gone: whoever registered it later is not meant. */
function goneSince({ status, json }: ApiAnswer): Outcome | null {
  const [reason, goneAt] = [textAt(json, 'reason'), at(json, 'timestamp')];
  if (status !== 410 || reason === null || !Number.isSafeInteger(goneAt)) return null;
  const told = outcomeBy(OUTCOMES, { status, code: reason, reason: `HTTP 410 (${reason}): ${reason}` });
  return told.kind === 'rejected' ? { ...told, goneAt: goneAt as number } : told;
}

interface Payload {
  readonly aps: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** What goes to the device, or what is wrong with the content. */
function payloadOf({ aps, data = {}, subject, text }: MessageContent, deliveryId: string): Payload | string {
  if (aps !== undefined && !isFields(aps)) return 'content.aps must be an object';
  if (!isFields(data)) return 'content.data must be an object';
  for (const name of ['aps', 'sendonce_delivery'])
    if (Object.hasOwn(data, name)) return `content.data may not hold '${name}', which the adapter writes itself`;
  if (aps === undefined && subject === undefined && text === undefined)
    return "content needs an 'aps', or a 'subject' or 'text'";
  const alert = { ...(subject !== undefined && { title: subject }), ...(text !== undefined && { body: text }) };
  return { ...data, aps: aps ?? { alert }, sendonce_delivery: deliveryId };
}

function refused(scope: Rejection['scope'], reason: string): Rejection {
  return { kind: 'rejected', scope, reason };
}

function ecKey(pem: string): KeyObject {
  let key: KeyObject | null;
  try {
    key = createPrivateKey(pem);
  } catch {
    key = null;
  }
  if (key?.asymmetricKeyType === 'ec') return key;
  const got = key === null ? insteadOfFile(pem) : `a key of another kind (${key.asymmetricKeyType})`;
  return invalid(`apns: key must be the content of a .p8 file, as Apple gives it, got ${got}`);
}

const RULES: Rules = {
  key: { ...SECRET_RULE, required: true },
  keyId: { ...textRule(64), required: true },
  teamId: { ...textRule(64), required: true },
  topic: { ...textRule(256), required: true },
  ...API_RULES,
} satisfies Record<keyof ApnsOptions, Rule>;
