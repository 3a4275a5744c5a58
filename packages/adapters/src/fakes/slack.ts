import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { bearerIn, isObject, isText, jsonIn } from './support/read.ts';
import type { Read, Refusal, Refusals, Vendor } from './support/vendor.ts';
import { json, type WireRequest } from './support/wire.ts';

const BY_MEANING = {
  'permanent-destination': ['channel_not_found', 'not_in_channel', 'is_archived', 'user_not_found', 'cannot_dm_bot'],
  'permanent-message': ['msg_too_long', 'no_text', 'invalid_blocks', 'too_many_attachments', 'metadata_too_large'],
  'auth-config': [
    'not_authed',
    'invalid_auth',
    'account_inactive',
    'token_revoked',
    'token_expired',
    'missing_scope',
    'not_allowed_token_type',
    'restricted_action',
  ],
  'rate-limited': ['ratelimited', 'rate_limited'],
  ambiguous: ['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable'],
} as const;

/** `error` of an answer whose status of HTTP is 200. */
export type SlackCode = (typeof BY_MEANING)[keyof typeof BY_MEANING][number];

const THROTTLED: readonly string[] = BY_MEANING['rate-limited'];

const REFUSALS = Object.fromEntries(
  Object.entries(BY_MEANING).flatMap(([means, codes]) =>
    codes.map((code) => [code, { status: THROTTLED.includes(code) ? 429 : 200, says: code, means } as Refusal]),
  ),
) as Refusals<SlackCode>;

export interface FakeSlackOptions extends Behaviour<SlackCode> {
  /** The one token that is taken. @defaultValue any that begins with `xoxb-` */
  readonly token?: string;
  /** The channels and people there are. @defaultValue all */
  readonly channels?: readonly string[];
}

const MOST = { text: 40_000, blocks: 50, metadataBytes: 8_192 };

/** Slack's `POST /api/chat.postMessage`: 200 with `ok: false` where it refuses. It knows no repeats. */
export function fakeSlack(options: FakeSlackOptions = {}): WireFake<SlackCode> {
  return wireFake(vendor(options), options);
}

function vendor(options: FakeSlackOptions): Vendor<SlackCode> {
  return {
    name: 'slack',
    title: 'Slack chat.postMessage',
    origin: /^https:\/\/slack\.com\//,
    basePath: '/api',
    refusals: REFUSALS,
    throttles: 'ratelimited',
    isSend: ({ method, url }) => method === 'POST' && url.pathname === '/api/chat.postMessage',
    refusal: (error, _words, status) => json(status, { ok: false, error }),
    read: (request) => read(request, options),
    // Like Slack's `ts`, of which a channel has none twice.
    id: (nth) => `1700000000.${String(nth).padStart(6, '0')}`,
    taken: ([first]) =>
      json(200, { ok: true, channel: first?.to, ts: first?.id, message: { text: first?.body['text'] } }),
    notFound: json(200, { ok: false, error: 'unknown_method' }),
  };
}

function read(request: WireRequest, { token, channels }: FakeSlackOptions): Read<SlackCode> {
  const given = bearerIn(request);
  if (given === null) return { refused: 'not_authed' };
  if (token === undefined ? !given.startsWith('xoxb-') : given !== token) return { refused: 'invalid_auth' };
  const body = jsonIn(request);
  const { channel, text, blocks, metadata } = body ?? {};
  if (body === null || !isText(channel) || channels?.includes(channel) === false)
    return { refused: 'channel_not_found' };
  if (!isText(text) && blocks === undefined) return { refused: 'no_text' };
  if (isText(text) && text.length > MOST.text) return { refused: 'msg_too_long' };
  const areBlocks = Array.isArray(blocks) && blocks.length <= MOST.blocks && blocks.every(isObject);
  if (blocks !== undefined && !areBlocks) return { refused: 'invalid_blocks' };
  if (Buffer.byteLength(JSON.stringify(metadata ?? null)) > MOST.metadataBytes)
    return { refused: 'metadata_too_large' };
  return { to: [channel], key: null, body };
}
