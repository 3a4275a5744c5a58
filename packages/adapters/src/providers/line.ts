import { addressProblem, type MessageContent, type Outcome, type OutgoingMessage, type Provider } from '@sendonce/core';
import { BOOLEAN_RULE, canonicalJson, isFields, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi, type ApiAnswer } from '../internal/api/http-api.ts';
import { textAt } from '../internal/api/json-path.ts';
import { API_RULES, apiUrl } from '../internal/api/options.ts';
import { codes, rows, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { badDestination, badMessage } from '../internal/api/reject.ts';
import { TOKEN_RULE } from '../internal/api/token.ts';
import { has, textIn } from '../internal/chat/text.ts';
import type { HttpPost } from '../internal/http/post.ts';
import { checkAdapter } from '../internal/options.ts';
import type { Rejection } from '../internal/rejection.ts';
import { namedUuid } from '../internal/uuid.ts';

export interface LineOptions {
  /** Of the channel that sends. */
  readonly channelAccessToken: string;
  /** Whether messages arrive without a sound. @defaultValue false */
  readonly notificationDisabled?: boolean;
  /** Unique within the channel; renaming it changes the key of what is sent again. @defaultValue 'line' */
  readonly name?: string;
  /** @defaultValue https://api.line.me */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

const RETRYING = 'https://developers.line.biz/en/docs/messaging-api/retrying-api-request/';
const LIMITED = 'https://developers.line.biz/en/docs/messaging-api/handling-http-429-errors/';
const REFERENCE = 'https://developers.line.biz/en/reference/messaging-api/';

/** The page on retrying: a retry key is valid for 24 hours after its first request. */
const KEY_WINDOW_MS = 24 * 3_600_000;
/** The reference, text message: counted in units of UTF-16. */
const LIMIT = { most: 5_000, counts: 'UTF-16 units' } as const;
/** The reference, push message. */
const MOST_MESSAGES = 5;
/** Ours alone: so that nobody else's UUIDs meet our retry keys. */
const NAMESPACE = 'faa6e2b8-f7a2-47b8-a7fd-f9a63c132af6';

/** What each answer proves. LINE has no codes: its message is the code. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...codes(400, ['Failed to send messages'], 'rejected destination', `${REFERENCE}#error-messages: no such user`),
  ...codes(
    400,
    ["The property, 'to', in the request body is invalid (line: -, column: -)"],
    'rejected destination',
    `${REFERENCE}#error-messages`,
  ),
  ...rows([400], 'rejected message', `${REFERENCE}#status-codes: a problem with the request`),
  ...codes(
    429,
    ['You have reached your monthly limit.'],
    'rejected provider',
    `${LIMITED}: the messages of the plan are spent`,
  ),
  ...rows([429], 'deferred', `${LIMITED}: refused before anything was done`),
  // Accepted earlier, but the header that names the first request is missing.
  ...rows([409], 'unknown', RETRYING),
];

/** What is known of LINE. */
export const LINE: ProviderFacts = {
  name: 'line',
  title: 'LINE Messaging API',
  channels: ['line'],
  needs: null,
  capabilities: {
    idempotency: { kind: 'key', windowMs: KEY_WINDOW_MS },
    lookup: 'none',
    // There are no events about messages that were pushed.
    correlation: 'none',
    coalesce: false,
  },
  id: "LINE's id of the request that was accepted",
  outcomes: OUTCOMES,
};

/**
 * Pushes messages through LINE, one recipient per request. LINE remembers retry keys for 24 hours and answers a repeat with the id of the
 * request that it accepted, so an unknown outcome is resolved by asking again.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function line(options: LineOptions): Provider {
  checkAdapter('line', options, RULES);
  const { name = LINE.name, baseUrl = 'https://api.line.me', timeoutMs = 15_000 } = options;
  const url = apiUrl(baseUrl, 'v2/bot/message/push');
  return httpApi({
    name,
    timeoutMs,
    capabilities: LINE.capabilities,
    request: (message, key) => requestFor(message, key, url, options),
    idIn: ({ headers }) => headerIn(headers, 'x-line-request-id'),
    codeIn: ({ json }) => textAt(json, 'message'),
    reasonIn: ({ json }) => textAt(json, 'details', 0, 'message'),
    special: acceptedEarlier,
    table: OUTCOMES,
  });
}

function requestFor(
  { to, content }: OutgoingMessage,
  key: string,
  url: URL,
  { channelAccessToken, notificationDisabled = false }: LineOptions,
): HttpPost | Rejection {
  const problem =
    addressProblem('line', to) ??
    (ID.test(to.trim()) ? null : "not an id of LINE: 'U', 'C' or 'R' and 32 hexadecimal digits");
  if (problem !== null) return badDestination(`the address cannot be used: ${problem}`);
  const messages = messagesOf(content);
  if ('kind' in messages) return messages;
  return {
    url,
    headers: {
      authorization: `Bearer ${channelAccessToken}`,
      'content-type': 'application/json',
      'x-line-retry-key': namedUuid(NAMESPACE, key),
    },
    body: canonicalJson({ to: to.trim(), messages, ...(notificationDisabled && { notificationDisabled }) }),
  };
}

/** A user, a group or a room: https://developers.line.biz/en/docs/messaging-api/getting-user-ids/ */
const ID = /^[UCR][0-9a-f]{32}$/;

/** `content.messages` as LINE has them (flex, stickers, ...), else the text. */
function messagesOf(content: MessageContent): readonly unknown[] | Rejection {
  if (!has(content, 'messages')) {
    const text = textIn(content, 'text', LIMIT);
    return typeof text === 'string' ? [{ type: 'text', text }] : text;
  }
  const { messages } = content;
  const isOne = (each: unknown): boolean => isFields(each) && typeof each['type'] === 'string';
  if (Array.isArray(messages) && messages.length >= 1 && messages.length <= MOST_MESSAGES && messages.every(isOne))
    return messages as readonly unknown[];
  return badMessage(`content.messages must be a list of 1 to ${MOST_MESSAGES} objects, each with a type`);
}

/** A repeat of what was accepted is refused, and says which request that was. */
function acceptedEarlier({ status, headers }: ApiAnswer): Outcome | null {
  const providerMessageId = status === 409 ? headerIn(headers, 'x-line-accepted-request-id') : null;
  return providerMessageId === null ? null : { kind: 'accepted', providerMessageId };
}

function headerIn(headers: ApiAnswer['headers'], name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

const RULES: Rules = {
  channelAccessToken: { ...TOKEN_RULE, required: true },
  notificationDisabled: BOOLEAN_RULE,
  ...API_RULES,
} satisfies Record<keyof LineOptions, Rule>;
