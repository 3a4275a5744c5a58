import type { LookupAnswer, LookupRequest, OutgoingMessage, Provider } from '@sendonce/core';
import { textRule, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi, type ApiAnswer } from '../internal/api/http-api.ts';
import { at, textAt } from '../internal/api/json-path.ts';
import { lookUp } from '../internal/api/look-up.ts';
import { API_RULES, apiUrl } from '../internal/api/options.ts';
import { codes, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { TOKEN_RULE } from '../internal/api/token.ts';
import { SENDER_RULE, senderOf, wireAddress, written, type EmailAddress } from '../internal/email/address.ts';
import { MB, tooLong } from '../internal/email/limits.ts';
import { mailOf, type Mail } from '../internal/email/mail.ts';
import { replyToOf, type ReplyTo } from '../internal/email/reply-to.ts';
import type { HttpGet, HttpPost } from '../internal/http/post.ts';
import { checkAdapter } from '../internal/options.ts';
import type { Rejection } from '../internal/rejection.ts';

export interface PostmarkOptions {
  /** The token of one server, in the account's settings. `POSTMARK_API_TEST` has messages checked and not sent. */
  readonly serverToken: string;
  /** The sender: `a@example.com`, `Name <a@example.com>`, or `{ name, address }`. Confirmed at Postmark. */
  readonly from: string | EmailAddress;
  /** The id of a message stream of that server. @defaultValue 'outbound', Postmark's own */
  readonly messageStream?: string;
  /** Unique within the channel; renaming it forgets which attempts went through it. @defaultValue 'postmark' */
  readonly name?: string;
  /** @defaultValue https://api.postmarkapp.com */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

/** In which our delivery id travels, and comes back in webhooks. Postmark takes names of up to 20 characters. */
const FIELD = 'sendonce_delivery';

const API = 'https://postmarkapp.com/developer/api';
const ERRORS = `${API}/overview#error-codes`;

/** What each answer proves, by ErrorCode: the HTTP status beside it is mostly 422. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...codes(null, [406], 'rejected destination', `${ERRORS}: a recipient who bounced, complained or opted out`),
  ...codes(null, [300, 402, 403, 409, 410], 'rejected message', `${ERRORS}: an invalid request`),
  ...codes(null, [10], 'rejected provider', `${ERRORS}: the token`),
  ...codes(null, [400, 401, 405, 411, 412, 413], 'rejected provider', `${ERRORS}: the sender, credits or the account`),
  ...codes(null, [100], 'deferred', `${ERRORS}: down for maintenance`),
];

/** How long Postmark keeps messages by default: https://postmarkapp.com/developer/api/messages-api */
const KEPT_MS = 45 * 86_400_000;
/** Postmark does not say how soon its search knows of a message; no "not found" of it is taken for proof. */
const SEARCH_LAG_MS = 10 * 60_000;

/** What is known of Postmark. */
export const POSTMARK: ProviderFacts = {
  name: 'postmark',
  title: 'Postmark',
  channels: ['email'],
  needs: null,
  capabilities: {
    idempotency: { kind: 'none' },
    lookup: { kind: 'positive-only', settleMs: SEARCH_LAG_MS, horizonMs: KEPT_MS },
    correlation: { field: `Metadata.${FIELD}`, maxBytes: 80 },
    coalesce: false,
  },
  id: "Postmark's MessageID",
  outcomes: OUTCOMES,
};

/**
 * Sends mail through Postmark's API, one recipient per request. Postmark drops no repeats; what had no answer is looked up by our delivery
 * id in its search.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function postmark(options: PostmarkOptions): Provider {
  checkAdapter('postmark', options, RULES);
  const { serverToken, messageStream = 'outbound', name = POSTMARK.name, timeoutMs = 15_000 } = options;
  const base = apiUrl(options.baseUrl ?? 'https://api.postmarkapp.com', '');
  const from = senderOf('postmark: from', options.from);
  const headers = { accept: 'application/json', 'x-postmark-server-token': serverToken };
  const fixed = { base, from, headers, messageStream };
  return httpApi({
    name,
    timeoutMs,
    capabilities: POSTMARK.capabilities,
    request: (message, key) => requestFor(message, key, fixed),
    idIn: ({ json }) => textAt(json, 'MessageID'),
    isRefusal: (answer) => errorCode(answer) !== null,
    codeIn: errorCode,
    reasonIn: ({ json }) => textAt(json, 'Message'),
    scopeIn,
    table: OUTCOMES,
    find: (asked, { signal }) => lookUp(searchFor(asked, fixed), { timeoutMs, signal }, (json) => foundIn(json, asked)),
  });
}

interface Fixed {
  readonly base: URL;
  readonly from: EmailAddress;
  readonly headers: HttpGet['headers'];
  readonly messageStream: string;
}

/** Headers with which Postmark is told things by SMTP. */
const COMMANDS = /^x-pm-/i;
/** Each body and all of the request: https://postmarkapp.com/developer/api/email-api */
const MOST = { body: 5 * MB, request: 10 * MB };

function requestFor(message: OutgoingMessage, key: string, fixed: Fixed): HttpPost | Rejection {
  // As its support says: https://github.com/Stranger6667/postmarker/issues/178
  const mail = mailOf(message, key, fixed.from, { commands: COMMANDS, asciiOnly: 'Postmark' });
  if ('kind' in mail) return mail;
  const reply = replyToOf(mail);
  if ('kind' in reply) return reply;
  const body = JSON.stringify(bodyOf(mail, reply, fixed.messageStream));
  return (
    tooLong('content.text', Buffer.byteLength(mail.text ?? ''), MOST.body) ??
    tooLong('content.html', Buffer.byteLength(mail.html ?? ''), MOST.body) ??
    tooLong('the mail', Buffer.byteLength(body), MOST.request) ?? {
      url: new URL('email', fixed.base),
      headers: { ...fixed.headers, 'content-type': 'application/json' },
      body,
    }
  );
}

function bodyOf(mail: Mail, { replyTo, headers }: ReplyTo, MessageStream: string): object {
  const { from, to, subject, text, html, attachments, deliveryId } = mail;
  return {
    From: written(from),
    To: wireAddress(to),
    ...(replyTo !== null && { ReplyTo: written(replyTo) }),
    Subject: subject,
    ...(text !== null && { TextBody: text }),
    ...(html !== null && { HtmlBody: html }),
    ...(headers.length > 0 && { Headers: headers.map(([Name, Value]) => ({ Name, Value })) }),
    ...(attachments.length > 0 && { Attachments: attachments.map(attached) }),
    Metadata: { [FIELD]: deliveryId },
    MessageStream,
  };
}

function attached({ filename, content, contentType, cid }: Mail['attachments'][number]): object {
  return {
    Name: filename,
    Content: content.toString('base64'),
    ContentType: contentType ?? 'application/octet-stream',
    ...(cid !== null && { ContentID: `cid:${cid}` }),
  };
}

/** Null for 0, which says that all is well. */
function errorCode({ json }: ApiAnswer): string | null {
  const code = textAt(json, 'ErrorCode');
  return code === '0' ? null : code;
}

/** A complaint about an address has the same code, whether it is about where it goes or about who sends. */
function scopeIn(answer: ApiAnswer): Rejection['scope'] | null {
  if (errorCode(answer) !== '300') return null;
  const field = /^(?:Invalid|Error parsing) '(To|From)'/.exec(textAt(answer.json, 'Message') ?? '')?.[1];
  if (field === undefined) return null;
  return field === 'To' ? 'destination' : 'provider';
}

function searchFor({ deliveryId }: LookupRequest, { base, headers, messageStream }: Fixed): HttpGet {
  const url = new URL('messages/outbound', base);
  url.search = String(
    new URLSearchParams({ count: '10', offset: '0', messagestream: messageStream, [`metadata_${FIELD}`]: deliveryId }),
  );
  return { url, headers };
}

/** What is found must say itself that it is ours: a filter that was not understood would find anything. */
function foundIn(json: unknown, { deliveryId }: LookupRequest): LookupAnswer | null {
  const messages = at(json, 'Messages');
  if (!Array.isArray(messages)) return null;
  const ours: unknown = messages.find((each) => textAt(each, 'Metadata', FIELD) === deliveryId);
  const providerMessageId = textAt(ours, 'MessageID');
  if (providerMessageId !== null) return { kind: 'found', providerMessageId };
  return messages.length === 0 ? { kind: 'absent' } : null;
}

const RULES: Rules = {
  serverToken: { ...TOKEN_RULE, required: true },
  from: SENDER_RULE,
  messageStream: textRule(100),
  ...API_RULES,
} satisfies Record<keyof PostmarkOptions, Rule>;
