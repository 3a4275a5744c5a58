import type { OutgoingMessage, Provider } from '@sendonce/core';
import type { Rule, Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi, type ApiAnswer } from '../internal/api/http-api.ts';
import { at, textAt } from '../internal/api/json-path.ts';
import { API_RULES, apiUrl } from '../internal/api/options.ts';
import { rows, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { TOKEN_RULE } from '../internal/api/token.ts';
import { SENDER_RULE, senderOf, wireAddress, type EmailAddress } from '../internal/email/address.ts';
import { MB, tooLong } from '../internal/email/limits.ts';
import { mailOf, type Mail } from '../internal/email/mail.ts';
import { replyToOf, type ReplyTo } from '../internal/email/reply-to.ts';
import type { HttpPost } from '../internal/http/post.ts';
import { checkAdapter } from '../internal/options.ts';
import type { Rejection } from '../internal/rejection.ts';

export interface SendgridOptions {
  /** `SG....`, with the permission Mail Send. */
  readonly apiKey: string;
  /** The sender: `a@example.com`, `Name <a@example.com>`, or `{ name, address }`. A verified identity at SendGrid. */
  readonly from: string | EmailAddress;
  /** Unique within the channel; renaming it forgets which attempts went through it. @defaultValue 'sendgrid' */
  readonly name?: string;
  /** `https://api.eu.sendgrid.com` for accounts in the EU. @defaultValue https://api.sendgrid.com */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

/** In which our delivery id travels. It comes back as a field of each event, beside SendGrid's own. */
const FIELD = 'sendonce_delivery';

const DOCS = 'https://www.twilio.com/docs/sendgrid/api-reference';
const ERRORS = `${DOCS}/mail-send/errors`;

/** What each answer proves. SendGrid has no codes; what a 400 is about is told by the field that it names. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...rows([400], 'rejected message', `${ERRORS}: a field is wrong`),
  ...rows([401, 403], 'rejected provider', `${ERRORS}: the key, the sender identity or the plan`),
  ...rows([404, 405], 'rejected provider', `${ERRORS}: no such API at this address`),
  ...rows([413], 'rejected message', `${ERRORS}: longer than 30 MB`),
  ...rows([429], 'deferred', `${DOCS}/how-to-use-the-sendgrid-v3-api/rate-limits`),
];

/** What is known of SendGrid. */
export const SENDGRID: ProviderFacts = {
  name: 'sendgrid',
  title: 'Twilio SendGrid',
  channels: ['email'],
  needs: null,
  capabilities: {
    idempotency: { kind: 'none' },
    lookup: 'none',
    correlation: { field: FIELD, maxBytes: 10_000 },
    coalesce: false,
  },
  id: 'X-Message-Id; `sg_message_id` of events begins with it, up to the first dot',
  outcomes: OUTCOMES,
};

/**
 * Sends mail through SendGrid's API, one recipient per request. SendGrid drops no repeats, and can be asked for single mails only by paid
 * add-ons, so what had no answer waits for its events.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function sendgrid(options: SendgridOptions): Provider {
  checkAdapter('sendgrid', options, RULES);
  const { apiKey, name = SENDGRID.name, baseUrl = 'https://api.sendgrid.com', timeoutMs = 15_000 } = options;
  const from = senderOf('sendgrid: from', options.from);
  const url = apiUrl(baseUrl, 'v3/mail/send');
  return httpApi({
    name,
    timeoutMs,
    capabilities: SENDGRID.capabilities,
    request: (message, key) => requestFor(message, key, { url, from, apiKey }),
    idIn: ({ headers }) => idIn(headers['x-message-id']),
    codeIn: () => null,
    reasonIn: ({ json }) => textAt(json, 'errors', 0, 'message'),
    special: byItsField,
    waitIn,
    table: OUTCOMES,
  });
}

interface Fixed {
  readonly url: URL;
  readonly from: EmailAddress;
  readonly apiKey: string;
}

/** Headers with which SendGrid is told things by SMTP, and its own. */
const COMMANDS = /^x-(smtpapi|sg-.*)$/i;
/** https://www.twilio.com/docs/sendgrid/api-reference/mail-send/limitations */
const MOST_BYTES = 30 * MB;

function requestFor(message: OutgoingMessage, key: string, { url, from, apiKey }: Fixed): HttpPost | Rejection {
  // As its support says: https://github.com/sendgrid/sendgrid-csharp/issues/656
  const mail = mailOf(message, key, from, { commands: COMMANDS, asciiOnly: 'SendGrid' });
  if ('kind' in mail) return mail;
  const reply = replyToOf(mail);
  if ('kind' in reply) return reply;
  const body = JSON.stringify(bodyOf(mail, reply));
  return (
    tooLong('the mail', Buffer.byteLength(body), MOST_BYTES) ?? {
      url,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body,
    }
  );
}

function bodyOf(mail: Mail, { replyTo, headers }: ReplyTo): object {
  const { from, to, subject, text, html, attachments, deliveryId } = mail;
  return {
    personalizations: [{ to: [{ email: wireAddress(to) }] }],
    from: addressed(from),
    ...(replyTo !== null && { reply_to: addressed(replyTo) }),
    subject,
    // Plain text has to come first.
    content: [
      ...(text === null ? [] : [{ type: 'text/plain', value: text }]),
      ...(html === null ? [] : [{ type: 'text/html', value: html }]),
    ],
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(attachments.length > 0 && { attachments: attachments.map(attached) }),
    custom_args: { [FIELD]: deliveryId },
  };
}

function addressed({ name, address }: EmailAddress): object {
  return { email: wireAddress(address), ...(name !== '' && { name }) };
}

function attached({ filename, content, contentType, cid }: Mail['attachments'][number]): object {
  return {
    filename,
    content: content.toString('base64'),
    ...(contentType !== null && { type: contentType }),
    ...(cid !== null && { content_id: cid, disposition: 'inline' }),
  };
}

function idIn(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' ? header : null;
}

const FIELDS: readonly (readonly [field: RegExp, scope: Rejection['scope']])[] = [
  [/^personalizations\.\d+\.to\b/, 'destination'],
  [/^from\b/, 'provider'],
];

/** A complaint about a field is about where it goes, or about who sends, under the same status as any other. */
function byItsField({ status, json }: ApiAnswer): Rejection | null {
  const [field, reason] = [textAt(json, 'errors', 0, 'field') ?? '', textAt(json, 'errors', 0, 'message') ?? ''];
  const isOnly = at(json, 'errors', 1) === undefined;
  const scope = status === 400 && isOnly ? FIELDS.find(([pattern]) => pattern.test(field))?.[1] : undefined;
  if (scope === undefined) return null;
  return { kind: 'rejected', scope, reason: `HTTP 400 (${field}): ${reason.slice(0, 200)}`, code: field };
}

/** SendGrid says when its window begins again, as a time in seconds. */
function waitIn({ headers }: ApiAnswer): number | null {
  const reset = Number(headers['x-ratelimit-reset'] ?? NaN);
  // By the clock of the service, where it shows it.
  const now = Date.parse(headers.date ?? '');
  return Number.isNaN(reset) ? null : reset * 1_000 - (Number.isNaN(now) ? Date.now() : now);
}

const RULES: Rules = {
  apiKey: { ...TOKEN_RULE, required: true },
  from: SENDER_RULE,
  ...API_RULES,
} satisfies Record<keyof SendgridOptions, Rule>;
