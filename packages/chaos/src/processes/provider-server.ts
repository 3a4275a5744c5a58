import type {
  Clock,
  Channel,
  LookupAnswer,
  LookupRequest,
  OutgoingMessage,
  ProviderCapabilities,
} from '@sendonce/core';
import { between, draw, hashText } from '../kernel/draw.ts';
import { bodyOf } from '../world/body.ts';
import type { Knobs } from '../world/knobs.ts';
import type { Handler, Reply } from './loopback.ts';
import type { MailboxFile } from './mailbox-file.ts';
import { Scripts, type Script } from './scripts.ts';

const LATENCY = hashText('latency');
const LAG = hashText('lookup lag');

/** A send as it arrives over HTTP. */
export interface SendRequest {
  readonly provider: string;
  readonly channel: Channel;
  readonly worker: string;
  readonly pid: number;
  readonly message: OutgoingMessage;
  readonly key: string;
  readonly attempt: number;
}

export interface FindRequest {
  readonly provider: string;
  readonly channel: Channel;
  readonly request: LookupRequest;
}

export interface FakeProviderParts {
  /** What each provider of the run can do. */
  readonly capabilities: ProviderCapabilities;
  readonly knobs: Pick<Knobs, 'providerLeastMs' | 'providerMostMs'>;
  readonly seed: string;
  readonly clock: Clock;
  readonly mailbox: MailboxFile;
  readonly scripts: readonly Script[];
  /** Asked after the nth acceptance is on the disk and before it is answered; false: the connection is cut instead. */
  readonly held: (acceptance: number, send: SendRequest) => Promise<boolean>;
  readonly fired: (index: number) => void;
}

interface Taken {
  readonly id: string;
  readonly at: number;
  readonly body: string;
  readonly isStored: Promise<void>;
}

/** Providers with one mailbox: a message is on the disk before anybody hears that it was accepted. */
export function fakeProvider(parts: FakeProviderParts): { readonly send: Handler; readonly lookup: Handler } {
  const { capabilities, knobs, clock, mailbox, held, fired } = parts;
  const { idempotency, lookup } = capabilities;
  const seed = hashText(parts.seed);
  const scripts = new Scripts(parts.scripts);
  const byKey = new Map<string, Taken>();
  const byDelivery = new Map<string, Taken>();
  const sends = new Map<string, number>();
  const downUntil = new Map<string, number>();
  let acceptances = 0;

  function remembered(name: string): Taken | null {
    const taken = byKey.get(name);
    if (idempotency.kind === 'none' || taken === undefined) return null;
    return clock.now() - taken.at < idempotency.windowMs ? taken : null;
  }

  async function take(send: SendRequest): Promise<Reply> {
    const { provider, channel, message, key, attempt, worker } = send;
    const body = bodyOf(message.content);
    const known = remembered(`${channel}/${provider}/${key}`);
    if (known !== null) {
      await known.isStored;
      return known.body === body
        ? accepted(known)
        : { status: 409, body: { reason: 'this key was used with another message' } };
    }
    const n = ++acceptances;
    const at = clock.now();
    const id = `${provider}-m${n}`;
    const { deliveryId, to } = message;
    const line = { n, at, provider, channel, id, deliveryId, to, key, attempt, body, worker };
    const taken: Taken = { id, at, body, isStored: mailbox.append(line) };
    byKey.set(`${channel}/${provider}/${key}`, taken);
    byDelivery.set(`${channel}/${provider}/${deliveryId}`, taken);
    await taken.isStored;
    return (await held(n, send)) ? accepted(taken) : 'cut';
  }

  /** Between request and acceptance, and between acceptance and answer: a draw of its own for each send, whoever makes it. */
  function waysOf({ message: { deliveryId } }: SendRequest): readonly [thereMs: number, backMs: number] {
    const nth = sends.get(deliveryId) ?? 0;
    sends.set(deliveryId, nth + 1);
    const { providerLeastMs: least, providerMostMs: most } = knobs;
    const way = (n: number): number => between(draw(seed, LATENCY, hashText(deliveryId), n), least, most);
    return [way(2 * nth), way(2 * nth + 1)];
  }

  async function send(body: unknown): Promise<Reply> {
    const request = body as SendRequest;
    const { provider, worker, message } = request;
    if (clock.now() < (downUntil.get(provider) ?? 0)) return REFUSED;
    const struck = scripts.met({ provider, worker, deliveryId: message.deliveryId });
    for (const { index } of struck) fired(index);
    const script = struck[0] ?? null;
    const [thereMs, backMs] = waysOf(request);
    await clock.sleep(thereMs + (script?.do === 'slow' ? script.ms : 0));
    const early = script === null ? null : before(script, provider);
    if (early !== null) return early;
    const reply = await take(request);
    await clock.sleep(backMs + (script?.do === 'reply-slow' ? script.ms : 0));
    return script === null ? reply : after(script, provider, reply);
  }

  /** What a fault answers that takes nothing. */
  function before({ do: what, ms }: Script, provider: string): Reply | null {
    switch (what) {
      case 'request-lost':
        return 'cut';
      case 'throttle':
        return { status: 429, body: ms > 0 ? { retryAfterMs: ms } : {} };
      case 'reject':
        return { status: 422, body: { reason: '550 no such mailbox' } };
      case 'unauthorised':
        return { status: 401, body: { reason: '401 invalid API key' } };
      case 'outage':
        downUntil.set(provider, clock.now() + ms);
        return REFUSED;
      case 'reply-lost':
      case 'slow':
      case 'reply-slow':
      case '5xx-after-acceptance':
      case 'missing-id':
      case 'key-forgotten':
        return null;
    }
  }

  /** What becomes of the answer to a message that was taken. */
  function after({ do: what, ms }: Script, provider: string, reply: Reply): Reply {
    if (what === 'key-forgotten') downUntil.set(provider, clock.now() + ms);
    if (what === 'reply-lost' || what === 'key-forgotten') return 'cut';
    if (what === '5xx-after-acceptance') return { status: 500, body: {} };
    return what === 'missing-id' ? { status: 200, body: {} } : reply;
  }

  function find({ provider, channel, request }: FindRequest): LookupAnswer {
    const taken = byDelivery.get(`${channel}/${provider}/${request.deliveryId}`);
    if (taken === undefined || lookup === 'none') return { kind: 'absent' };
    const ageMs = clock.now() - taken.at;
    const lagMs = between(draw(seed, LAG, hashText(request.deliveryId), 0), 0, Math.floor(lookup.settleMs / 2));
    if (ageMs < lagMs || ageMs > lookup.horizonMs) return { kind: 'absent' };
    return { kind: 'found', providerMessageId: taken.id };
  }

  return {
    send,
    async lookup(body) {
      const request = body as FindRequest;
      if (clock.now() < (downUntil.get(request.provider) ?? 0)) return REFUSED;
      return { status: 200, body: find(request) };
    },
  };
}

/** Nothing was taken, and the caller may know. */
const REFUSED: Reply = { status: 503, body: { reason: 'connection refused' } };

function accepted({ id }: Taken): Reply {
  return { status: 200, body: { id } };
}
