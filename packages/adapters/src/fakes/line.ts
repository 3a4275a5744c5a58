import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { bearerIn, isObject, isText, jsonIn } from './support/read.ts';
import type { Read, Vendor } from './support/vendor.ts';
import { json, type WireRequest } from './support/wire.ts';

/** LINE has no codes; these are its statuses, and what its words are about where one says several things. */
const CODES = {
  '400': { status: 400, says: 'The request body has 1 error(s)', means: 'permanent-message' },
  '400-user': { status: 400, says: 'Failed to send messages', means: 'permanent-destination' },
  '400-to': {
    status: 400,
    says: "The property, 'to', in the request body is invalid (line: -, column: -)",
    means: 'permanent-destination',
  },
  '401': {
    status: 401,
    says: 'Authentication failed. Confirm that the access token in the authorization header is valid.',
    means: 'auth-config',
  },
  '403': { status: 403, says: 'Not authorized to use the endpoint.', means: 'auth-config' },
  '413': {
    status: 413,
    says: 'Request exceeds the max size of 2MB. Make the request smaller than 2MB and try again.',
    means: 'permanent-message',
  },
  '429': { status: 429, says: 'The API rate limit has been exceeded. Try again later.', means: 'rate-limited' },
  '429-quota': { status: 429, says: 'You have reached your monthly limit.', means: 'auth-config' },
  '500': { status: 500, says: 'Internal Server Error', means: 'ambiguous' },
} as const;

export type LineCode = keyof typeof CODES;

export interface FakeLineOptions extends Behaviour<LineCode> {
  /** The one token that is taken. @defaultValue any */
  readonly channelAccessToken?: string;
  /** Whether these users, groups and rooms alone are friends. @defaultValue everybody is */
  readonly friends?: readonly string[];
}

const DAY_MS = 86_400_000;
const MOST = { bytes: 2 * 1_048_576, messages: 5, text: 5_000 };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** LINE's `POST /v2/bot/message/push`. It knows an `X-Line-Retry-Key` for 24 hours from its acceptance, and does not compare bodies. */
export function fakeLine(options: FakeLineOptions = {}): WireFake<LineCode> {
  return wireFake(vendor(options), options);
}

function vendor(options: FakeLineOptions): Vendor<LineCode> {
  let requests = 0;
  const REQUEST_ID = 'x-line-request-id';
  const requestId = (): string => `00000000-0000-4000-a000-${String((requests += 1)).padStart(12, '0')}`;
  return {
    name: 'line',
    title: 'LINE Messaging API',
    origin: /^https:\/\/api\.line\.me\//,
    refusals: CODES,
    throttles: '429',
    isSend: ({ method, url }) => method === 'POST' && url.pathname === '/v2/bot/message/push',
    refusal: (_code, message, status) => json(status, { message }, { [REQUEST_ID]: requestId() }),
    wait: (answer) => answer,
    read: (request) => read(request, options),
    // The id of the request: each message has one of its own beside.
    id: requestId,
    taken: ([first]) => json(200, sent(first?.id ?? ''), { [REQUEST_ID]: first?.id ?? '' }),
    keys: {
      windowMs: DAY_MS,
      repeat: ({ accepted: [first] }) =>
        json(
          409,
          { message: 'The retry key is already accepted', ...sent(first?.id ?? '') },
          { [REQUEST_ID]: requestId(), 'x-line-accepted-request-id': first?.id ?? '' },
        ),
    },
    notFound: json(404, { message: 'Not found' }),
  };
}

function sent(requestId: string): object {
  return { sentMessages: [{ id: requestId.replace(/\D/g, ''), quoteToken: 'fake' }] };
}

function read(request: WireRequest, { channelAccessToken, friends }: FakeLineOptions): Read<LineCode> {
  const token = bearerIn(request);
  if (token === null || (channelAccessToken !== undefined && token !== channelAccessToken)) return { refused: '401' };
  if (request.bytes.length > MOST.bytes) return { refused: '413' };
  const { 'x-line-retry-key': key = null } = request.headers;
  if (key !== null && !UUID.test(key)) return { refused: '400', words: 'The value of X-Line-Retry-Key is invalid' };
  const body = jsonIn(request);
  const { to, messages } = body ?? {};
  if (body === null) return { refused: '400', words: 'The request body could not be parsed as JSON' };
  if (!isText(to) || !/^[UCR][0-9a-f]{32}$/.test(to)) return { refused: '400-to' };
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MOST.messages) return { refused: '400' };
  if (!messages.every(isMessage)) return { refused: '400' };
  if (friends?.includes(to) === false) return { refused: '400-user' };
  return { to: [to], key, body };
}

function isMessage(each: unknown): boolean {
  if (!isObject(each) || !isText(each['type'])) return false;
  const { type, text } = each;
  return type !== 'text' || (isText(text) && text.length <= MOST.text);
}
