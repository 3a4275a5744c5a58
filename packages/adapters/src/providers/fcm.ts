import type { Outcome, OutgoingMessage, Provider } from '@sendonce/core';
import { canonicalJson, textRule, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi, type ApiAnswer } from '../internal/api/http-api.ts';
import { at, textAt } from '../internal/api/json-path.ts';
import { API_RULES, apiUrl } from '../internal/api/options.ts';
import { codes, type OutcomeRow } from '../internal/api/outcome-table.ts';
import type { HttpPost } from '../internal/http/post.ts';
import { checkAdapter } from '../internal/options.ts';
import { fcmMessage } from '../internal/push/fcm-message.ts';
import { googleToken } from '../internal/push/google-token.ts';
import { keptToken } from '../internal/push/kept-token.ts';
import { serviceAccountOf } from '../internal/push/service-account.ts';
import type { Rejection } from '../internal/rejection.ts';

export interface FcmOptions {
  /** The JSON of a service account that may send: the text of its file, or what that parses to. Its `token_uri` is where tokens come from. */
  readonly serviceAccount: string | Readonly<Record<string, unknown>>;
  /** @defaultValue the `project_id` of the service account */
  readonly projectId?: string;
  /** Unique within the channel; renaming it changes the key of what is sent again. @defaultValue 'fcm' */
  readonly name?: string;
  /** @defaultValue https://fcm.googleapis.com */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

const ERRORS = 'https://firebase.google.com/docs/cloud-messaging/error-codes';
const STATUSES = 'https://cloud.google.com/apis/design/errors';

/** What each answer proves. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...codes(404, ['UNREGISTERED'], 'rejected destination', ERRORS),
  ...codes(403, ['SENDER_ID_MISMATCH'], 'rejected destination', `${ERRORS}: a token of another sender`),
  // A bad token and a bad message have the same code: it cannot be told which, and no token is given up for it.
  ...codes(400, ['INVALID_ARGUMENT'], 'rejected message', ERRORS),
  ...codes(401, ['THIRD_PARTY_AUTH_ERROR'], 'rejected provider', `${ERRORS}: the APNs or web push key`),
  ...codes(401, ['UNAUTHENTICATED'], 'rejected provider', STATUSES),
  ...codes(403, ['PERMISSION_DENIED'], 'rejected provider', STATUSES),
  ...codes(404, ['NOT_FOUND'], 'rejected provider', `${STATUSES}: no such project`),
  ...codes(429, ['QUOTA_EXCEEDED'], 'deferred', `${ERRORS}: a minute where it names no time`),
  ...codes(429, ['RESOURCE_EXHAUSTED'], 'deferred', STATUSES),
  // Messages arrive all the same after these.
  ...codes(503, ['UNAVAILABLE'], 'unknown', ERRORS),
  ...codes(500, ['INTERNAL'], 'unknown', ERRORS),
  ...codes(null, ['UNSPECIFIED_ERROR'], 'unknown', ERRORS),
];

/** What is known of Firebase Cloud Messaging. */
export const FCM: ProviderFacts = {
  name: 'fcm',
  title: 'Firebase Cloud Messaging, HTTP v1',
  channels: ['push'],
  needs: null,
  capabilities: { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: true },
  id: "Firebase's name of the message: `projects/.../messages/...`",
  outcomes: OUTCOMES,
};

/**
 * Sends to one device through Firebase, whose registration token is the target's `to`. The token of OAuth is fetched once for all sends and
 * kept until five minutes before its end; where none is to be had, nothing was sent. Firebase drops no repeats, but a repeat replaces what is
 * shown.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function fcm(options: FcmOptions): Provider {
  checkAdapter('fcm', options, RULES);
  const { name = FCM.name, baseUrl = 'https://fcm.googleapis.com', timeoutMs = 15_000 } = options;
  const account = serviceAccountOf('fcm: serviceAccount', options.serviceAccount);
  const project = encodeURIComponent(options.projectId ?? account.projectId);
  const url = apiUrl(baseUrl, `v1/projects/${project}/messages:send`);
  const token = keptToken(() => googleToken(account));
  return httpApi({
    name,
    timeoutMs,
    capabilities: FCM.capabilities,
    request: (message) => requestFor(message, url),
    async authorize(deadline) {
      const value = await token.get(deadline);
      return typeof value === 'string' ? { authorization: `Bearer ${value}` } : value;
    },
    onAnswer: ({ status }, { authorization = '' }) => {
      if (status === 401) token.forget(authorization.replace('Bearer ', ''));
    },
    idIn: ({ json }) => textAt(json, 'name'),
    codeIn,
    reasonIn: ({ json }) => textAt(json, 'error', 'message'),
    special: aMinuteLater,
    table: OUTCOMES,
  });
}

function requestFor(message: OutgoingMessage, url: URL): HttpPost | Rejection {
  const made = fcmMessage(message);
  if (isRejection(made)) return made;
  return { url, headers: { 'content-type': 'application/json' }, body: canonicalJson({ message: made }) };
}

function isRejection(made: ReturnType<typeof fcmMessage>): made is Rejection {
  return 'kind' in made;
}

/** Firebase's own code where there is one; else that which all of Google's APIs have. */
function codeIn({ json }: ApiAnswer): string | null {
  const details = at(json, 'error', 'details');
  const own = Array.isArray(details) ? details.map((each) => textAt(each, 'errorCode')) : [];
  return own.find((code) => code !== null) ?? textAt(json, 'error', 'status');
}

/** Without a `Retry-After`, Firebase asks for a minute. */
function aMinuteLater(answer: ApiAnswer): Outcome | null {
  if (answer.status !== 429 || answer.headers['retry-after'] !== undefined) return null;
  const said = textAt(answer.json, 'error', 'message')?.slice(0, 200) ?? 'too many requests';
  return { kind: 'deferred', reason: `HTTP 429 (${codeIn(answer) ?? 'no code'}): ${said}`, retryAfterMs: 60_000 };
}

const RULES: Rules = {
  serviceAccount: { must: 'the JSON of a service account', fits: () => true, required: true, hidden: true },
  projectId: textRule(256),
  ...API_RULES,
} satisfies Record<keyof FcmOptions, Rule>;
