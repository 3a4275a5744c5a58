import type { MessageContent, OutgoingMessage, Provider } from '@sendonce/core';
import { canonicalJson, isFields, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi, type ApiAnswer } from '../internal/api/http-api.ts';
import { textAt } from '../internal/api/json-path.ts';
import { API_RULES, apiUrl } from '../internal/api/options.ts';
import { codes, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { badMessage } from '../internal/api/reject.ts';
import { TOKEN_RULE } from '../internal/api/token.ts';
import { has, textIn } from '../internal/chat/text.ts';
import type { HttpPost } from '../internal/http/post.ts';
import { checkAdapter } from '../internal/options.ts';
import type { Rejection } from '../internal/rejection.ts';
import { phoneOf } from '../internal/sms/sms.ts';

export interface WhatsAppCloudOptions {
  /** Digits: the id of the number that sends, not the number. */
  readonly phoneNumberId: string;
  /** Of a system user that may send messages. */
  readonly accessToken: string;
  /** Of the Graph API. @defaultValue 'v23.0' */
  readonly apiVersion?: string;
  /** Unique within the channel. @defaultValue 'whatsapp-cloud' */
  readonly name?: string;
  /** @defaultValue https://graph.facebook.com */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

const ERRORS = 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes';

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/text-messages */
const LIMIT = { most: 4_096, counts: 'characters' } as const;
/** In which our delivery id travels, and comes back in every status. */
const FIELD = 'biz_opaque_callback_data';

/** What each answer proves, by the code in it: the HTTP status says little. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...codes(null, [131026, 131021, 130497], 'rejected destination', `${ERRORS}: cannot be sent to this number`),
  ...codes(null, [131030], 'rejected provider', `${ERRORS}: a test number, which sends to those in its list alone`),
  ...codes(
    null,
    [130472, 131050],
    'rejected destination',
    `${ERRORS}: not sent to this user, who takes part in an experiment or has opted out`,
  ),
  ...codes(null, [131047], 'rejected message', `${ERRORS}: outside the window of 24 hours only templates are taken`),
  ...codes(
    null,
    [131049],
    'rejected message',
    `${ERRORS}: not sent, this user has had enough marketing messages for now`,
  ),
  ...codes(
    null,
    [100, 131008, 131009, 131051, 131052, 131053],
    'rejected message',
    `${ERRORS}: a parameter, or a medium`,
  ),
  ...codes(null, [132000, 132001, 132005, 132007, 132012], 'rejected message', `${ERRORS}: the template`),
  ...codes(null, [132015, 132016], 'rejected provider', `${ERRORS}: the template is paused or disabled`),
  ...codes(null, [0, 3, 10, 190, 200], 'rejected provider', `${ERRORS}: the token, or what it may do`),
  ...codes(
    null,
    [33, 368, 131005, 131031, 131037, 131042, 131045, 133010],
    'rejected provider',
    `${ERRORS}: the account, its payment, or its number`,
  ),
  ...codes(
    null,
    [4, 80007, 130429, 131048, 131056, 133016],
    'deferred',
    `${ERRORS}: too many, of one kind or another; not sent`,
  ),
  // By its words a service that is away; whether it had taken the message it does not say.
  ...codes(null, [2, 131016], 'unknown', ERRORS),
  ...codes(null, [1, 131000], 'unknown', ERRORS),
];

/** What is known of the WhatsApp Cloud API. */
export const WHATSAPP_CLOUD: ProviderFacts = {
  name: 'whatsapp-cloud',
  title: 'Meta WhatsApp Cloud API',
  channels: ['whatsapp'],
  needs: null,
  capabilities: {
    idempotency: { kind: 'none' },
    lookup: 'none',
    correlation: { field: FIELD, maxBytes: 512 },
    coalesce: false,
  },
  id: "Meta's id of the message (`wamid.`)",
  outcomes: OUTCOMES,
};

/**
 * Sends WhatsApp messages through Meta's Cloud API, one recipient per request. Meta drops no repeats and can only be asked for messages
 * whose id is known, so an unknown outcome is resolved by a status event, or by the class.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function whatsappCloud(options: WhatsAppCloudOptions): Provider {
  checkAdapter('whatsappCloud', options, RULES);
  const { phoneNumberId, accessToken, apiVersion = 'v23.0', name = WHATSAPP_CLOUD.name } = options;
  const { baseUrl = 'https://graph.facebook.com', timeoutMs = 15_000 } = options;
  const url = apiUrl(baseUrl, `${apiVersion}/${phoneNumberId}/messages`);
  return httpApi({
    name,
    timeoutMs,
    capabilities: WHATSAPP_CLOUD.capabilities,
    request: (message) => requestFor(message, url, accessToken),
    idIn: ({ json }) => textAt(json, 'messages', 0, 'id'),
    codeIn: ({ json }) => textAt(json, 'error', 'code'),
    reasonIn: ({ json }) => textAt(json, 'error', 'error_data', 'details') ?? textAt(json, 'error', 'message'),
    special: noSuchNumber,
    table: OUTCOMES,
  });
}

function requestFor(message: OutgoingMessage, url: URL, accessToken: string): HttpPost | Rejection {
  const to = phoneOf('whatsapp', message.to);
  if (typeof to !== 'string') return to;
  const body = bodyOf(message.content);
  if ('kind' in body) return body;
  return {
    url,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: canonicalJson({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      // With its plus: without, Meta puts the country of the sender in front of it.
      to,
      ...body,
      [FIELD]: message.deliveryId,
    }),
  };
}

type Body = { readonly type: 'text'; readonly text: object } | { readonly type: 'template'; readonly template: object };

/** The template where there is one, which is all that Meta takes outside the window of 24 hours; else the text. */
function bodyOf(content: MessageContent): Body | Rejection {
  if (has(content, 'template')) return templateOf(content['template']);
  const body = textIn(content, 'text', LIMIT);
  if (typeof body !== 'string') return body;
  return { type: 'text', text: { body, ...(content['previewUrl'] === true && { preview_url: true }) } };
}

const TEMPLATE_FIELDS: ReadonlySet<string> = new Set(['name', 'language', 'components']);

function templateOf(template: unknown): Body | Rejection {
  if (!isFields(template)) return badMessage('content.template must be an object { name, language, components }');
  const unknown = Object.keys(template).find((field) => !TEMPLATE_FIELDS.has(field));
  if (unknown !== undefined)
    return badMessage(`content.template may hold ${[...TEMPLATE_FIELDS].join(', ')}, got '${unknown}'`);
  const { name, language, components = [] } = template;
  if (typeof name !== 'string' || !/^[a-z0-9_]{1,512}$/.test(name))
    return badMessage('content.template.name must be 1 to 512 small letters, digits and underscores');
  if (typeof language !== 'string' || !/^[a-z]{2,3}(_[A-Za-z0-9]{2,4})?$/.test(language))
    return badMessage("content.template.language must be a code like 'en' or 'en_US'");
  if (!Array.isArray(components) || !components.every((each) => isFields(each) && typeof each['type'] === 'string'))
    return badMessage('content.template.components must be a list of objects, each with a type');
  return {
    type: 'template',
    template: { name, language: { code: language }, ...(components.length > 0 && { components }) },
  };
}

/** The code of any bad parameter, but the number that sends is what does not exist: no fault of the message. */
function noSuchNumber({ status, json }: ApiAnswer): Rejection | null {
  const [code, subcode] = [textAt(json, 'error', 'code'), textAt(json, 'error', 'error_subcode')];
  if (status !== 400 || code !== '100' || subcode !== '33') return null;
  const reason = `HTTP 400 (100, subcode 33): ${textAt(json, 'error', 'message') ?? 'no such phoneNumberId'}`;
  return { kind: 'rejected', scope: 'provider', reason: reason.slice(0, 200), code };
}

const RULES: Rules = {
  phoneNumberId: {
    must: 'the digits of an id',
    fits: (value) => typeof value === 'string' && /^\d{1,32}$/.test(value),
    required: true,
  },
  accessToken: { ...TOKEN_RULE, required: true },
  apiVersion: {
    must: "a version like 'v23.0'",
    fits: (value) => typeof value === 'string' && /^v\d{1,3}\.\d$/.test(value),
  },
  ...API_RULES,
} satisfies Record<keyof WhatsAppCloudOptions, Rule>;
