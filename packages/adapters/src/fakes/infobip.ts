import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { isObject, isText, jsonIn } from './support/read.ts';
import { smsParts } from './support/sms-parts.ts';
import type { Log, Read, Vendor } from './support/vendor.ts';
import { json, type WireAnswer, type WireRequest } from './support/wire.ts';

/** Statuses of a message, in an answer of 200; and what is refused by HTTP. */
const CODES = {
  '6': { status: 200, says: 'Network is forbidden', means: 'auth-config' },
  '8': { status: 200, says: 'Prefix missing', means: 'permanent-destination' },
  '10': { status: 200, says: 'Recipient is in DND', means: 'permanent-destination' },
  '11': { status: 200, says: 'Invalid source address', means: 'auth-config' },
  '12': { status: 200, says: 'Not enough credits', means: 'auth-config' },
  '13': { status: 200, says: 'Sender has been blocklisted', means: 'auth-config' },
  '14': { status: 200, says: 'Destination has been blocklisted', means: 'permanent-destination' },
  '18': { status: 200, says: 'Destination not registered', means: 'permanent-destination' },
  '19': { status: 200, says: 'Route not available', means: 'auth-config' },
  '20': { status: 200, says: 'Rejected by flooding filter', means: 'rate-limited' },
  '21': { status: 200, says: 'System error', means: 'ambiguous' },
  '23': { status: 200, says: 'Duplicate message id', means: 'accepted' },
  '25': { status: 200, says: 'Message too long', means: 'permanent-message' },
  '51': { status: 200, says: 'Missing destination', means: 'permanent-destination' },
  '52': { status: 200, says: 'Invalid destination', means: 'permanent-destination' },
  '87': { status: 200, says: 'Blocked by signals', means: 'permanent-destination' },
  'http-400': {
    status: 400,
    code: 'E400',
    says: 'Request cannot be processed. Check the provided violations.',
    means: 'permanent-message',
  },
  'http-401': {
    status: 401,
    code: 'E401',
    says: 'The request lacks valid authentication credentials.',
    means: 'auth-config',
  },
  'http-403': { status: 403, code: 'E403', says: 'The account may not do this.', means: 'auth-config' },
  'http-429': { status: 429, code: 'E429', says: 'Too many requests.', means: 'rate-limited' },
  'http-500': { status: 500, code: 'E500', says: 'Something went wrong.', means: 'ambiguous' },
} as const;

export type InfobipCode = keyof typeof CODES;

export interface FakeInfobipOptions extends Behaviour<InfobipCode> {
  /** The one key that is taken. @defaultValue any */
  readonly apiKey?: string;
  /** How long a repeated message id is refused, ms; the vendor names no time. 0: repeats are taken, as on an account without that agreement. @defaultValue 48 hours */
  readonly duplicateWindowMs?: number;
}

const HOUR_MS = 3_600_000;
const MOST_PARTS = 25;
const MOST_ID = 200;
const SETTLE_MS = 60_000;

/** Infobip's `POST /sms/3/messages`, and its logs of 48 hours, `GET /sms/3/logs`. It refuses a message id that it has seen. */
export function fakeInfobip(options: FakeInfobipOptions = {}): WireFake<InfobipCode> {
  return wireFake(vendor(options), options);
}

function vendor({ apiKey, duplicateWindowMs = 48 * HOUR_MS }: FakeInfobipOptions): Vendor<InfobipCode> {
  const isKnown = ({ headers }: WireRequest): boolean => {
    const key = /^App (.+)$/.exec(headers['authorization'] ?? '')?.[1];
    return apiKey === undefined ? key !== undefined : key === apiKey;
  };
  const unknown = refusalOf('E401', CODES['http-401'].says, 401);
  return {
    name: 'infobip',
    title: 'Infobip SMS',
    origin: /^https:\/\/[\w-]+\.api(-[\w-]+)?\.infobip\.com\//,
    refusals: CODES,
    throttles: 'http-429',
    isSend: ({ method, url }) => method === 'POST' && url.pathname === '/sms/3/messages',
    refusal: refusalOf,
    read: (request) => (isKnown(request) ? read(request) : { refused: 'http-401' }),
    id: (nth, request) => textOf(messageIn(request)?.destination['messageId']) ?? `fake-infobip-${nth}`,
    taken: (accepted) =>
      json(200, { messages: accepted.map(({ id, to }) => ({ messageId: id, destination: to, status: PENDING })) }),
    keys: {
      windowMs: duplicateWindowMs,
      repeat: ({ accepted: [first] }) =>
        json(200, {
          messages: [{ messageId: first?.id, destination: first?.to, status: statusOf('23', CODES['23'].says) }],
        }),
    },
    settleMs: SETTLE_MS,
    elsewhere(request, log) {
      if (request.method !== 'GET' || request.url.pathname !== '/sms/3/logs') return null;
      return isKnown(request) ? logs(request.url.searchParams, log) : unknown;
    },
    notFound: refusalOf('E404', 'There is no such resource.', 404),
  };
}

const PENDING = {
  groupId: 1,
  groupName: 'PENDING',
  id: 26,
  name: 'PENDING_ACCEPTED',
  description: 'Message sent to next instance',
};

function statusOf(id: string, description: string): object {
  return { groupId: 5, groupName: 'REJECTED', id: Number(id), name: `REJECTED_${id}`, description };
}

/** A refused message is told in an answer of 200; a refused request in one of its own. */
function refusalOf(code: string, words: string, status: number): WireAnswer {
  if (status !== 200) return json(status, { errorCode: code, description: words, action: '', violations: [] });
  return json(200, {
    messages: [{ messageId: 'fake-infobip-refused', destination: '', status: statusOf(code, words) }],
  });
}

function textOf(value: unknown): string | null {
  return isText(value) ? value : null;
}

interface Sms {
  readonly message: Readonly<Record<string, unknown>>;
  readonly destination: Readonly<Record<string, unknown>>;
}

function messageIn(request: WireRequest): Sms | null {
  const messages = jsonIn(request)?.['messages'];
  const message: unknown = Array.isArray(messages) ? messages[0] : null;
  if (!isObject(message) || !Array.isArray(message['destinations'])) return null;
  const destination: unknown = message['destinations'][0];
  return isObject(destination) ? { message, destination } : null;
}

function read(request: WireRequest): Read<InfobipCode> {
  const sms = messageIn(request);
  if (sms === null) return { refused: 'http-400', words: 'messages[0].destinations: must not be empty' };
  const { message, destination } = sms;
  const { to, messageId } = destination;
  const text = isObject(message['content']) ? message['content']['text'] : null;
  if (!isText(text)) return { refused: 'http-400', words: 'messages[0].content.text: must not be empty' };
  if (messageId !== undefined && (!isText(messageId) || messageId.length > MOST_ID))
    return { refused: 'http-400', words: 'messages[0].destinations[0].messageId: 200 characters at most' };
  if (!isText(to)) return { refused: '51' };
  if (!/^\+?[1-9]\d{6,14}$/.test(to)) return { refused: '52' };
  if (!isText(message['sender'])) return { refused: '11' };
  if (smsParts(text) > MOST_PARTS) return { refused: '25' };
  return { to: [to], key: textOf(messageId), body: message };
}

function logs(query: URLSearchParams, { settled, now }: Log): WireAnswer {
  const results = settled()
    .filter(({ at }) => now() - at < 48 * HOUR_MS)
    .filter(({ id, to }) => (query.get('messageId') ?? id) === id && (query.get('destination') ?? to) === to)
    .slice(0, Number(query.get('limit') ?? 50))
    .map(({ id, to, at, body }) => ({
      messageId: id,
      destination: to,
      sender: body['sender'],
      sentAt: new Date(at).toISOString(),
      status: PENDING,
      content: body['content'],
    }));
  return json(200, { results });
}
