import { createHmac, timingSafeEqual } from 'node:crypto';
import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { jsonIn } from './support/read.ts';
import type { Log, Read, Vendor } from './support/vendor.ts';
import { json, type WireRequest } from './support/wire.ts';

/** Statuses of HTTP, as Standard Webhooks reads them. */
const CODES = {
  '400': { status: 400, says: 'the body is no JSON', means: 'permanent-message' },
  '401': { status: 401, says: 'the signature is not ours, or too old', means: 'auth-config' },
  '410': { status: 410, says: 'this endpoint is disabled', means: 'permanent-destination' },
  '413': { status: 413, says: 'too long', means: 'permanent-message' },
  '422': { status: 422, says: 'no such type of event', means: 'permanent-message' },
  '429': { status: 429, says: 'too many requests', means: 'rate-limited' },
  '500': { status: 500, says: 'internal error', means: 'ambiguous' },
  '503': { status: 503, says: 'unavailable', means: 'ambiguous' },
} as const;

export type WebhookCode = keyof typeof CODES;

export interface FakeWebhookOptions extends Behaviour<WebhookCode> {
  /** `whsec_...`: then each request has to be signed. @defaultValue unsigned ones are taken too */
  readonly secret?: string;
  /** How long a `webhook-id` is known, ms: a repeat is answered with 2xx and dropped. 0: the receiver knows no repeats. @defaultValue 24 hours */
  readonly idWindowMs?: number;
  /** Where the receiver is. @defaultValue https://hooks.example.com/ and all below it */
  readonly origin?: RegExp;
}

const DAY_MS = 86_400_000;
const TOLERANCE_S = 300;

/** A receiver of Standard Webhooks, at any path. The recipient in `mailbox` is the address that was posted to. */
export function fakeWebhook(options: FakeWebhookOptions = {}): WireFake<WebhookCode> {
  return wireFake(vendor(options), options);
}

function vendor({
  secret,
  idWindowMs = DAY_MS,
  origin = /^https:\/\/hooks\.example\.com\//,
}: FakeWebhookOptions): Vendor<WebhookCode> {
  return {
    name: 'webhook',
    title: 'a receiver of Standard Webhooks',
    origin,
    refusals: CODES,
    throttles: '429',
    isSend: ({ method }) => method === 'POST',
    refusal: (_code, error, status) => json(status, { error }),
    read: (request, log) => read(request, log, secret),
    id: (nth, { headers }) => headers['webhook-id'] ?? `unnamed-${nth}`,
    taken: () => ({ status: 204 }),
    keys: { windowMs: idWindowMs, repeat: ({ answer }) => answer },
    notFound: json(405, { error: 'POST alone' }),
  };
}

function read(request: WireRequest, { now }: Log, secret: string | undefined): Read<WebhookCode> {
  const { url, headers } = request;
  if (secret !== undefined && !isSigned(request, secret, now())) return { refused: '401' };
  const body = jsonIn(request);
  if (body === null) return { refused: '400' };
  return { to: [url.href], key: headers['webhook-id'] ?? null, body };
}

/** Any of the signatures may fit: keys are renewed. */
function isSigned({ headers, bytes }: WireRequest, secret: string, now: number): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': said = '' } = headers;
  if (id === '' || !(Math.abs(now / 1_000 - Number(timestamp)) <= TOLERANCE_S)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(bytes).digest();
  return said.split(' ').some((each) => {
    const given = Buffer.from(/^v1,(.+)$/.exec(each)?.[1] ?? '', 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
