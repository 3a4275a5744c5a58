import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isIP } from 'node:net';
import type { MessageContent, Outcome, OutgoingMessage, Provider } from '@sendonce/core';
import { BOOLEAN_RULE, canonicalJson, FUNCTION_RULE, numberRule, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { PROVIDER_RULES } from '../internal/api/options.ts';
import { deadlineOf } from '../internal/deadline.ts';
import { hostOf, post } from '../internal/http/post.ts';
import { isPublicAddress, NotPublic, publicLookup } from '../internal/http/public-addresses.ts';
import { refusalOf } from '../internal/http/refusal.ts';
import type { Rejection } from '../internal/rejection.ts';
import { checkAdapter, httpUrl, invalid, OBJECT_RULE, SECRET_RULE, URL_RULE } from '../internal/options.ts';
import { webhookHeaders, webhookKey } from '../internal/standard-webhooks.ts';

export interface WebhookMessage {
  readonly deliveryId: string;
  readonly to: string;
  readonly content: MessageContent;
}

export interface WebhookOptions {
  /** Unique within the channel; renaming it forgets earlier attempts' ids. @defaultValue 'webhook' */
  readonly name?: string;
  /** Where every message goes: http or https. Either this or `allow`. It never shows up in an outcome whole: such addresses often are secrets. */
  readonly url?: string | URL;
  /**
   * Each message goes to the URL in its target's `to`, if this says true for it; it may throw, which sends nothing. Only http and https
   * are asked about. Either this or `url`.
   */
  readonly allow?: (url: URL) => boolean;
  /** With `allow`: also to hosts in private networks and to this one. @defaultValue false */
  readonly privateAddresses?: boolean;
  /** Signs each request by the Standard Webhooks scheme: `whsec_` and 24 to 64 bytes of base64. @defaultValue unsigned */
  readonly secret?: string;
  /** Sent with every message, beside `content-type` and the three of Standard Webhooks. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the receiver may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
  /** What is posted as JSON, with sorted keys. Must give the same for the same message. @defaultValue the content */
  readonly body?: (message: WebhookMessage) => unknown;
  /**
   * Say this only of a receiver that drops a message whose `webhook-id` it has seen within `windowMs` (1 or more), and answers it with
   * 2xx: then an unknown outcome is repeated with the same id. @defaultValue none: an unknown outcome is not repeated blindly
   */
  readonly receiverHonoursId?: { readonly windowMs: number };
  /** Statuses from 500 to 599 by which the receiver promises that it took nothing: tried later, after its `Retry-After`. @defaultValue none */
  readonly notTakenOn?: readonly number[];
}

/** What is known of webhooks, of a receiver that promises nothing. */
export const WEBHOOK: ProviderFacts = {
  name: 'webhook',
  title: 'any receiver over HTTP',
  channels: ['webhook'],
  needs: null,
  capabilities: { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: false },
  id: 'our `webhook-id`',
  // What a receiver's answer means depends on the options: the reference has a table of its own for it.
  outcomes: [],
};

/** Standard Webhooks lets a receiver answer slowly; what it says after its status is only read for the reason of a refusal. */
const BODY_MS = 1_000;

/**
 * Posts each message as JSON, once per attempt, with the headers of Standard Webhooks. `webhook-id` is the delivery's key at this provider:
 * the same on every attempt, and what `providerMessageId` says, since receivers give no id of their own. Any 2xx is an acceptance. No
 * redirect is followed.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function webhook(options: WebhookOptions): Provider {
  check(options);
  const { name = WEBHOOK.name, timeoutMs = 15_000, body = contentOf, notTakenOn = [] } = options;
  const fixed = httpUrl(options.url);
  const headers = checkedHeaders(options.headers ?? {});
  const key = options.secret === undefined ? null : webhookKey(options.secret);
  const rules = { address: fixed === null ? 'destination' : 'provider', notTakenOn: new Set(notTakenOn) } as const;
  const honoured = options.receiverHonoursId;
  let isClosed = false;

  return {
    name,
    capabilities: {
      ...WEBHOOK.capabilities,
      lookup: 'none',
      ...(honoured !== undefined && { idempotency: { kind: 'key', windowMs: honoured.windowMs } }),
    },
    check(message) {
      const url = fixed ?? targetUrl(message.to, options);
      if (!(url instanceof URL)) return url.kind === 'rejected' ? url : null;
      const text = jsonOf(message, body);
      return typeof text === 'string' ? null : text;
    },
    async send(message, context): Promise<Outcome> {
      const deadline = deadlineOf(context);
      if (isClosed) return { kind: 'not-sent', reason: `the provider '${name}' is closed` };
      if (deadline.leftMs() <= 0) return { kind: 'not-sent', reason: 'the send deadline passed before the first byte' };
      const url = fixed ?? targetUrl(message.to, options);
      if (!(url instanceof URL)) return url;
      const text = jsonOf(message, body);
      if (typeof text !== 'string') return text;
      const signed = stamped(key, context.key, text);
      const result = await post(
        { url, headers: { 'content-type': 'application/json', ...headers, ...signed }, body: text },
        { deadline, timeoutMs, bodyMs: BODY_MS, ...lookupFor(fixed, options) },
      );
      if (result.kind === 'not-sent' && result.cause instanceof NotPublic) return refused(result.cause.message);
      if (result.kind !== 'answered') return { kind: result.kind, reason: result.reason };
      if (result.status >= 200 && result.status < 300) return { kind: 'accepted', providerMessageId: context.key };
      return refusalOf(result, rules, Date.now());
    },
    async close() {
      isClosed = true;
    },
  };
}

function contentOf({ content }: WebhookMessage): unknown {
  return content;
}

function jsonOf(
  { deliveryId, to, content }: OutgoingMessage,
  body: (message: WebhookMessage) => unknown,
): string | Rejection {
  try {
    // A store may give the content back with its fields in another order; the bytes must not change with it.
    const text = canonicalJson(body({ deliveryId, to, content })) as string | undefined;
    if (text !== undefined) return text;
    return {
      kind: 'rejected',
      scope: 'message',
      reason: 'body must return something that JSON can say, got undefined',
    };
  } catch (error) {
    return { kind: 'rejected', scope: 'message', reason: `the body could not be made: ${String(error)}` };
  }
}

/** The id even without a secret: it is what a receiver drops repeats by. */
function stamped(key: Buffer | null, id: string, body: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1_000);
  if (key !== null) return webhookHeaders(key, { id, timestamp, body });
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp) };
}

function targetUrl(to: string, { allow, privateAddresses = false }: WebhookOptions): URL | Outcome {
  const url = httpUrl(to);
  if (url === null) return refused('the address is not a whole http or https URL without a user and password');
  try {
    if (allow?.(url) !== true) return refused(`${url.host} is not allowed by the option 'allow'`);
  } catch (error) {
    return { kind: 'not-sent', reason: `the option 'allow' threw: ${String(error)}` };
  }
  const host = hostOf(url);
  // A name is looked up when it is connected to; an address never is.
  const isPublic = privateAddresses || isIP(host) === 0 || isPublicAddress(host);
  return isPublic ? url : refused(new NotPublic(host).message);
}

function refused(reason: string): Rejection {
  return { kind: 'rejected', scope: 'destination', reason, goneAt: null };
}

function lookupFor(fixed: URL | null, { privateAddresses = false }: WebhookOptions): { lookup?: typeof publicLookup } {
  return fixed !== null || privateAddresses ? {} : { lookup: publicLookup };
}

const RULES: Rules = {
  ...PROVIDER_RULES,
  url: URL_RULE,
  allow: FUNCTION_RULE,
  privateAddresses: BOOLEAN_RULE,
  secret: SECRET_RULE,
  headers: OBJECT_RULE,
  body: FUNCTION_RULE,
  receiverHonoursId: OBJECT_RULE,
  notTakenOn: { must: 'a list of whole numbers from 500 to 599', fits: areServerErrors },
} satisfies Record<keyof WebhookOptions, Rule>;

const HONOURS_RULES: Rules = {
  windowMs: { ...numberRule({ least: 1, most: Number.MAX_SAFE_INTEGER }, ' ms'), required: true },
};

function areServerErrors(value: unknown): boolean {
  const isOne = (status: unknown): boolean =>
    Number.isInteger(status) && 500 <= (status as number) && (status as number) <= 599;
  return Array.isArray(value) && value.every(isOne);
}

function check(options: WebhookOptions): void {
  checkAdapter('webhook', options, RULES);
  const { url, allow, privateAddresses, receiverHonoursId } = options;
  if (receiverHonoursId !== undefined) checkAdapter('webhook: receiverHonoursId', receiverHonoursId, HONOURS_RULES);
  if ((url === undefined) === (allow === undefined))
    invalid(
      "webhook: give either 'url', where every message goes, or 'allow', which decides about the URL in each target's 'to'",
    );
  if (url !== undefined && privateAddresses !== undefined)
    invalid("webhook: privateAddresses is for 'allow'; a 'url' of your own may be anywhere");
}

const OURS = /^(webhook-.*|host|content-length|transfer-encoding|connection|expect|upgrade)$/i;

function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (OURS.test(name)) invalid(`webhook: headers may not hold '${name}', which the provider sets itself`);
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      // Not the value: it may be a secret.
      invalid(`webhook: headers: '${name}' is not a header that HTTP can carry`);
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}
