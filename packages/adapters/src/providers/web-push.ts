import { isIP } from 'node:net';
import type { OutgoingMessage, Provider } from '@sendonce/core';
import { BOOLEAN_RULE, canonicalJson, FUNCTION_RULE, isFields, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi } from '../internal/api/http-api.ts';
import { textAt } from '../internal/api/json-path.ts';
import { PROVIDER_RULES } from '../internal/api/options.ts';
import { rows, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { hostOf, type HttpPost } from '../internal/http/post.ts';
import { isPublicAddress, NotPublic, publicLookup } from '../internal/http/public-addresses.ts';
import { checkAdapter, OBJECT_RULE } from '../internal/options.ts';
import { topicOf } from '../internal/push/ids.ts';
import { subscriptionOf, type Subscription } from '../internal/push/subscription.ts';
import { vapidHeader, vapidOf, type Vapid, type VapidKeys } from '../internal/push/vapid.ts';
import { encrypted, ephemeralOf, MOST_PLAIN_BYTES } from '../internal/push/web-encryption.ts';
import type { Rejection } from '../internal/rejection.ts';

export type { VapidKeys } from '../internal/push/vapid.ts';

export interface WebPushOptions {
  readonly vapid: VapidKeys;
  /** Unique within the channel; renaming it changes the key of what is sent again. @defaultValue 'web-push' */
  readonly name?: string;
  /**
   * Whether a subscription's endpoint is one of a push service. Anybody can send you a subscription, and what the service answers is
   * believed. It may throw, which refuses. @defaultValue those of Chrome, Edge, Firefox and Safari
   */
  readonly allow?: (endpoint: URL) => boolean;
  /** Also http, hosts in private networks and this one: for tests. @defaultValue false */
  readonly privateAddresses?: boolean;
  /** How long a service keeps a message for a browser that is away, where the content says nothing else. 0 to 2,419,200 s (28 days). @defaultValue 2_419_200 */
  readonly ttlSeconds?: number;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

const PUSH = 'https://www.rfc-editor.org/rfc/rfc8030';
const VAPID = 'https://www.rfc-editor.org/rfc/rfc8292';

/** What each answer proves. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...rows([404, 410], 'rejected destination', `${PUSH}#section-7.3: the subscription is over`),
  ...rows([413], 'rejected message', `${PUSH}#section-7.2: too long`),
  ...rows([429], 'deferred', `${PUSH}#section-8.4`),
  // Of a key that does not fit the subscription too: to give up every subscription for a wrong key could not be undone.
  ...rows([400, 401, 403], 'rejected provider', `${VAPID}#section-4.2: the VAPID keys, or a header`),
];

/** What is known of Web Push. */
export const WEB_PUSH: ProviderFacts = {
  name: 'web-push',
  title: 'Web Push (RFC 8030, 8291, 8292)',
  channels: ['push'],
  needs: null,
  capabilities: { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: true },
  id: 'the address of the message at the push service (`Location`)',
  outcomes: OUTCOMES,
};

/** The push services of the browsers, by host. */
const SERVICES =
  /^(fcm\.googleapis\.com|updates\.push\.services\.mozilla\.com|([\w-]+\.)*push\.apple\.com|([\w-]+\.)*notify\.windows\.com)$/;

const MOST_TTL_S = 2_419_200;

/**
 * Sends to one browser, whose subscription is the target's `to`, as JSON. The content is encrypted for the browser alone. No push service
 * drops repeats, but one that comes before the browser is back replaces the earlier message.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function webPush(options: WebPushOptions): Provider {
  checkAdapter('web-push', options, RULES);
  const { name = WEB_PUSH.name, privateAddresses = false, ttlSeconds = MOST_TTL_S, timeoutMs = 15_000 } = options;
  const { allow = ({ hostname }) => SERVICES.test(hostname) } = options;
  const vapid = vapidOf('web-push: vapid', options.vapid);
  return httpApi({
    name,
    timeoutMs,
    capabilities: WEB_PUSH.capabilities,
    request: (message, key) => requestFor(message, key, { vapid, allow, privateAddresses, ttlSeconds }),
    async authorize(_deadline, { url }) {
      return { authorization: vapidHeader(vapid, url, Date.now()) };
    },
    ...(!privateAddresses && { lookup: publicLookup }),
    idIn: ({ headers }) => textAt(headers, 'location'),
    codeIn: () => null,
    reasonIn: ({ json }) => textAt(json, 'message') ?? textAt(json, 'reason'),
    table: OUTCOMES,
  });
}

interface Fixed extends Required<Pick<WebPushOptions, 'allow' | 'privateAddresses' | 'ttlSeconds'>> {
  readonly vapid: Vapid;
}

function requestFor(message: OutgoingMessage, key: string, fixed: Fixed): HttpPost | Rejection {
  const to = subscriptionOf(message.to);
  if (typeof to === 'string') return refused('destination', to);
  const problem = endpointProblem(to.endpoint, fixed);
  if (problem !== null) return problem;
  const headers = headersOf(message, fixed.ttlSeconds);
  if (typeof headers === 'string') return refused('message', headers);
  const plain = plainOf(message);
  if (plain.length > MOST_PLAIN_BYTES)
    return refused(
      'message',
      `the content has ${plain.length} bytes as JSON; ${MOST_PLAIN_BYTES} fit into a push message`,
    );
  return { url: to.endpoint, headers, body: bodyOf(fixed.vapid, key, to, plain) };
}

function bodyOf({ secret }: Vapid, key: string, to: Subscription, plain: Buffer): Buffer {
  return encrypted(plain, to, ephemeralOf(secret, key, to, plain));
}

function endpointProblem(endpoint: URL, { allow, privateAddresses }: Fixed): Rejection | null {
  const host = hostOf(endpoint);
  if (endpoint.protocol !== 'https:' && !privateAddresses)
    return notAllowed("the subscription's endpoint is not a whole https address");
  try {
    if (!allow(endpoint)) return notAllowed(`${endpoint.host} is not allowed by the option 'allow'`);
  } catch (error) {
    // Nothing is known of the subscription then: it is not to be given up.
    return refused('provider', `the option 'allow' threw: ${String(error)}`);
  }
  // A name is looked up when it is connected to; an address never is.
  const isHere = isIP(host) !== 0 && !isPublicAddress(host);
  return isHere && !privateAddresses ? notAllowed(new NotPublic(host).message) : null;
}

/** What the service worker gets: the content but for what the push service is told, and our id as the tag of what it shows. */
function plainOf({ content, deliveryId }: OutgoingMessage): Buffer {
  const { webPush: _told, ...shown } = content;
  return Buffer.from(canonicalJson({ tag: deliveryId, ...shown }));
}

const URGENCIES: readonly unknown[] = ['very-low', 'low', 'normal', 'high'];

/** The headers that the content's `webPush` asks for, or what is wrong with it. */
function headersOf({ content, deliveryId }: OutgoingMessage, ttlSeconds: number): Record<string, string> | string {
  const told = content['webPush'] ?? {};
  if (!isFields(told)) return 'content.webPush must be an object';
  const { ttlSeconds: ttl = ttlSeconds, urgency = 'normal', topic = topicOf(deliveryId) } = told;
  if (!TTL_RULE.fits(ttl)) return `content.webPush.ttlSeconds must be ${TTL_RULE.must}`;
  if (!URGENCIES.includes(urgency)) return `content.webPush.urgency must be one of ${URGENCIES.join(', ')}`;
  if (typeof topic !== 'string' || !/^[\w-]{1,32}$/.test(topic))
    return 'content.webPush.topic must be 1 to 32 characters of base64url';
  return {
    'content-type': 'application/octet-stream',
    'content-encoding': 'aes128gcm',
    ttl: String(ttl),
    urgency: String(urgency),
    topic,
  };
}

/** What our own options keep from is no proof that a subscription is over. */
function notAllowed(reason: string): Rejection {
  return { ...refused('destination', reason), goneAt: null };
}

function refused(scope: Rejection['scope'], reason: string): Rejection {
  return { kind: 'rejected', scope, reason };
}

const TTL_RULE: Rule = {
  must: `a whole number of 0 to ${MOST_TTL_S} seconds`,
  fits: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TTL_S,
};

const RULES: Rules = {
  vapid: { ...OBJECT_RULE, required: true },
  allow: FUNCTION_RULE,
  privateAddresses: BOOLEAN_RULE,
  ttlSeconds: TTL_RULE,
  ...PROVIDER_RULES,
} satisfies Record<keyof WebPushOptions, Rule>;
