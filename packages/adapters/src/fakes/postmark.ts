import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { isObject, isText, jsonIn, mailAddress } from './support/read.ts';
import type { Accepted, Log, Read, Refusals, Vendor } from './support/vendor.ts';
import { html, json, type WireAnswer, type WireRequest } from './support/wire.ts';

/** Postmark's ErrorCodes; and what only has a status of HTTP, whose numbers mean something else. */
export type PostmarkCode =
  | ('10' | '100' | '300' | '300-to' | '300-from' | '400' | '401' | '402' | '403' | '405' | '406' | '409' | '410')
  | ('411' | '412' | '413' | 'http-403' | 'http-413' | 'http-415' | 'http-429' | 'http-500' | 'http-503');

export interface FakePostmarkOptions extends Behaviour<PostmarkCode> {
  /** The one token that is taken, beside `POSTMARK_API_TEST`, by which nothing is sent. @defaultValue any */
  readonly serverToken?: string;
}

const REFUSALS: Refusals<PostmarkCode> = {
  '10': { status: 401, says: 'Bad or missing Server API token.', means: 'auth-config' },
  '100': { status: 422, says: 'The Postmark API is offline for maintenance.', means: 'transient' },
  '300': { status: 422, says: 'Invalid email request.', means: 'permanent-message' },
  '300-to': { status: 422, code: '300', says: "Invalid 'To' address: 'nobody'.", means: 'permanent-destination' },
  '300-from': { status: 422, code: '300', says: "Invalid 'From' address: 'nobody'.", means: 'auth-config' },
  '400': {
    status: 422,
    says: "The 'From' address you supplied is not a Sender Signature on your account.",
    means: 'auth-config',
  },
  '401': { status: 422, says: 'The sender signature is not confirmed.', means: 'auth-config' },
  '402': { status: 422, says: 'The JSON data you provided is syntactically incorrect.', means: 'permanent-message' },
  '403': { status: 422, says: 'Incompatible JSON: fields of the wrong type.', means: 'permanent-message' },
  '405': { status: 422, says: 'You ran out of credits.', means: 'auth-config' },
  '406': {
    status: 422,
    says: 'You tried to send to a recipient that has been marked as inactive.',
    means: 'permanent-destination',
  },
  '409': { status: 422, says: 'JSON required: Content-Type must be application/json.', means: 'permanent-message' },
  '410': { status: 422, says: 'Too many batch messages.', means: 'permanent-message' },
  '411': { status: 422, says: 'Forbidden attachment or sender.', means: 'auth-config' },
  '412': { status: 422, says: 'Your account is pending approval.', means: 'auth-config' },
  '413': { status: 422, says: 'Your account may not send.', means: 'auth-config' },
  'http-403': { status: 403, says: 'Forbidden', means: 'auth-config' },
  'http-413': { status: 413, says: 'Payload Too Large', means: 'permanent-message' },
  'http-415': { status: 415, says: 'Unsupported Media Type', means: 'permanent-message' },
  'http-429': { status: 429, says: 'Too Many Requests', means: 'rate-limited' },
  'http-500': { status: 500, says: 'Internal Server Error', means: 'ambiguous' },
  'http-503': { status: 503, says: 'Service Unavailable', means: 'ambiguous' },
};

const MB = 1_048_576;
const MOST = { body: 5 * MB, request: 10 * MB, recipients: 50, metadataName: 20, metadataValue: 80 };
/** The vendor names no lag; a search that knew everything at once would hide what a lag does. */
const SETTLE_MS = 60_000;

/** Postmark's `POST /email`, and its search `GET /messages/outbound`. It knows no repeats, but finds what has our metadata. */
export function fakePostmark(options: FakePostmarkOptions = {}): WireFake<PostmarkCode> {
  return wireFake(vendor(options), options);
}

function vendor({ serverToken }: FakePostmarkOptions): Vendor<PostmarkCode> {
  const isKnown = ({ headers }: WireRequest): boolean => {
    const token = headers['x-postmark-server-token'] ?? '';
    return token === 'POSTMARK_API_TEST' || (serverToken === undefined ? token !== '' : token === serverToken);
  };
  const refusal: Vendor<PostmarkCode>['refusal'] = (code, words, status) =>
    code.startsWith('http-') ? html(status, words) : json(status, { ErrorCode: Number(code), Message: words });
  const said = (code: PostmarkCode) => refusal(code, REFUSALS[code].says, REFUSALS[code].status);
  return {
    name: 'postmark',
    title: 'Postmark',
    origin: /^https:\/\/api\.postmarkapp\.com\//,
    refusals: REFUSALS,
    throttles: 'http-429',
    isSend: ({ method, url }) => method === 'POST' && url.pathname === '/email',
    refusal,
    read: (request) => (isKnown(request) ? read(request) : { refused: '10' }),
    id: (nth) => `00000000-0000-4000-9000-${String(nth).padStart(12, '0')}`,
    taken: ([first]) => answerTo(first?.to ?? '', first?.id ?? '', first?.at ?? 0),
    settleMs: SETTLE_MS,
    elsewhere(request, log) {
      if (request.method !== 'GET' || request.url.pathname !== '/messages/outbound') return null;
      return isKnown(request) ? found(request.url.searchParams, log) : said('10');
    },
    notFound: html(404, 'Not Found'),
  };
}

function answerTo(To: string, MessageID: string, at: number): WireAnswer {
  return json(200, { To, SubmittedAt: new Date(at).toISOString(), MessageID, ErrorCode: 0, Message: 'OK' });
}

function read(request: WireRequest): Read<PostmarkCode> {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return { refused: '409' };
  if (request.bytes.length > MOST.request) return { refused: 'http-413' };
  const body = jsonIn(request);
  if (body === null) return { refused: '402' };
  const { From, To, Cc = '', Bcc = '', TextBody = '', HtmlBody = '', Metadata = {} } = body;
  const all = [To, Cc, Bcc, TextBody, HtmlBody];
  if (!all.every((each) => typeof each === 'string') || !isObject(Metadata)) return { refused: '403' };
  if (mailAddress(From) === null) return { refused: '300-from', words: `Invalid 'From' address: '${String(From)}'.` };
  const to = split(To);
  if (to.length === 0 || to.some((each) => mailAddress(each) === null))
    return { refused: '300-to', words: `Invalid 'To' address: '${String(To)}'.` };
  if (to.length + split(Cc).length + split(Bcc).length > MOST.recipients)
    return { refused: '300', words: 'Too many recipients: 50 are allowed.' };
  if (!isText(TextBody) && !isText(HtmlBody))
    return { refused: '300', words: "Provide either email 'TextBody' or 'HtmlBody' or both." };
  if (Buffer.byteLength(String(TextBody)) > MOST.body || Buffer.byteLength(String(HtmlBody)) > MOST.body)
    return { refused: '300', words: 'The body is longer than 5 MB.' };
  const isWrong = ([name, value]: readonly [string, unknown]): boolean =>
    name.length > MOST.metadataName || typeof value !== 'string' || value.length > MOST.metadataValue;
  if (Object.entries(Metadata).some(isWrong))
    return { refused: '300', words: 'Metadata names have 20 characters at most, values 80.' };
  const addresses = to.map((each) => mailAddress(each) ?? '');
  if (request.headers['x-postmark-server-token'] === 'POSTMARK_API_TEST')
    return { answer: answerTo(String(To), '00000000-0000-4000-9000-000000000000', 0) };
  return { to: addresses, key: null, body };
}

function split(list: unknown): readonly string[] {
  return typeof list === 'string' ? list.split(',').filter((each) => each.trim() !== '') : [];
}

/** Filters by metadata and recipient; the two numbers of the page are required. */
function found(query: URLSearchParams, { settled }: Log): WireAnswer {
  const [count, offset] = [Number(query.get('count') ?? NaN), Number(query.get('offset') ?? NaN)];
  if (!(count >= 1 && count <= 500) || !(offset >= 0))
    return json(422, { ErrorCode: 300, Message: "Provide 'count' (1 to 500) and 'offset'." });
  const fits = ({ to, body }: Accepted): boolean =>
    [...query].every(([name, value]) => {
      if (name === 'recipient') return to === value;
      const field = /^metadata_(.+)$/.exec(name)?.[1];
      return field === undefined || (isObject(body['Metadata']) && body['Metadata'][field] === value);
    });
  const all = settled().filter(fits);
  const Messages = all.slice(offset, offset + count).map(({ id, to, body, at }) => ({
    MessageID: id,
    Recipients: [to],
    ReceivedAt: new Date(at).toISOString(),
    From: body['From'],
    Subject: body['Subject'],
    Status: 'Sent',
    Metadata: body['Metadata'],
  }));
  return json(200, { TotalCount: all.length, Messages });
}
