import type { Outcome, OutgoingMessage, Provider } from '@sendonce/core';
import type { Rule, Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi, type ApiAnswer } from '../internal/api/http-api.ts';
import { at, textAt } from '../internal/api/json-path.ts';
import { API_RULES, apiUrl } from '../internal/api/options.ts';
import { codes, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { TOKEN_RULE } from '../internal/api/token.ts';
import type { HttpPost } from '../internal/http/post.ts';
import { checkAdapter, httpUrl, URL_RULE } from '../internal/options.ts';
import type { Rejection } from '../internal/rejection.ts';
import { MOST_SEGMENTS, segmentsRule, SENDER_RULE, smsOf } from '../internal/sms/sms.ts';

export interface VonageOptions {
  readonly apiKey: string;
  readonly apiSecret: string;
  /** The sender: a number in E.164, a short code, or a name of up to 11 letters and digits. */
  readonly from: string;
  /** Where Vonage reports what becomes of a message: http or https, at most 100 characters. @defaultValue what the account says */
  readonly callback?: string | URL;
  /** SMS in more segments is refused before any request, 1 to 255. @defaultValue 255: Vonage names no limit of its own */
  readonly maxSegments?: number;
  /** Unique within the channel. @defaultValue 'vonage' */
  readonly name?: string;
  /** @defaultValue https://rest.nexmo.com */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

const ERRORS = 'https://developer.vonage.com/api-errors/sms';

/** In which our delivery id travels, and comes back in every receipt: up to 100 characters, by the API reference of SMS. */
const FIELD = 'client-ref';
const TAKEN = '0';

/** What each answer proves: the HTTP status is 200 whatever happens. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...codes(200, [1, 10], 'deferred', `${ERRORS}: throttled, refused before anything was done`),
  ...codes(200, [7, 33], 'rejected destination', `${ERRORS}: the number is barred, or out of use`),
  ...codes(200, [22], 'rejected destination', `${ERRORS}: no network of the number's country`),
  ...codes(200, [2, 3, 6, 12], 'rejected message', `${ERRORS}: a parameter, or too long`),
  ...codes(200, [17], 'rejected message', `${ERRORS}: blocked by the network for what it says`),
  ...codes(
    200,
    [4, 8, 9, 11, 14, 29, 32],
    'rejected provider',
    `${ERRORS}: the credentials, the account, or its credit`,
  ),
  ...codes(200, [15, 23], 'rejected provider', `${ERRORS}: the sender, or the callback`),
  ...codes(200, [5], 'unknown', `${ERRORS}: an error while it was worked on`),
];

/** What is known of Vonage. */
export const VONAGE: ProviderFacts = {
  name: 'vonage',
  title: 'Vonage SMS',
  channels: ['sms'],
  needs: null,
  capabilities: {
    idempotency: { kind: 'none' },
    lookup: 'none',
    correlation: { field: FIELD, maxBytes: 100 },
    coalesce: false,
  },
  id: "Vonage's id of the message's first part",
  outcomes: OUTCOMES,
};

/**
 * Sends SMS through Vonage's SMS API, one recipient per request. Vonage drops no repeats, so an unknown outcome is resolved by a delivery
 * receipt, or by the class.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function vonage(options: VonageOptions): Provider {
  checkAdapter('vonage', options, RULES);
  const { apiKey, apiSecret, name = VONAGE.name, baseUrl = 'https://rest.nexmo.com', timeoutMs = 15_000 } = options;
  const fixed: Fixed = {
    url: apiUrl(baseUrl, 'sms/json'),
    authorization: `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`,
    options,
  };
  return httpApi({
    name,
    timeoutMs,
    capabilities: VONAGE.capabilities,
    request: (message) => requestFor(message, fixed),
    idIn: ({ json }) =>
      textAt(json, 'messages', 0, 'status') === TAKEN ? textAt(json, 'messages', 0, 'message-id') : null,
    isRefusal: ({ json }) => refusedPart(json) !== null,
    codeIn: ({ json }) => textAt(refusedPart(json), 'status'),
    reasonIn: ({ json }) => textAt(refusedPart(json), 'error-text'),
    special: takenInPart,
    table: OUTCOMES,
  });
}

interface Fixed {
  readonly url: URL;
  readonly authorization: string;
  readonly options: VonageOptions;
}

function requestFor(message: OutgoingMessage, { url, authorization, options }: Fixed): HttpPost | Rejection {
  const { from, callback, maxSegments = MOST_SEGMENTS } = options;
  const sms = smsOf(message, maxSegments);
  if ('kind' in sms) return sms;
  const form = new URLSearchParams({ from: from.replace(/^\+/, ''), to: sms.to.slice(1), text: sms.text });
  // Without it, whatever is not in GSM-7 arrives as question marks.
  if (sms.encoding === 'UCS-2') form.append('type', 'unicode');
  form.append(FIELD, message.deliveryId);
  if (callback !== undefined) form.append('callback', new URL(callback).href);
  return {
    url,
    headers: { authorization, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  };
}

function partsIn(json: unknown): readonly unknown[] {
  const parts = at(json, 'messages');
  return Array.isArray(parts) ? parts : [];
}

/** The first part that was not taken, or null. */
function refusedPart(json: unknown): unknown {
  return partsIn(json).find((part) => (textAt(part, 'status') ?? TAKEN) !== TAKEN) ?? null;
}

/** Some parts went out and others did not: neither sent, nor to be sent again as if nothing had happened. */
function takenInPart({ status, json }: ApiAnswer): Outcome | null {
  const parts = partsIn(json);
  const taken = parts.filter((part) => textAt(part, 'status') === TAKEN).length;
  if (status !== 200 || taken === 0 || taken === parts.length) return null;
  const part = refusedPart(json);
  const why = `${textAt(part, 'status')}: ${textAt(part, 'error-text')}`.slice(0, 200);
  return { kind: 'unknown', reason: `${taken} of ${parts.length} parts were taken (${why})` };
}

/** By the API reference of SMS. */
const LONGEST_CALLBACK = 100;

const RULES: Rules = {
  apiKey: { ...TOKEN_RULE, required: true },
  apiSecret: { ...TOKEN_RULE, required: true },
  from: { ...SENDER_RULE, required: true },
  callback: {
    ...URL_RULE,
    must: `${URL_RULE.must}, of at most ${LONGEST_CALLBACK} characters`,
    fits: (value) => (httpUrl(value)?.href.length ?? Infinity) <= LONGEST_CALLBACK,
  },
  maxSegments: segmentsRule(MOST_SEGMENTS),
  ...API_RULES,
} satisfies Record<keyof VonageOptions, Rule>;
