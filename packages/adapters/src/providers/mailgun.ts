import type { LookupAnswer, LookupRequest, OutgoingMessage, Provider } from '@sendonce/core';
import type { Rule, Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi, type ApiAnswer } from '../internal/api/http-api.ts';
import { at, textAt } from '../internal/api/json-path.ts';
import { lookUp } from '../internal/api/look-up.ts';
import { API_RULES, apiUrl } from '../internal/api/options.ts';
import { rows, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { TOKEN_RULE } from '../internal/api/token.ts';
import { SENDER_RULE, senderOf, wireAddress, written, type EmailAddress } from '../internal/email/address.ts';
import { base64Length, MB, tooLong } from '../internal/email/limits.ts';
import { mailOf, type Mail } from '../internal/email/mail.ts';
import { multipart, type Part } from '../internal/email/multipart.ts';
import type { HttpGet, HttpPost } from '../internal/http/post.ts';
import { retryAfter } from '../internal/http/retry-after.ts';
import { checkAdapter } from '../internal/options.ts';
import type { Rejection } from '../internal/rejection.ts';

export interface MailgunOptions {
  /** A sending key of the domain, or one of the account. A lookup needs one of the account. */
  readonly apiKey: string;
  /** The sending domain at Mailgun: `mg.example.com`. */
  readonly domain: string;
  /** The sender: `a@example.com`, `Name <a@example.com>`, or `{ name, address }`. */
  readonly from: string | EmailAddress;
  /** Unique within the channel; renaming it forgets which attempts went through it. @defaultValue 'mailgun' */
  readonly name?: string;
  /** `https://api.eu.mailgun.net` for domains in the EU. @defaultValue https://api.mailgun.net */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

/** In which our delivery id travels, and comes back in events as a user variable. */
const FIELD = 'sendonce_delivery';

const MANUAL = 'https://documentation.mailgun.com/docs/mailgun';
const ERRORS = `${MANUAL}/api-reference/send/mailgun/messages`;

/** What each answer proves. Mailgun has no codes: what a 400 is about is told by its words alone. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...rows([400], 'rejected message', `${ERRORS}: a bad parameter`),
  ...rows([401, 403], 'rejected provider', `${ERRORS}: the key or the account`),
  ...rows([404], 'rejected provider', `${ERRORS}: no such domain in this region`),
  ...rows([413], 'rejected message', `${ERRORS}: longer than 25 MB`),
  ...rows([429], 'deferred', `${ERRORS}: the rate`),
];

/** Younger pages of the log may still grow: https://documentation.mailgun.com/docs/mailgun/user-manual/events/event-polling */
const LOG_LAG_MS = 30 * 60_000;
/** "At least 3 days": https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/events */
const LOG_KEPT_MS = 3 * 86_400_000;

/** What is known of Mailgun. */
export const MAILGUN: ProviderFacts = {
  name: 'mailgun',
  title: 'Mailgun',
  channels: ['email'],
  needs: null,
  capabilities: {
    idempotency: { kind: 'none' },
    lookup: { kind: 'positive-only', settleMs: LOG_LAG_MS, horizonMs: LOG_KEPT_MS },
    correlation: { field: `user-variables.${FIELD}`, maxBytes: 4_096 },
    coalesce: false,
  },
  id: "Mailgun's Message-ID, without its angle brackets, as events show it",
  outcomes: OUTCOMES,
};

/**
 * Sends mail through Mailgun's API, one recipient per request. Mailgun drops no repeats; what had no answer is looked up in its log, by
 * recipient and our delivery id.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function mailgun(options: MailgunOptions): Provider {
  checkAdapter('mailgun', options, RULES);
  const { apiKey, domain, name = MAILGUN.name, timeoutMs = 15_000 } = options;
  const base = apiUrl(options.baseUrl ?? 'https://api.mailgun.net', `v3/${domain}/`);
  const from = senderOf('mailgun: from', options.from);
  const fixed = { base, from, headers: { authorization: `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}` } };
  return httpApi({
    name,
    timeoutMs,
    capabilities: MAILGUN.capabilities,
    request: (message, key) => requestFor(message, key, fixed),
    idIn: ({ json }) => withoutBrackets(textAt(json, 'id')),
    codeIn: () => null,
    reasonIn: ({ json }) => textAt(json, 'message'),
    scopeIn,
    waitIn,
    table: OUTCOMES,
    find: (asked, { signal }) => lookUp(searchFor(asked, fixed), { timeoutMs, signal }, (json) => foundIn(json, asked)),
  });
}

interface Fixed {
  readonly base: URL;
  readonly from: EmailAddress;
  readonly headers: HttpGet['headers'];
}

/** Headers with which Mailgun is told things by SMTP. */
const COMMANDS = /^x-mailgun-/i;
/** All of a mail, and all headers and variables of it: the page of `ERRORS`. */
const MOST = { mail: 25 * MB, fields: 16_384 };

function requestFor(message: OutgoingMessage, key: string, { base, from, headers }: Fixed): HttpPost | Rejection {
  const mail = mailOf(message, key, from, { commands: COMMANDS });
  if ('kind' in mail) return mail;
  const { text, html, attachments } = mail;
  const length = Buffer.byteLength(text ?? '') + Buffer.byteLength(html ?? '') + base64Length(attachments);
  const ours = [...mail.headers.map(([name, value]) => [`h:${name}`, value]), [`v:${FIELD}`, mail.deliveryId]];
  const wrong =
    tooLong('the mail', length, MOST.mail) ??
    tooLong('content.headers', Buffer.byteLength(ours.flat().join('')), MOST.fields);
  if (wrong !== null) return wrong;
  const { contentType, body } = multipart(partsOf(mail), key);
  return { url: new URL('messages', base), headers: { ...headers, 'content-type': contentType }, body };
}

function partsOf({ from, to, subject, text, html, headers, attachments, deliveryId }: Mail): readonly Part[] {
  return [
    { name: 'from', value: written(from) },
    { name: 'to', value: wireAddress(to) },
    { name: 'subject', value: subject },
    ...(text === null ? [] : [{ name: 'text', value: text }]),
    ...(html === null ? [] : [{ name: 'html', value: html }]),
    ...headers.map(([name, value]) => ({ name: `h:${name}`, value })),
    { name: `v:${FIELD}`, value: deliveryId },
    ...attachments.map(attached),
  ];
}

/** Mailgun calls a picture in the html by its file name. */
function attached({ filename, content, contentType, cid }: Mail['attachments'][number]): Part {
  return {
    name: cid === null ? 'attachment' : 'inline',
    filename: cid ?? filename,
    value: content,
    contentType: contentType ?? 'application/octet-stream',
  };
}

function withoutBrackets(id: string | null): string | null {
  return id === null ? null : id.replace(/^<(.*)>$/, '$1');
}

/** What a refusal is about, where its words say so. */
const WORDS: readonly (readonly [words: RegExp, scope: Rejection['scope']])[] = [
  [/'to' parameter is not a valid address/i, 'destination'],
  [/'from' parameter is not a valid address/i, 'provider'],
  [/not allowed to send|domain .*(not verified|not found|disabled)|sandbox|authorized recipients/i, 'provider'],
];

function scopeIn({ status, json }: ApiAnswer): Rejection['scope'] | null {
  const reason = textAt(json, 'message') ?? '';
  return (status === 400 ? WORDS.find(([words]) => words.test(reason))?.[1] : undefined) ?? null;
}

/** Mailgun says in words until when to wait. */
function waitIn({ headers, json }: ApiAnswer): number | null {
  const until = /try again after:?\s+(\w{3}, .*\d)/i.exec(textAt(json, 'message') ?? '')?.[1];
  if (until === undefined) return null;
  return retryAfter({ ...headers, 'retry-after': until }, Date.now()).retryAfterMs ?? null;
}

/** The longest page that the log gives. */
const PAGE = 300;
/** By how much the clocks of the ledger and of Mailgun may differ, ms. */
const CLOCKS_MS = 10 * 60_000;

function searchFor({ to, markedAt }: LookupRequest, { base, headers }: Fixed): HttpGet {
  const url = new URL('events', base);
  const begin = String(Math.floor((markedAt - CLOCKS_MS) / 1_000));
  const filter = { event: 'accepted', recipient: wireAddress(to.trim()) };
  url.search = String(new URLSearchParams({ begin, ascending: 'yes', limit: String(PAGE), ...filter }));
  return { url, headers };
}

function foundIn(json: unknown, { deliveryId }: LookupRequest): LookupAnswer | null {
  const items = at(json, 'items');
  if (!Array.isArray(items)) return null;
  const ours: unknown = items.find((each) => textAt(each, 'user-variables', FIELD) === deliveryId);
  const providerMessageId = withoutBrackets(textAt(ours, 'message', 'headers', 'message-id'));
  if (providerMessageId !== null) return { kind: 'found', providerMessageId };
  if (ours === undefined && items.length < PAGE) return { kind: 'absent' };
  return { kind: 'cannot-tell', reason: 'it is not on the first page of the log' };
}

const RULES: Rules = {
  apiKey: { ...TOKEN_RULE, required: true },
  domain: {
    must: 'a domain name',
    fits: (value) => typeof value === 'string' && /^[\w-]+(\.[\w-]+)+$/.test(value),
    required: true,
  },
  from: SENDER_RULE,
  ...API_RULES,
} satisfies Record<keyof MailgunOptions, Rule>;
