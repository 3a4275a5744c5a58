import type { MessageContent, OutgoingMessage, Provider } from '@sendonce/core';
import { canonicalJson, isFields, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi } from '../internal/api/http-api.ts';
import { textAt } from '../internal/api/json-path.ts';
import { API_RULES, apiUrl } from '../internal/api/options.ts';
import { codes, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { badMessage } from '../internal/api/reject.ts';
import { TOKEN_RULE } from '../internal/api/token.ts';
import { has, textIn } from '../internal/chat/text.ts';
import type { HttpPost } from '../internal/http/post.ts';
import { checkAdapter, httpUrl, invalid, URL_RULE } from '../internal/options.ts';
import type { Rejection } from '../internal/rejection.ts';
import { MOST_SEGMENTS, phoneOf, segmentsRule, SENDER_RULE, smsOf } from '../internal/sms/sms.ts';

export interface TwilioOptions {
  /** `AC...`: the account that sends. */
  readonly accountSid: string;
  /** The account's auth token. Either this or `apiKey`. */
  readonly authToken?: string;
  /** An API key instead of the token: `SK...` and its secret. */
  readonly apiKey?: { readonly sid: string; readonly secret: string };
  /**
   * The sender: a number in E.164, a short code, or a name of up to 11 letters and digits; for WhatsApp its number. Either this or
   * `messagingServiceSid`.
   */
  readonly from?: string;
  /** `MG...`: the messaging service that picks a sender. */
  readonly messagingServiceSid?: string;
  /** Where Twilio reports what becomes of a message: http or https. Our delivery id is added to its query. @defaultValue no reports */
  readonly statusCallback?: string | URL;
  /** SMS in more segments is refused before any request, 1 to 255. @defaultValue as many as 1,600 characters make */
  readonly maxSegments?: number;
  /** Unique within the channel. @defaultValue 'twilio' */
  readonly name?: string;
  /** @defaultValue https://api.twilio.com */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

/** https://www.twilio.com/docs/messaging/api/message-resource: "up to 1,600 characters" */
const LIMIT = { most: 1_600, counts: 'characters' } as const;
/** Pictures in one message: the same page. */
const MOST_MEDIA = 10;
/** The parameter of the status callback in which our delivery id comes back. */
const PARAMETER = 'sendonce_delivery';

const ERRORS = 'https://www.twilio.com/docs/api/errors';

/** What each answer proves. The codes from 30000 on, and most of WhatsApp's, only come later, in a status callback. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...codes(null, [21211, 21217, 21265, 21612, 21614], 'rejected destination', `${ERRORS}: no number to send to`),
  ...codes(null, [21610], 'rejected destination', `${ERRORS}/21610: the recipient has opted out`),
  ...codes(null, [63024], 'rejected destination', `${ERRORS}/63024: not on WhatsApp`),
  ...codes(null, [21602, 21617, 21619, 21620], 'rejected message', `${ERRORS}: no body, too long, or a bad medium`),
  ...codes(
    null,
    [63016],
    'rejected message',
    `${ERRORS}/63016: outside the window of 24 hours only templates are taken`,
  ),
  ...codes(null, [63013, 63021], 'rejected message', `${ERRORS}: against a policy of the channel`),
  ...codes(null, [20003, 20404], 'rejected provider', `${ERRORS}: the credentials, or the account`),
  ...codes(null, [21212, 21603, 21606, 21659, 21660, 63007], 'rejected provider', `${ERRORS}: the sender`),
  ...codes(null, [21408, 21608], 'rejected provider', `${ERRORS}: a region that is not enabled, or a trial`),
  ...codes(null, [20429, 63018, 14107], 'deferred', `${ERRORS}: too many requests, refused before anything was done`),
  ...codes(null, [21611], 'deferred', `${ERRORS}/21611: the queue of the sender is full`),
  ...codes(null, [20500], 'unknown', `${ERRORS}/20500: a repeat may be sent twice`),
];

/** What is known of Twilio. */
export const TWILIO: ProviderFacts = {
  name: 'twilio',
  title: 'Twilio Messages',
  channels: ['sms', 'whatsapp'],
  needs: null,
  capabilities: {
    idempotency: { kind: 'none' },
    lookup: 'none',
    correlation: { field: PARAMETER, maxBytes: 512 },
    coalesce: false,
  },
  id: "Twilio's SID of the message",
  outcomes: OUTCOMES,
};

/**
 * Sends SMS and WhatsApp messages through Twilio, one recipient per request, on the channel of the message. Twilio drops no repeats, and
 * its list of messages cannot be asked for one of ours.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function twilio(options: TwilioOptions): Provider {
  check(options);
  const { accountSid, name = TWILIO.name, baseUrl = 'https://api.twilio.com', timeoutMs = 15_000 } = options;
  const { correlation, ...capabilities } = TWILIO.capabilities;
  const fixed: Fixed = {
    url: apiUrl(baseUrl, `2010-04-01/Accounts/${accountSid}/Messages.json`),
    authorization: `Basic ${Buffer.from(credentialsOf(options)).toString('base64')}`,
    options,
  };
  return httpApi({
    name,
    timeoutMs,
    capabilities: {
      ...capabilities,
      correlation: options.statusCallback === undefined ? 'none' : correlation,
    },
    request: (message) => requestFor(message, fixed),
    idIn: ({ json }) => textAt(json, 'sid'),
    codeIn: ({ json }) => textAt(json, 'code'),
    reasonIn: ({ json }) => textAt(json, 'message'),
    table: OUTCOMES,
  });
}

interface Fixed {
  readonly url: URL;
  readonly authorization: string;
  readonly options: TwilioOptions;
}

function requestFor(message: OutgoingMessage, { url, authorization, options }: Fixed): HttpPost | Rejection {
  const { channel } = message;
  if (channel !== 'sms' && channel !== 'whatsapp')
    return { kind: 'rejected', scope: 'provider', reason: `twilio sends on sms and whatsapp, not on ${channel}` };
  const to = phoneOf(channel, message.to);
  if (typeof to !== 'string') return to;
  const content = contentOf(message, options.maxSegments ?? MOST_SEGMENTS);
  if ('kind' in content) return content;
  const { from, messagingServiceSid } = options;
  const prefix = channel === 'whatsapp' ? 'whatsapp:' : '';
  const form = new URLSearchParams({ To: `${prefix}${to}` });
  if (from !== undefined) form.append('From', `${prefix}${from}`);
  if (messagingServiceSid !== undefined) form.append('MessagingServiceSid', messagingServiceSid);
  for (const [field, value] of content.fields) form.append(field, value);
  if (options.statusCallback !== undefined)
    form.append('StatusCallback', callbackOf(options.statusCallback, message.deliveryId));
  return {
    url,
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  };
}

type Field = readonly [name: string, value: string];

/** A template, or a text, or pictures with or without one. */
function contentOf(message: OutgoingMessage, maxSegments: number): { readonly fields: readonly Field[] } | Rejection {
  const { channel, content } = message;
  if (has(content, 'contentSid')) return templateOf(content);
  const media = mediaOf(content);
  if ('kind' in media) return media;
  if (media.length > 0 && !has(content, 'text')) return { fields: media };
  if (channel === 'sms' && media.length === 0) {
    const sms = smsOf(message, maxSegments, LIMIT);
    return 'kind' in sms ? sms : { fields: [['Body', sms.text]] };
  }
  const text = textIn(content, 'text', LIMIT);
  return typeof text === 'string' ? { fields: [['Body', text], ...media] } : text;
}

function templateOf({
  contentSid,
  contentVariables,
}: MessageContent): { readonly fields: readonly Field[] } | Rejection {
  if (typeof contentSid !== 'string' || !/^HX[0-9a-f]{32}$/i.test(contentSid))
    return badMessage("content.contentSid must be the SID of a template: 'HX' and 32 hexadecimal digits");
  if (contentVariables === undefined || contentVariables === null) return { fields: [['ContentSid', contentSid]] };
  if (!isFields(contentVariables)) return badMessage('content.contentVariables must be an object of texts');
  return {
    fields: [
      ['ContentSid', contentSid],
      ['ContentVariables', canonicalJson(contentVariables)],
    ],
  };
}

function mediaOf({ mediaUrls = null }: MessageContent): readonly Field[] | Rejection {
  if (mediaUrls === null) return [];
  if (!Array.isArray(mediaUrls) || mediaUrls.length > MOST_MEDIA || !mediaUrls.every((each) => httpUrl(each) !== null))
    return badMessage(`content.mediaUrls must be a list of at most ${MOST_MEDIA} http or https addresses`);
  return mediaUrls.map((each) => ['MediaUrl', String(each)]);
}

function callbackOf(statusCallback: string | URL, deliveryId: string): string {
  const url = new URL(statusCallback);
  url.searchParams.set(PARAMETER, deliveryId);
  return url.href;
}

function credentialsOf({ accountSid, authToken, apiKey }: TwilioOptions): string {
  return apiKey === undefined ? `${accountSid}:${authToken}` : `${apiKey.sid}:${apiKey.secret}`;
}

function sidRule(prefix: string): Rule {
  const pattern = new RegExp(`^${prefix}[0-9a-f]{32}$`, 'i');
  return {
    must: `'${prefix}' and 32 hexadecimal digits`,
    fits: (value) => typeof value === 'string' && pattern.test(value),
  };
}

const RULES: Rules = {
  accountSid: { ...sidRule('AC'), required: true },
  authToken: TOKEN_RULE,
  apiKey: { must: 'an object { sid, secret }', fits: isFields, hidden: true },
  from: SENDER_RULE,
  messagingServiceSid: sidRule('MG'),
  statusCallback: URL_RULE,
  maxSegments: segmentsRule(MOST_SEGMENTS),
  ...API_RULES,
} satisfies Record<keyof TwilioOptions, Rule>;

const KEY_RULES: Rules = {
  sid: { ...sidRule('SK'), required: true },
  secret: { ...TOKEN_RULE, required: true },
};

function check(options: TwilioOptions): void {
  checkAdapter('twilio', options, RULES);
  const { authToken, apiKey, from, messagingServiceSid } = options;
  if (apiKey !== undefined) checkAdapter('twilio: apiKey', apiKey, KEY_RULES);
  if ((authToken === undefined) === (apiKey === undefined)) invalid("twilio: give either 'authToken' or 'apiKey'");
  if ((from === undefined) === (messagingServiceSid === undefined))
    invalid("twilio: give either 'from' or 'messagingServiceSid'");
}
