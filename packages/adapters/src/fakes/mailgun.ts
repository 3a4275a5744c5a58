import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { fieldsIn } from './support/multipart.ts';
import { basicIn, mailAddress } from './support/read.ts';
import type { Log, Read, Refusals, Vendor } from './support/vendor.ts';
import { json, plain, type WireAnswer, type WireRequest } from './support/wire.ts';

/** Mailgun has no codes; these are its statuses, and of 400 also what its words are about. */
export type MailgunCode = '400' | '400-to' | '400-from' | '400-domain' | '401' | '403' | '404' | '413' | '429';

export interface FakeMailgunOptions extends Behaviour<MailgunCode> {
  /** The one key that is taken. @defaultValue any */
  readonly apiKey?: string;
  /** The one domain there is. @defaultValue any */
  readonly domain?: string;
}

const REFUSALS: Refusals<MailgunCode> = {
  '400': {
    status: 400,
    says: "Need at least one of 'text', 'html' or 'template' parameters specified",
    means: 'permanent-message',
  },
  '400-to': {
    status: 400,
    says: "'to' parameter is not a valid address. please check documentation",
    means: 'permanent-destination',
  },
  '400-from': {
    status: 400,
    says: "'from' parameter is not a valid address. please check documentation",
    means: 'auth-config',
  },
  '400-domain': {
    status: 400,
    says: 'Domain mg.example.com is not allowed to send: the domain is not verified',
    means: 'auth-config',
  },
  '401': { status: 401, says: 'Forbidden', means: 'auth-config' },
  '403': { status: 403, says: 'Forbidden', means: 'auth-config' },
  '404': { status: 404, says: 'Domain not found', means: 'auth-config' },
  '413': { status: 413, says: 'Payload too large', means: 'permanent-message' },
  '429': { status: 429, says: 'Domain is not allowed to send: recipient limit exceeded', means: 'rate-limited' },
};

const MB = 1_048_576;
const MOST = { mail: 25 * MB, fields: 16_384, recipients: 1_000 };
/** Pages that are younger may still grow. */
const SETTLE_MS = 30 * 60_000;

/** Mailgun's `POST /v3/{domain}/messages`, and its log `GET /v3/{domain}/events`. It knows no repeats. */
export function fakeMailgun(options: FakeMailgunOptions = {}): WireFake<MailgunCode> {
  return wireFake(vendor(options), options);
}

function vendor({ apiKey, domain }: FakeMailgunOptions): Vendor<MailgunCode> {
  const refusal: Vendor<MailgunCode>['refusal'] = (_code, message, status) =>
    status === 401 ? plain(401, message) : json(status, { message });
  const said = (code: MailgunCode) => refusal(code, REFUSALS[code].says, REFUSALS[code].status);
  const refusedBy = (request: WireRequest): MailgunCode | null => {
    const [user, key = ''] = (basicIn(request) ?? '').split(':');
    if (user !== 'api' || (apiKey === undefined ? key === '' : key !== apiKey)) return '401';
    return domain !== undefined && domainIn(request) !== domain ? '404' : null;
  };
  return {
    name: 'mailgun',
    title: 'Mailgun',
    origin: /^https:\/\/api(\.eu)?\.mailgun\.net\//,
    refusals: REFUSALS,
    throttles: '429',
    isSend: ({ method, url }) => method === 'POST' && /^\/v3\/[^/]+\/messages$/.test(url.pathname),
    refusal,
    // When to come back is in the words.
    wait: (answer, seconds, now) => ({
      ...json(429, { message: `Too many requests, try again after ${new Date(now + seconds * 1_000).toUTCString()}` }),
      headers: { ...answer.headers, date: new Date(now).toUTCString() },
    }),
    read: (request) => {
      const refused = refusedBy(request);
      return refused === null ? read(request) : { refused };
    },
    id: (nth, request) => `2026.fake.${nth}@${domainIn(request)}`,
    taken: ([first]) => json(200, { id: `<${first?.id}>`, message: 'Queued. Thank you.' }),
    settleMs: SETTLE_MS,
    elsewhere(request, log) {
      if (request.method !== 'GET' || !/^\/v3\/[^/]+\/events$/.test(request.url.pathname)) return null;
      const refused = refusedBy(request);
      return refused === null ? found(request.url.searchParams, log) : said(refused);
    },
    notFound: json(404, { message: 'Not Found' }),
  };
}

function domainIn({ url }: WireRequest): string {
  return url.pathname.split('/')[2] ?? '';
}

function read(request: WireRequest): Read<MailgunCode> {
  if (request.bytes.length > MOST.mail) return { refused: '413' };
  const body = fieldsIn(request);
  if (body === null) return { refused: '400', words: 'from parameter is missing' };
  const { from, to, text, html, template } = body;
  if (mailAddress(from) === null) return { refused: '400-from' };
  const addresses = (to ?? '').split(',').map(mailAddress);
  if (addresses.includes(null)) return { refused: '400-to' };
  if (addresses.length > MOST.recipients) return { refused: '400', words: 'too many recipients' };
  if ([text, html, template].every((each) => each === undefined)) return { refused: '400' };
  const fields = Object.entries(body).filter(([name]) => /^[ohvt]:/.test(name));
  if (Buffer.byteLength(fields.flat().join('')) > MOST.fields)
    return { refused: '400', words: 'o:, h:, v: and t: are longer than 16 KB together' };
  return { to: addresses as readonly string[], key: null, body };
}

/** Of what the log has settled, what the filters leave. */
function found(query: URLSearchParams, { settled }: Log): WireAnswer {
  const [begin, recipient, event, id] = ['begin', 'recipient', 'event', 'message-id'].map((name) => query.get(name));
  const items = settled()
    .filter(({ at }) => at / 1_000 >= Number(begin ?? 0))
    .filter((each) => (recipient ?? each.to) === each.to && (id ?? each.id) === each.id)
    .filter(() => (event ?? 'accepted') === 'accepted')
    .slice(0, Number(query.get('limit') ?? 100))
    .map((each) => ({
      event: 'accepted',
      id: `event-${each.id}`,
      timestamp: each.at / 1_000,
      recipient: each.to,
      message: { headers: { 'message-id': each.id } },
      'user-variables': Object.fromEntries(
        Object.entries(each.body).flatMap(([name, value]) => (name.startsWith('v:') ? [[name.slice(2), value]] : [])),
      ),
    }));
  return json(200, { items, paging: {} });
}
