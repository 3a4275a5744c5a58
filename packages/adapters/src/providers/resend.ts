import type { OutgoingMessage, Provider } from '@sendonce/core';
import type { Rule, Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi, type ApiAnswer } from '../internal/api/http-api.ts';
import { textAt } from '../internal/api/json-path.ts';
import { API_RULES, apiUrl } from '../internal/api/options.ts';
import { codes, rows, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { TOKEN_RULE } from '../internal/api/token.ts';
import { SENDER_RULE, senderOf, wireAddress, written, type EmailAddress } from '../internal/email/address.ts';
import { base64Length, MB, tooLong } from '../internal/email/limits.ts';
import { mailOf, type Mail } from '../internal/email/mail.ts';
import type { HttpPost } from '../internal/http/post.ts';
import { checkAdapter } from '../internal/options.ts';
import type { Rejection } from '../internal/rejection.ts';

export interface ResendOptions {
  /** `re_...` */
  readonly apiKey: string;
  /** The sender: `a@example.com`, `Name <a@example.com>`, or `{ name, address }`. */
  readonly from: string | EmailAddress;
  /** Unique within the channel; renaming it changes the key of what is sent again. @defaultValue 'resend' */
  readonly name?: string;
  /** @defaultValue https://api.resend.com */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

/** Kept for 24 hours: https://resend.com/docs/dashboard/emails/idempotency-keys */
const KEY_WINDOW_MS = 24 * 3_600_000;
/** In which our delivery id travels, and comes back in events. */
const TAG = 'sendonce_delivery';

const ERRORS = 'https://resend.com/docs/api-reference/errors';

/** What each answer proves. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...codes(403, ['validation_error'], 'rejected provider', `${ERRORS}: a domain that is not verified`),
  ...codes(422, ['invalid_from_address'], 'rejected provider', ERRORS),
  ...codes(
    null,
    [
      ...[
        'validation_error',
        'missing_required_field',
        'missing_required_fields',
        'invalid_attachment',
        'invalid_parameter',
      ],
      ...['invalid_region', 'invalid_idempotency_key', 'security_error'],
    ],
    'rejected message',
    ERRORS,
  ),
  ...codes(
    null,
    ['missing_api_key', 'restricted_api_key', 'invalid_api_key', 'invalid_access', 'not_found', 'method_not_allowed'],
    'rejected provider',
    ERRORS,
  ),
  // The key was used with other bytes: what that request came to, this answer does not say.
  ...codes(409, ['invalid_idempotent_request'], 'unknown', ERRORS),
  // Another request with this key is under way.
  ...codes(409, ['concurrent_idempotent_requests'], 'unknown', ERRORS),
  ...codes(429, ['daily_quota_exceeded', 'monthly_quota_exceeded'], 'rejected provider', ERRORS),
  ...rows([451], 'rejected message', ERRORS),
];

/** What is known of Resend. */
export const RESEND: ProviderFacts = {
  name: 'resend',
  title: 'Resend',
  channels: ['email'],
  needs: null,
  capabilities: {
    idempotency: { kind: 'key', windowMs: KEY_WINDOW_MS },
    lookup: 'none',
    correlation: { field: TAG, maxBytes: 256 },
    coalesce: false,
  },
  id: "Resend's id of the mail",
  outcomes: OUTCOMES,
};

/**
 * Sends mail through Resend's API, one recipient per request. Resend remembers keys for 24 hours and answers a repeat with the first
 * answer, so an unknown outcome is resolved by asking again.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function resend(options: ResendOptions): Provider {
  checkAdapter('resend', options, RULES);
  const { apiKey, name = RESEND.name, baseUrl = 'https://api.resend.com', timeoutMs = 15_000 } = options;
  const from = senderOf('resend: from', options.from);
  const url = apiUrl(baseUrl, 'emails');
  return httpApi({
    name,
    timeoutMs,
    capabilities: RESEND.capabilities,
    request: (message, key) => requestFor(message, key, { url, from, apiKey }),
    idIn: ({ json }) => textAt(json, 'id'),
    codeIn: ({ json }) => textAt(json, 'name'),
    reasonIn: ({ json }) => textAt(json, 'message'),
    scopeIn,
    table: OUTCOMES,
  });
}

interface Fixed {
  readonly url: URL;
  readonly from: EmailAddress;
  readonly apiKey: string;
}

/** All attachments of a mail, encoded: https://resend.com/docs/dashboard/emails/attachments */
const MOST_BYTES = 40 * MB;

function requestFor(message: OutgoingMessage, key: string, { url, from, apiKey }: Fixed): HttpPost | Rejection {
  const mail = mailOf(message, key, from);
  if ('kind' in mail) return mail;
  return (
    tooLong('content.attachments', base64Length(mail.attachments), MOST_BYTES) ?? {
      url,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(bodyOf(mail)),
    }
  );
}

function bodyOf({ from, to, subject, text, html, headers, attachments, deliveryId }: Mail): object {
  return {
    from: written(from),
    to: [wireAddress(to)],
    subject,
    ...(text !== null && { text }),
    ...(html !== null && { html }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(attachments.length > 0 && {
      attachments: attachments.map(({ filename, content, contentType, cid }) => ({
        filename,
        content: content.toString('base64'),
        ...(contentType !== null && { content_type: contentType }),
        ...(cid !== null && { content_id: cid }),
      })),
    }),
    tags: [{ name: TAG, value: deliveryId }],
  };
}

/** Resend has one code for every field that is wrong: that it is the address, and not the message, only its words say. */
function scopeIn({ status, json }: ApiAnswer): 'destination' | null {
  const isAboutTo = /`to`/.test(textAt(json, 'message') ?? '');
  return status === 422 && textAt(json, 'name') === 'validation_error' && isAboutTo ? 'destination' : null;
}

const RULES: Rules = {
  apiKey: { ...TOKEN_RULE, required: true },
  from: SENDER_RULE,
  ...API_RULES,
} satisfies Record<keyof ResendOptions, Rule>;
