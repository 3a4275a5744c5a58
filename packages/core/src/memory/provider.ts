import { canonicalJson } from '../model/keys.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  Lookup,
  LookupAnswer,
  LookupRequest,
  OutgoingMessage,
  Provider,
  ProviderCapabilities,
  SendContext,
} from '../ports/provider.ts';

/** What kind of provider: takes idempotency keys, can be asked authoritatively, or neither. */
export const PROVIDER_MODELS = ['keyed', 'lookup', 'plain'] as const;
export type ProviderModel = (typeof PROVIDER_MODELS)[number];

/** One request as the provider sees it. */
export interface ProviderCall {
  readonly message: OutgoingMessage;
  readonly context: SendContext;
  /** 1 for the provider's first request of this delivery. */
  readonly nth: number;
  /** 1 for the provider's first request of all. */
  readonly call: number;
}

/** What the provider does with one request. Everything left out: it takes the message at once and says so. */
export interface ProviderAnswer {
  /** Whether the message ends in the mailbox. @defaultValue true if the reply is an acceptance, else false */
  readonly taken?: boolean;
  /** What the sender is told. @defaultValue accepted, with the id of the message */
  readonly reply?: Outcome;
  /** Thrown instead of a reply. */
  readonly thrown?: Error;
  /** Between the request and the moment it is taken; goes on although the sender gave up. @defaultValue 0 */
  readonly takeAfterMs?: number;
  /** Between that moment and the reply. @defaultValue 0 */
  readonly replyAfterMs?: number;
}

export interface MemoryProviderOptions {
  readonly clock: Clock;
  /** @defaultValue 'memory' */
  readonly name?: string;
  /** @defaultValue 'keyed' */
  readonly model?: ProviderModel;
  /** `keyed`: how long a key is remembered, ms. @defaultValue 86_400_000 */
  readonly windowMs?: number;
  /** `lookup`: how long a message that was taken stays invisible to lookups, ms. @defaultValue 60_000 */
  readonly settleMs?: number;
  /** `lookup`: how far back it sees, ms. @defaultValue 604_800_000 */
  readonly horizonMs?: number;
  /** What to do with a request; undefined: take it and say so. */
  readonly answer?: (call: ProviderCall) => ProviderAnswer | undefined;
}

/** One message that really went out. */
export interface MailboxItem {
  readonly at: number;
  readonly providerMessageId: string;
  readonly deliveryId: string;
  readonly to: string;
  readonly key: string;
  readonly attempt: number;
  readonly content: OutgoingMessage['content'];
}

export interface MemoryProvider extends Provider {
  /** Every message that went out, oldest first: the truth that the ledger's beliefs are judged by. */
  readonly mailbox: readonly MailboxItem[];
  /** Requests that arrived, repeats and refusals included. */
  calls(): number;
  /** Programs what happens to the requests from now on. */
  answerWith(answer: (call: ProviderCall) => ProviderAnswer | undefined): void;
}

/** A provider in this process that keeps a mailbox, and is as forgetful about keys and as slow in lookups as it declares. */
export function memoryProvider(options: MemoryProviderOptions): MemoryProvider {
  const { clock, name = 'memory', model = 'keyed' } = options;
  const { windowMs = 86_400_000, settleMs = 60_000, horizonMs = 604_800_000 } = options;
  let { answer = () => undefined } = options;
  const mailbox: MailboxItem[] = [];
  const byKey = new Map<string, MailboxItem>();
  const byDelivery = new Map<string, { requests: number; taken: MailboxItem[] }>();
  let calls = 0;

  function of(deliveryId: string): { requests: number; taken: MailboxItem[] } {
    const known = byDelivery.get(deliveryId) ?? { requests: 0, taken: [] };
    byDelivery.set(deliveryId, known);
    return known;
  }

  /** Keys enter in the order of time, so the forgotten ones are in front. */
  function forgetKeys(): void {
    for (const [key, item] of byKey) {
      if (clock.now() - item.at < windowMs) return;
      byKey.delete(key);
    }
  }

  function take({ message, context }: ProviderCall): Outcome {
    const { deliveryId, to, content } = message;
    const { key, attempt } = context;
    if (model === 'keyed') {
      forgetKeys();
      const known = byKey.get(key);
      if (known !== undefined) return repeat(known, message);
    }
    const providerMessageId = `${name}-${mailbox.length + 1}`;
    const item: MailboxItem = { at: clock.now(), providerMessageId, deliveryId, to, key, attempt, content };
    mailbox.push(item);
    of(deliveryId).taken.push(item);
    if (model === 'keyed') byKey.set(key, item);
    return { kind: 'accepted', providerMessageId };
  }

  async function serve(call: ProviderCall, plan: ProviderAnswer): Promise<Outcome> {
    const { reply, takeAfterMs = 0, replyAfterMs = 0 } = plan;
    const isTaken = plan.taken ?? (plan.thrown === undefined && (reply === undefined || reply.kind === 'accepted'));
    if (takeAfterMs > 0) await clock.sleep(takeAfterMs);
    const result: Outcome = isTaken ? take(call) : { kind: 'not-sent', reason: 'not taken' };
    if (replyAfterMs > 0) await clock.sleep(replyAfterMs);
    if (plan.thrown !== undefined) throw plan.thrown;
    return reply ?? result;
  }

  function find(request: LookupRequest): LookupAnswer {
    const now = clock.now();
    const seen = of(request.deliveryId).taken.find(({ at }) => at + settleMs <= now && at >= now - horizonMs);
    return seen ? { kind: 'found', providerMessageId: seen.providerMessageId } : { kind: 'absent' };
  }

  const lookup: Lookup = { kind: 'authoritative', settleMs, horizonMs, find: async (request) => find(request) };
  const capabilities: ProviderCapabilities = {
    idempotency: model === 'keyed' ? { kind: 'key', windowMs } : { kind: 'none' },
    lookup: model === 'lookup' ? lookup : 'none',
    correlation: { field: 'deliveryId', maxBytes: 64 },
    coalesce: false,
  };

  return {
    name,
    capabilities,
    mailbox,
    calls: () => calls,
    answerWith(next) {
      answer = next;
    },
    async send(message, context) {
      if (context.signal.aborted) return { kind: 'not-sent', reason: 'the signal was aborted before the request' };
      calls += 1;
      const known = of(message.deliveryId);
      known.requests += 1;
      const call: ProviderCall = { message, context, nth: known.requests, call: calls };
      const plan = answer(call) ?? {};
      if (!plan.takeAfterMs && !plan.replyAfterMs) return serve(call, plan);
      return Promise.race([serve(call, plan), abandoned(context.signal)]);
    },
    async close() {},
  };
}

function repeat(known: MailboxItem, message: OutgoingMessage): Outcome {
  const isSame = known.to === message.to && canonicalJson(known.content) === canonicalJson(message.content);
  if (isSame) return { kind: 'accepted', providerMessageId: known.providerMessageId };
  return { kind: 'rejected', scope: 'message', reason: 'this key was used with another message' };
}

/** The request has left: what becomes of it is not known when the sender stops waiting. */
function abandoned(signal: AbortSignal): Promise<Outcome> {
  const outcome: Outcome = { kind: 'unknown', reason: 'timeout' };
  if (signal.aborted) return Promise.resolve(outcome);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(outcome), { once: true }));
}
