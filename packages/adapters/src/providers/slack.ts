import { addressProblem, type MessageContent, type OutgoingMessage, type Provider } from '@sendonce/core';
import { canonicalJson, isFields, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { httpApi } from '../internal/api/http-api.ts';
import { at, textAt } from '../internal/api/json-path.ts';
import { API_RULES, apiUrl } from '../internal/api/options.ts';
import { codes, type OutcomeRow } from '../internal/api/outcome-table.ts';
import { badDestination, badMessage } from '../internal/api/reject.ts';
import { TOKEN_RULE } from '../internal/api/token.ts';
import { has, textIn } from '../internal/chat/text.ts';
import type { HttpPost } from '../internal/http/post.ts';
import { checkAdapter, invalid } from '../internal/options.ts';
import type { Rejection } from '../internal/rejection.ts';

export interface SlackOptions {
  /** `xoxb-...`: a bot's token with the scope `chat:write`. */
  readonly token: string;
  /** Who it is from, 1 to 80 characters in one line; needs the scope `chat:write.customize`. @defaultValue the bot's own name */
  readonly username?: string;
  /** Unique within the channel. @defaultValue 'slack' */
  readonly name?: string;
  /** @defaultValue https://slack.com/api */
  readonly baseUrl?: string | URL;
  /** How long a request may take, connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

const METHOD = 'https://docs.slack.dev/reference/methods/chat.postMessage';

/** The method's page: what is longer is cut off without a word. */
const LIMIT = { most: 40_000, counts: 'UTF-16 units' } as const;
/** https://docs.slack.dev/reference/block-kit/blocks */
const MOST_BLOCKS = 50;
/** The type of our metadata; the id is in its payload. */
const EVENT = 'sendonce_delivery';

/** What each answer proves: the HTTP status is 200, and `ok` false. */
const OUTCOMES: readonly OutcomeRow[] = [
  ...codes(
    null,
    ['channel_not_found', 'not_in_channel', 'is_archived', 'user_not_found', 'cannot_dm_bot'],
    'rejected destination',
    METHOD,
  ),
  ...codes(
    null,
    ['restricted_action_read_only_channel', 'restricted_action_thread_only_channel'],
    'rejected destination',
    `${METHOD}: nobody may post there`,
  ),
  ...codes(
    null,
    [
      ...['msg_too_long', 'no_text', 'invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long'],
      ...['too_many_attachments', 'metadata_too_large', 'invalid_metadata_format', 'invalid_arguments'],
    ],
    'rejected message',
    METHOD,
  ),
  ...codes(
    null,
    [
      ...['not_authed', 'invalid_auth', 'account_inactive', 'token_revoked', 'token_expired', 'missing_scope'],
      ...['not_allowed_token_type', 'restricted_action', 'no_permission', 'access_denied', 'ekm_access_denied'],
      ...['org_login_required', 'team_access_not_granted'],
    ],
    'rejected provider',
    `${METHOD}: the token, or what it may do`,
  ),
  ...codes(null, ['ratelimited', 'rate_limited'], 'deferred', 'https://docs.slack.dev/apis/web-api/rate-limits'),
  ...codes(null, ['internal_error', 'fatal_error'], 'unknown', `${METHOD}: part of it may have been done`),
  ...codes(null, ['request_timeout', 'service_unavailable', 'team_added_to_org'], 'unknown', METHOD),
];

/** What is known of Slack. */
export const SLACK: ProviderFacts = {
  name: 'slack',
  title: 'Slack chat.postMessage',
  channels: ['slack'],
  needs: null,
  capabilities: {
    idempotency: { kind: 'none' },
    lookup: 'none',
    correlation: { field: 'metadata.event_payload.id', maxBytes: 512 },
    coalesce: false,
  },
  id: 'channel and timestamp of the message (`C1:1503435956.000247`)',
  outcomes: OUTCOMES,
};

/**
 * Posts messages with a Slack bot, one channel or person per request. Slack drops no repeats and has no delivery events, so an unknown
 * outcome is for the class to decide.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function slack(options: SlackOptions): Provider {
  checkAdapter('slack', options, RULES);
  checkToken(options.token);
  const { name = SLACK.name, baseUrl = 'https://slack.com/api', timeoutMs = 15_000 } = options;
  const url = apiUrl(baseUrl, 'chat.postMessage');
  return httpApi({
    name,
    timeoutMs,
    capabilities: SLACK.capabilities,
    request: (message) => requestFor(message, url, options),
    idIn: ({ json }) => idIn(json),
    isRefusal: ({ json }) => at(json, 'ok') === false,
    codeIn: ({ json }) => textAt(json, 'error'),
    reasonIn: ({ json }) => textAt(json, 'response_metadata', 'messages', 0) ?? textAt(json, 'error'),
    table: OUTCOMES,
  });
}

function idIn(json: unknown): string | null {
  const [channel, ts] = [textAt(json, 'channel'), textAt(json, 'ts')];
  return at(json, 'ok') === true && channel !== null && ts !== null ? `${channel}:${ts}` : null;
}

function requestFor(
  { to, content, deliveryId }: OutgoingMessage,
  url: URL,
  { token, username }: SlackOptions,
): HttpPost | Rejection {
  const channel = to.trim();
  const problem =
    addressProblem('slack', to) ?? (CHANNEL.test(channel) ? null : "neither an id ('C0123ABCD') nor a name");
  if (problem !== null) return badDestination(`the address cannot be used: ${problem}`);
  const body = bodyOf(content);
  if ('kind' in body) return body;
  return {
    url,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' },
    body: canonicalJson({
      channel,
      ...body,
      ...(username !== undefined && { username }),
      metadata: { event_type: EVENT, event_payload: { id: deliveryId } },
    }),
  };
}

/** The id of a channel, a group, a conversation or a person; else the name of a channel: small letters of any script. */
const CHANNEL = /^(?:[CDGUW][A-Z0-9]{2,30}|#?[\p{Ll}\p{Lo}\p{M}\p{N}_-]{1,80})$/u;

interface Body {
  readonly text: string;
  readonly mrkdwn?: boolean;
  readonly blocks?: readonly unknown[];
}

/** The text as it is; or `mrkdwn` in Slack's own markup; `blocks` beside either, which then is what notifications show. */
function bodyOf(content: MessageContent): Body | Rejection {
  const isMarkup = has(content, 'mrkdwn');
  const text = textIn(content, isMarkup ? 'mrkdwn' : 'text', LIMIT);
  if (typeof text !== 'string') return text;
  const shown = isMarkup ? { text } : { text: literal(text), mrkdwn: false };
  if (shown.text.length > LIMIT.most)
    return badMessage(`content.text is longer than ${LIMIT.most} with &, < and > escaped`);
  if (!has(content, 'blocks')) return shown;
  const { blocks } = content;
  const isOne = (each: unknown): boolean => isFields(each) && typeof each['type'] === 'string';
  if (Array.isArray(blocks) && blocks.length >= 1 && blocks.length <= MOST_BLOCKS && blocks.every(isOne))
    return { ...shown, blocks: blocks as readonly unknown[] };
  return badMessage(`content.blocks must be a list of 1 to ${MOST_BLOCKS} objects, each with a type`);
}

/** Somebody's name must not call a whole channel: https://docs.slack.dev/messaging/formatting-message-text, escaping text. */
function literal(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A bot's or a person's, also one that is rotated: https://docs.slack.dev/authentication/tokens */
const TOKEN = /^(?:xoxe\.)?xox[bp]-/;
/** What else an app's pages show, by how it begins. */
const OTHERS: readonly (readonly [begins: RegExp, is: string])[] = [
  [/^xapp-/, "an app-level token ('xapp-...'), which opens sockets"],
  [/^xoxe-/, "a refresh token ('xoxe-...')"],
  [/^xox[a-z]-/, 'a token of another kind'],
  [/^https?:/, "an address; an incoming webhook's is no token"],
  [/^Bearer\b/i, "a whole header; leave out 'Bearer'"],
];

/** Nothing of the token is shown. @throws SendonceError OPTION_INVALID */
function checkToken(token: string): void {
  if (TOKEN.test(token)) return;
  const is = OTHERS.find(([begins]) => begins.test(token))?.[1] ?? `a text of ${token.length} characters`;
  invalid(`slack: token must be a bot's, which begins with 'xoxb-' (the app's page 'OAuth & Permissions'), got ${is}`);
}

const RULES: Rules = {
  token: { ...TOKEN_RULE, required: true },
  username: {
    must: 'a text of 1 to 80 characters without line breaks or invisible characters',
    // A name, as an inbox may have one: an address of Slack's own has no spaces.
    fits: (value) => typeof value === 'string' && value.length <= 80 && addressProblem('in-app', value) === null,
  },
  ...API_RULES,
} satisfies Record<keyof SlackOptions, Rule>;
