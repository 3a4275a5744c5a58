import type { LookupAnswer, LookupRequest, Outcome, OutgoingMessage, Provider } from '@sendonce/core';
import { canonicalJson, numberRule, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi, type ApiAnswer } from '../internal/api/http-api.ts';
import { at, textAt } from '../internal/api/json-path.ts';
import { lookUp } from '../internal/api/look-up.ts';
import { apiUrl, PROVIDER_RULES } from '../internal/api/options.ts';
import { codes, rows, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { TOKEN_RULE } from '../internal/api/token.ts';
import type { HttpGet, HttpPost } from '../internal/http/post.ts';
import { checkAdapter, URL_RULE } from '../internal/options.ts';
import type { Rejection } from '../internal/rejection.ts';
import { segmentsRule, SENDER_RULE, smsOf } from '../internal/sms/sms.ts';

export interface InfobipOptions {
  readonly apiKey: string;
  /** The account's own address: `https://....api.infobip.com`. */
  readonly baseUrl: string | URL;
  /** The sender: a number in E.164, a short code, or a name of up to 11 letters and digits. */
  readonly from: string;
  /** Where Infobip reports what becomes of a message: http or https. @defaultValue what the account says */
  readonly reportUrl?: string | URL;
  /** SMS in more segments is refused before any request, 1 to 25. @defaultValue 25 */
  readonly maxSegments?: number;
  /**
   * The grace period, at least 1 ms, for which Infobip has agreed to drop repeats of a message id on this account: then an unknown outcome
   * is repeated under the same id. @defaultValue none: an unknown outcome is looked up
   */
  readonly idempotencyWindowMs?: number;
  /** Unique within the channel; renaming it changes the id of what is sent again. @defaultValue 'infobip' */
  readonly name?: string;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

const STATUS = 'https://www.infobip.com/docs/essentials/response-status-and-error-codes';

/** Status 25: more parts are refused. */
const MOST_PARTS = 25;
/** The logs hold the last 48 hours: https://www.infobip.com/docs/api/channels/sms/logs-and-status-reports */
const KEPT_MS = 48 * 3_600_000;
/** How soon a message is in the logs Infobip does not say; no "not found" of theirs is taken for proof. */
const LOG_LAG_MS = 5 * 60_000;

/** Already accepted under this id. */
const DUPLICATE = '23';

/** What each answer proves. A refused message is one whose status is in the group of rejections, in an answer of 200. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...codes(200, [8, 51, 52], 'rejected destination', `${STATUS}: no number of any network`),
  ...codes(200, [10, 14], 'rejected destination', `${STATUS}: the recipient wants none, or is blocked`),
  ...codes(200, [87], 'rejected destination', `${STATUS}: blocked against fraud`),
  ...codes(200, [24, 25], 'rejected message', `${STATUS}: malformed, or more than 25 parts`),
  ...codes(200, [6, 18, 19], 'rejected provider', `${STATUS}: the account does not reach this network or number`),
  ...codes(200, [11, 13], 'rejected provider', `${STATUS}: the sender`),
  ...codes(200, [12, 17], 'rejected provider', `${STATUS}: no credits`),
  ...codes(200, [20], 'deferred', `${STATUS}: too many to one number within an hour`),
  // By its words as well a service that is away as a request that is wrong.
  ...codes(200, [21, 100], 'unknown', STATUS),
  ...rows([400], 'rejected message', `${STATUS}: the request is not valid`),
];

/** What is known of Infobip. */
export const INFOBIP: ProviderFacts = {
  name: 'infobip',
  title: 'Infobip SMS',
  channels: ['sms'],
  needs: null,
  capabilities: {
    idempotency: { kind: 'none' },
    lookup: { kind: 'positive-only', settleMs: LOG_LAG_MS, horizonMs: KEPT_MS },
    correlation: { field: 'callbackData', maxBytes: 200 },
    coalesce: false,
  },
  id: 'the message id that we give it, made from the key',
  outcomes: OUTCOMES,
};

/**
 * Sends SMS through Infobip, one recipient per request, under a message id made from the key: by it a message is found in the logs, and a
 * repeat is refused where Infobip has agreed to.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function infobip(options: InfobipOptions): Provider {
  checkAdapter('infobip', options, RULES);
  const { apiKey, idempotencyWindowMs, name = INFOBIP.name, timeoutMs = 15_000 } = options;
  const base = apiUrl(options.baseUrl, '');
  const headers = { authorization: `App ${apiKey}`, accept: 'application/json' };
  const fixed = { base, headers, options };
  return httpApi({
    name,
    timeoutMs,
    capabilities: {
      ...INFOBIP.capabilities,
      ...(idempotencyWindowMs !== undefined && {
        idempotency: { kind: 'client-id' as const, windowMs: idempotencyWindowMs },
      }),
    },
    request: (message, key) => requestFor(message, key, fixed),
    idIn: ({ json }) => (groupIn(json) === 'taken' ? textAt(json, 'messages', 0, 'messageId') : null),
    isRefusal: ({ json }) => groupIn(json) === 'refused',
    codeIn: ({ json }) =>
      textAt(json, 'messages', 0, 'status', 'id') ?? textAt(json, 'errorCode') ?? fault(json, 'messageId'),
    reasonIn: ({ json }) =>
      textAt(json, 'messages', 0, 'status', 'description') ?? textAt(json, 'description') ?? fault(json, 'text'),
    special: acceptedEarlier,
    table: OUTCOMES,
    find: (asked, { signal }) => lookUp(logsFor(asked, fixed), { timeoutMs, signal }, (json) => foundIn(json, asked)),
  });
}

interface Fixed {
  readonly base: URL;
  readonly headers: HttpGet['headers'];
  readonly options: InfobipOptions;
}

function requestFor(message: OutgoingMessage, key: string, { base, headers, options }: Fixed): HttpPost | Rejection {
  const { from, reportUrl, maxSegments = MOST_PARTS } = options;
  const sms = smsOf(message, maxSegments);
  if ('kind' in sms) return sms;
  const delivery =
    reportUrl === undefined ? {} : { delivery: { url: String(reportUrl) }, contentType: 'application/json' };
  return {
    url: new URL('sms/3/messages', base),
    headers: { ...headers, 'content-type': 'application/json' },
    body: canonicalJson({
      messages: [
        {
          sender: from.replace(/^\+/, ''),
          destinations: [{ to: sms.to.slice(1), messageId: key }],
          content: { text: sms.text },
          webhooks: { ...delivery, callbackData: message.deliveryId },
        },
      ],
    }),
  };
}

/** Groups of statuses: ok, pending and delivered say that it was taken; undeliverable, expired and rejected that it was not. */
function groupIn(json: unknown): 'taken' | 'refused' | null {
  const group = textAt(json, 'messages', 0, 'status', 'groupId');
  if (group === null) return null;
  return ['0', '1', '3'].includes(group) ? 'taken' : 'refused';
}

/** The other form of a refusal. */
function fault(json: unknown, field: 'messageId' | 'text'): string | null {
  return textAt(json, 'requestError', 'serviceException', field);
}

/** A repeat of what was accepted is refused, and has the id of what was. */
function acceptedEarlier({ status, json }: ApiAnswer): Outcome | null {
  const [code, providerMessageId] = [
    textAt(json, 'messages', 0, 'status', 'id'),
    textAt(json, 'messages', 0, 'messageId'),
  ];
  if (status !== 200 || code !== DUPLICATE || groupIn(json) !== 'refused' || providerMessageId === null) return null;
  return { kind: 'accepted', providerMessageId };
}

function logsFor({ key }: LookupRequest, { base, headers }: Fixed): HttpGet {
  const url = new URL('sms/3/logs', base);
  url.search = String(new URLSearchParams({ messageId: key, limit: '10' }));
  return { url, headers };
}

/** The group of statuses that says that a message was not taken. */
const REJECTED = '5';

/** What is found must say itself that it is ours, and that it was taken: refused messages are in the logs too. */
function foundIn(json: unknown, { key }: LookupRequest): LookupAnswer | null {
  const results = at(json, 'results');
  if (!Array.isArray(results)) return null;
  const ours: readonly unknown[] = results.filter((each) => textAt(each, 'messageId') === key);
  if (ours.length < results.length) return null;
  const wasTaken = (each: unknown): boolean =>
    textAt(each, 'status', 'id') === DUPLICATE || textAt(each, 'status', 'groupId') !== REJECTED;
  return ours.some(wasTaken) ? { kind: 'found', providerMessageId: key } : { kind: 'absent' };
}

const RULES: Rules = {
  apiKey: { ...TOKEN_RULE, required: true },
  baseUrl: { ...URL_RULE, required: true },
  from: { ...SENDER_RULE, required: true },
  reportUrl: URL_RULE,
  maxSegments: segmentsRule(MOST_PARTS),
  idempotencyWindowMs: numberRule({ least: 1, most: Number.MAX_SAFE_INTEGER }, ' ms'),
  ...PROVIDER_RULES,
} satisfies Record<keyof InfobipOptions, Rule>;
