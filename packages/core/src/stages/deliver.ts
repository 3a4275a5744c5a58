import { groupBy } from '../model/group-by.ts';
import type { MessageContent, DeliveryRecord } from '../model/delivery.ts';
import { reasonOf } from '../model/errors.ts';
import { frozenCopy } from '../model/json.ts';
import { providerKey } from '../model/keys.ts';
import type { Outcome } from '../model/outcome.ts';
import type { MarkRequest, MarkVerdict } from '../ports/ledger.ts';
import type { Provider, SendContext } from '../ports/provider.ts';
import type { ResolvedType } from '../settings.ts';
import type { Made } from './answered.ts';
import type { Context } from './context.ts';
import { makeContent, unusable } from './make-content.ts';
import { outcomeOf } from './outcome-of.ts';
import { settledSoon } from './thenable.ts';

/** A delivery that this worker holds and has not marked yet. */
export interface Granted {
  readonly record: DeliveryRecord;
  readonly fence: number;
  readonly data: unknown;
}

/** Everything for one attempt, up to the mark. */
export interface Prepared {
  readonly kind: 'prepared';
  readonly granted: Granted;
  readonly type: ResolvedType;
  readonly provider: Provider;
  readonly message: MessageContent;
}

/** It goes back: with a failure of its content, or (null) to wait: for a worker that knows its type and provider, or for others of its type. */
export interface NotPrepared {
  readonly kind: 'not-prepared';
  readonly granted: Granted;
  readonly failure: string | null;
  readonly reason: string;
}

/** What a message is made with. */
interface Known {
  readonly granted: Granted;
  readonly type: ResolvedType;
  readonly provider: Provider;
}

/** What is ready, and what takes its time: by function, so that one that hangs keeps nobody else's messages. */
export interface Preparing {
  readonly ready: readonly (Prepared | NotPrepared)[];
  readonly later: readonly Later[];
}

/** Messages of one type that are being made. */
export interface Later {
  readonly type: string;
  readonly granted: readonly Granted[];
  readonly made: Promise<Batch>;
}

export interface Batch {
  readonly results: readonly (Prepared | NotPrepared)[];
  /** Nothing has come of any of them. */
  readonly isLate: boolean;
}

export interface PrepareOptions {
  /** Content that takes its time is not waited for any longer. */
  readonly signal: AbortSignal;
  /** Whether so many of this type take their time that no other is begun. */
  readonly isFull: (type: string) => boolean;
}

/** Finds type and provider of each and makes its content, once: a frozen message is taken as it is. */
export async function prepareAll(
  context: Context,
  granted: readonly Granted[],
  { signal, isFull }: PrepareOptions,
): Promise<Preparing> {
  const ready: (Prepared | NotPrepared)[] = [];
  const unmade: Known[] = [];
  for (const each of granted) {
    const found = known(context, each);
    const { message } = each.record;
    if ('kind' in found) ready.push(found);
    else if (message !== null) ready.push(prepared(found, frozenCopy(message, 'message')));
    else unmade.push(found);
  }
  const later: Later[] = [];
  for (const [type, all] of groupBy(unmade, (each) => each.type.name)) {
    const items = all.map((each) => each.granted);
    if (isFull(type)) {
      ready.push(...items.map((each) => waits(each, `the content of other messages of type '${type}' takes its time`)));
      continue;
    }
    const made = makeAll(context, all, signal);
    if (await settledSoon(made)) ready.push(...(await made).results);
    else later.push({ type, granted: items, made });
  }
  return { ready, later };
}

async function makeAll(
  { clock, lanes, settings }: Context,
  all: readonly Known[],
  signal: AbortSignal,
): Promise<Batch> {
  const limitMs = settings.worker.leaseMs;
  const late = unusable(`content took longer than ${limitMs} ms`);
  const { name, type } = all[0]!.type;
  const asks = all.map((each) => () => makeContent(each.type, each.granted.record, each.granted.data));
  const made = await lanes.content.askAll({ type: name, ask: type.content }, asks, { clock, limitMs, late, signal });
  return { results: made.map((one, at) => ready(all[at]!, one)), isLate: made.every((one) => one === late) };
}

function known({ settings }: Context, granted: Granted): Known | NotPrepared {
  const { record } = granted;
  const type = settings.types.get(record.type);
  const { channel: name } = record.target;
  const channel = settings.channels.get(name);
  if (type === undefined) return waits(granted, `type '${record.type}' is not in this worker's config`);
  // It was replayed so that it finds one now: where there is none it is a dead letter again, soon, and says so.
  if (record.provider === '' && channel === undefined)
    return fails(granted, `channel '${name}' has no provider in the config`);
  const provider = channel?.providers.get(record.provider === '' ? channel.order[0]! : record.provider);
  if (provider === undefined) return waits(granted, `provider '${record.provider}' is not in this worker's config`);
  return { granted, type, provider };
}

function ready(of: Known, made: Made): Prepared | NotPrepared {
  if (made.kind === 'made') return prepared(of, made.message);
  return fails(of.granted, made.reason);
}

function prepared({ granted, type, provider }: Known, message: MessageContent): Prepared {
  return { kind: 'prepared', granted, type, provider, message };
}

function fails(granted: Granted, reason: string): NotPrepared {
  return { kind: 'not-prepared', granted, failure: reason, reason };
}

function waits(granted: Granted, reason: string): NotPrepared {
  return { kind: 'not-prepared', granted, failure: null, reason };
}

export function markRequest(context: Context, prepared: Prepared): MarkRequest {
  const { dispatchMs, sendMarginMs, keyMarginMs } = context.settings.worker;
  const { granted, provider, message } = prepared;
  const { idempotency } = provider.capabilities;
  return {
    id: granted.record.id,
    fence: granted.fence,
    provider: provider.name,
    key: providerKey(granted.record.id, provider.name),
    keyWindowMs: idempotency.kind === 'none' ? null : idempotency.windowMs - keyMarginMs,
    message,
    dispatchMs,
    sendMarginMs,
  };
}

/** A marked attempt: the only thing that may be sent. */
export interface Marked {
  readonly prepared: Prepared;
  readonly key: string;
  readonly attempt: number;
  readonly message: MessageContent;
  /** No first byte after either: monotonic and wall clock of this process, counted from before the mark left. */
  readonly monotonicDeadline: number;
  readonly wallDeadline: number;
}

export interface MarkedAt {
  readonly monotonic: number;
  readonly wall: number;
}

export function marked(
  prepared: Prepared,
  key: string,
  verdict: Extract<MarkVerdict, { kind: 'go' }>,
  before: MarkedAt,
): Marked {
  return {
    prepared,
    key,
    attempt: verdict.attempt,
    // The ledger's own object must be out of the adapter's reach; what was made just now is frozen already.
    message: verdict.message === prepared.message ? verdict.message : frozenCopy(verdict.message, 'message'),
    monotonicDeadline: before.monotonic + verdict.sendWithinMs,
    wallDeadline: before.wall + verdict.sendWithinMs,
  };
}

/** What the provider's adapter is told about one call. The abort signal is made only for an adapter that asks for it. */
export class SendCall implements SendContext {
  readonly key: string;
  readonly attempt: number;
  deadlineMs = 0;
  #aborter: AbortController | null = null;

  constructor(item: Marked) {
    this.key = item.key;
    this.attempt = item.attempt;
  }

  get signal(): AbortSignal {
    return (this.#aborter ??= new AbortController()).signal;
  }

  /** Also for an adapter that asks for the signal only afterwards. */
  abort(): void {
    (this.#aborter ??= new AbortController()).abort();
  }
}

/** One call of the provider, if there is still time. Never rejects: what a provider throws may have been sent. */
export function send(context: Context, item: Marked, call: SendCall): Promise<Outcome> {
  const { clock } = context;
  // Two clocks, right before the first byte: a paused process sees either the one or the other jump.
  call.deadlineMs = Math.min(item.monotonicDeadline - clock.monotonic(), item.wallDeadline - clock.now());
  if (call.deadlineMs <= 0) return Promise.resolve(TOO_LATE);
  const { id: deliveryId, tenant, target, createdAt } = item.prepared.granted.record;
  const message = { deliveryId, tenant, channel: target.channel, to: target.to, content: item.message, createdAt };
  try {
    // Not awaited here: it is the one promise chain of every delivery.
    return Promise.resolve(item.prepared.provider.send(message, call)).then(outcomeOf, threw);
  } catch (thrown) {
    return Promise.resolve(threw(thrown));
  }
}

const TOO_LATE: Outcome = { kind: 'not-sent', reason: 'the send deadline passed before the first byte' };

function threw(thrown: unknown): Outcome {
  return { kind: 'unknown', reason: `the provider's adapter threw ${reasonOf(thrown)}` };
}
