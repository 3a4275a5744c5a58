import {
  addressProblem,
  type Attempt,
  type CancelVerdict,
  type DeliveryRecord,
  type DeliveryState,
  type MarkVerdict,
  type NewDelivery,
  type NotificationRecord,
  type Outcome,
  type ReconcileDecision,
  CLASS_POLICIES,
  type SettleRequest,
  type Target,
} from '@sendonce/core';
import {
  createJudge,
  type EndFacts,
  type FinalDelivery,
  type JudgeContext,
  type Judgement,
  type JudgeOptions,
  type MailboxEntry,
} from '../../src/checkers/index.ts';
import type { EventOf, HistoryEvent } from '../../src/history.ts';
import type { CallFault } from '../../src/plan.ts';

export const NOTIFICATION = 'n_1';
export const STRICT = CLASS_POLICIES.transactional;
export const LEASE_MS = 30_000;
export const DISPATCH_MS = 60_000;
export const KEY_WINDOW_MS = 3_600_000;
export const KEY_MARGIN_MS = 2 * DISPATCH_MS;
export const SETTLE_MS = 60_000;
/** A channel whose only provider can be asked, and takes no key. */
export const LOOKUP: Partial<JudgeContext> = {
  providers: [
    {
      name: 'l0',
      channel: 'email',
      keyWindowMs: null,
      lookup: { kind: 'authoritative', settleMs: SETTLE_MS, horizonMs: 86_400_000 },
    },
  ],
};
export const BOUND_MS = 600_000;

interface Told {
  readonly id: string;
  readonly recipient: number;
  readonly generation: number;
  state: DeliveryState;
  fence: number;
  attempts: number;
  readonly tries: Attempt[];
  charged: number;
  assumed: boolean;
  reason: string | null;
  createdAt: number;
  expiresAt: number | null;
}

/**
 * A hand-made history. Each method tells one event as a right ledger would have it, a millisecond after the last; what is to be wrong
 * is said in the options. The end facts follow from what was told, unless a test changes them.
 */
export class Story {
  readonly events: HistoryEvent[] = [];
  at = 1_000;
  readonly mailbox: MailboxEntry[] = [];
  readonly told = new Map<string, Told>();
  readonly recipients: number;
  readonly #context: Partial<JudgeContext>;
  readonly #inserted = new Set<string>();
  #fence = 100;
  #receipts = 0;
  #request = 0;

  constructor(recipients = 2, context: Partial<JudgeContext> = {}) {
    this.recipients = recipients;
    this.#context = context;
  }

  get context(): JudgeContext {
    return {
      recipients: this.recipients,
      isOpen: false,
      indexOf: (id) => (/^d_\d+$/.test(id) && Number(id.slice(2)) < this.recipients ? Number(id.slice(2)) : -1),
      policyOf: () => STRICT,
      addresseeOf: (recipient) => ({
        notificationId: NOTIFICATION,
        tenant: 'default',
        recipientId: `person-${recipient}`,
        channel: 'email',
        topic: 'news',
      }),
      providers: [
        { name: 'p0', channel: 'email', keyWindowMs: null, lookup: null },
        { name: 'k0', channel: 'email', keyWindowMs: KEY_WINDOW_MS, lookup: null },
        { name: 'k1', channel: 'email', keyWindowMs: KEY_WINDOW_MS, lookup: null },
      ],
      targetOf: (recipient) => this.#target(recipient),
      contentOf: (_recipient, _target, { deliveryId }) => ({ text: `hello ${deliveryId}` }),
      isAskedFor: () => null,
      addressProblemOf: ({ channel, to }) => addressProblem(channel, to),
      failsToRoute: () => null,
      bodyOf: ({ text }) => `hash of ${text}`,
      knobs: {
        transitMs: 2_000,
        afterglowMs: 2_000,
        ledgerWayMs: 2,
        providerWayMs: 24,
        sendTimeoutMs: 10_000,
        keyMarginMs: KEY_MARGIN_MS,
        progressMs: 100_000,
        takeUpMs: 60_000,
        recoverMs: 600_000,
        turnsAfterHeal: 50,
        concurrency: 10,
        poisonClaims: 5,
      },
      ...this.#context,
    };
  }

  wait(ms: number): this {
    this.at += ms;
    return this;
  }

  /** Time passes in which there is nothing to do: something new to do comes after it. */
  idle(ms: number): this {
    return this.wait(ms).event({
      kind: 'add',
      request: { notificationId: 'n_other', page: 0, deliveries: [] },
      verdict: { kind: 'fenced' },
    });
  }

  /** How the record of a delivery ends, where no event here tells it. */
  ends(which: number | string, state: DeliveryState, reason: string | null = 'so it ended'): this {
    Object.assign(this.delivery(which), { state, reason });
    return this;
  }

  cancel(id: string, verdict: CancelVerdict): this {
    return this.event({ kind: 'cancel', request: { id, by: 'ops', why: 'typo' }, verdict }, 'ops');
  }

  event(event: { readonly kind: HistoryEvent['kind'] } & Record<string, unknown>, process = 'w1'): this {
    this.at += 1;
    this.events.push({ at: this.at, process, ...event } as unknown as HistoryEvent);
    return this;
  }

  add(options: { readonly deliveries?: readonly NewDelivery[]; readonly again?: 'added' | 'repeated' } = {}): this {
    const { deliveries = this.targets(), again } = options;
    const inserted = deliveries.map(({ id }) => id).filter((id) => again === 'added' || !this.#inserted.has(id));
    for (const id of inserted) this.#inserted.add(id);
    for (const id of inserted) this.delivery(id);
    const record = { state: 'expanded' } as NotificationRecord;
    const verdict = { kind: again ?? 'added', inserted, record, next: null };
    return this.event({
      kind: 'add',
      request: { notificationId: NOTIFICATION, fence: 1, page: 0, deliveries, sealTargets: null, leaseMs: 0 },
      verdict,
    });
  }

  targets(indices: readonly number[] = [...Array(this.recipients).keys()]): NewDelivery[] {
    return indices.map((recipient) => ({
      id: `d_${recipient}`,
      target: this.#target(recipient),
      provider: 'p0',
      maxAttempts: 5,
      topic: 'news',
      failed: null,
    }));
  }

  #target(recipient: number): Target {
    return {
      channel: 'email',
      to: `${recipient}@example.com`,
      recipientId: `person-${recipient}`,
      destinationId: '',
      data: {},
    };
  }

  /** What was told of a delivery, by recipient or id. */
  delivery(which: number | string): Told {
    const id = typeof which === 'number' ? `d_${which}` : which;
    const known = this.told.get(id);
    if (known !== undefined) return known;
    const [, recipient = '-1', generation = '0'] = /^d_(\d+)(?:g(\d+))?$/.exec(id) ?? [];
    const told: Told = {
      id,
      recipient: Number(recipient),
      generation: Number(generation),
      state: 'queued',
      fence: 0,
      attempts: 0,
      tries: [],
      charged: 0,
      assumed: false,
      reason: null,
      createdAt: 0,
      expiresAt: null,
    };
    this.told.set(id, told);
    return told;
  }

  record(which: number | string): DeliveryRecord {
    const { id, state, fence, tries, charged, createdAt, expiresAt } = this.delivery(which);
    return {
      v: 1,
      id,
      notificationId: NOTIFICATION,
      state,
      fence,
      charged,
      maxAttempts: 5,
      failures: 0,
      lapses: 0,
      forbidden: null,
      createdAt,
      expiresAt,
      dueAt: 0,
      attempts: [...tries],
    } as unknown as DeliveryRecord;
  }

  claim(
    which: number | string,
    options: { by?: string; fence?: number; requestId?: string; leaseMs?: number } = {},
  ): this {
    const told = this.delivery(which);
    const {
      by = 'w1',
      fence = (this.#fence += 1),
      requestId = `q${(this.#request += 1)}`,
      leaseMs = LEASE_MS,
    } = options;
    told.fence = fence;
    told.state = 'processing';
    const verdict = { kind: 'granted', id: told.id, fence, record: this.record(which), data: {} };
    return this.event({ kind: 'claim', owner: by, requestId, leaseMs, verdict }, by);
  }

  /** A claim that grants nothing. */
  asked(which: number | string, verdict: { kind: string; [field: string]: unknown }, by = 'w1'): this {
    const { id } = this.delivery(which);
    return this.event(
      {
        kind: 'claim',
        owner: by,
        requestId: `q${(this.#request += 1)}`,
        leaseMs: LEASE_MS,
        verdict: { id, ...verdict },
      },
      by,
    );
  }

  mark(which: number | string, options: MarkOptions = {}): this {
    const told = this.delivery(which);
    const {
      by = 'w1',
      provider = 'p0',
      fence = told.fence,
      key = `key of ${told.id} at ${provider}`,
      refused,
    } = options;
    const isKeyed = provider.startsWith('k') && options.keyWindowMs !== null;
    const message = { text: options.text ?? `hello ${told.id}` };
    const attempt = options.attempt ?? told.attempts + 1;
    if (refused === undefined) {
      told.state = 'dispatching';
      told.attempts = Math.max(told.attempts, attempt);
      told.tries.push(attemptOf({ n: attempt, provider, key, fence, markedAt: this.at + 1 }));
      told.charged += 1;
    }
    const go: MarkVerdict = {
      kind: 'go',
      id: told.id,
      attempt,
      sendWithinMs: options.sendWithinMs ?? DISPATCH_MS - 5_000,
      message,
    };
    return this.event(
      {
        kind: 'mark',
        request: {
          id: told.id,
          fence,
          provider,
          key,
          keyWindowMs: options.keyWindowMs ?? (isKeyed ? KEY_WINDOW_MS - KEY_MARGIN_MS : null),
          message,
          dispatchMs: DISPATCH_MS,
          sendMarginMs: 5_000,
        },
        verdict: refused === undefined ? go : { id: told.id, state: told.state, ...refused },
      },
      by,
    );
  }

  /** A request reaches a provider. */
  arrive(which: number | string, options: ArriveOptions = {}): this {
    const told = this.delivery(which);
    const {
      by = 'w1',
      provider = 'p0',
      outcome = 'accepted',
      attempt = told.attempts,
      inbox = told.recipient,
      channel = 'email',
      messageId = 'm',
      refusal = REJECTED,
    } = options;
    const to = options.to ?? `${told.recipient}@example.com`;
    const body = options.body ?? `hash of hello ${told.id}`;
    const key = options.key ?? `key of ${told.id} at ${provider}`;
    this.event(
      {
        kind: 'provider',
        provider,
        deliveryId: told.id,
        attempt,
        key,
        channel,
        to,
        body,
        outcome,
        ...(outcome === 'refused' && { refusal }),
        providerMessageId: outcome === 'refused' ? null : messageId,
        reply: '202',
      },
      by,
    );
    if (outcome === 'accepted' && inbox !== null)
      this.mailbox.push({ recipient: inbox, provider, deliveryId: told.id, body, at: this.at });
    return this;
  }

  settle(which: number | string, kind: Outcome['kind'], options: SettleOptions = {}): this {
    const told = this.delivery(which);
    const {
      by = 'w1',
      fence = told.fence,
      attempt = told.attempts,
      refund = kind === 'deferred',
      as = 'settled',
    } = options;
    const state = options.state ?? AFTER[kind];
    told.state = state;
    if (refund) told.charged -= 1;
    if (kind === 'rejected') told.reason = 'refused for good';
    const at = told.tries.findIndex(({ n }) => n === attempt);
    const { provider = 'p0', key = '' } = told.tries[at] ?? {};
    const { outcome = outcomeOf(kind) } = options;
    if (at >= 0 && kind !== 'unknown') told.tries[at] = { ...(told.tries[at] as Attempt), outcome };
    const next = options.next ?? NEXT[kind](provider, attempt);
    const request = { id: told.id, fence, attempt, provider, key, outcome, next, refund };
    return this.event({ kind: 'settle', request, verdict: { kind: as, id: told.id, state, duplicate: false } }, by);
  }

  /** The sweeper finds the dispatch window over. */
  sweep(which: number | string): this {
    this.delivery(which).state = 'unknown';
    return this.event({
      kind: 'sweep',
      result: {
        nowMs: this.at,
        epochChangedAt: null,
        moved: [this.record(which)],
        ended: [],
        unknown: [this.record(which)],
      },
    });
  }

  /** Its provider is asked what it knows. */
  asks(which: number | string, provider = 'l0'): this {
    return this.event({ kind: 'lookup', provider, deliveryId: this.delivery(which).id });
  }

  /** A sweep hands it out, to be decided about. */
  handOut(which: number | string): this {
    const unknown = [this.record(which)];
    return this.event({
      kind: 'sweep',
      result: { nowMs: this.at, epochChangedAt: null, moved: [], ended: [], unknown },
    });
  }

  /** Handed out right before. */
  reconcile(
    which: number | string,
    decision: ReconcileDecision,
    state: DeliveryState,
    fence = this.delivery(which).fence,
  ): this {
    const told = this.delivery(which);
    this.handOut(which);
    told.state = state;
    if ('reason' in decision) told.reason = decision.reason;
    if (decision.kind === 'assume-sent') told.assumed = true;
    return this.event({
      kind: 'reconcile',
      request: { id: told.id, fence, decision },
      verdict: { kind: 'moved', id: told.id, state },
    });
  }

  replay(which: number | string, options: ReplayOptions = {}): this {
    const { id, recipient, generation } = this.delivery(which);
    const next = options.id ?? `d_${recipient}g${generation + 1}`;
    this.delivery(next);
    return this.event({
      kind: 'replay',
      request: { id, forced: options.forced ?? false, automatic: options.automatic ?? false, by: 'ops', why: 'asked' },
      verdict: { kind: 'replayed', id: next, possibleDuplicate: options.possibleDuplicate ?? false },
    });
  }

  receive(which: number | string): string {
    const receipt = `receipt ${(this.#receipts += 1)}`;
    this.queue('receive', this.delivery(which).id, receipt);
    return receipt;
  }

  queue(op: EventOf<'queue'>['op'], id: string, receipt: string | null): this {
    return this.event({ kind: 'queue', op, id, receipt });
  }

  /** Over at once, unless it has a length. */
  fault(fault: Partial<CallFault> = {}): this {
    const whole = { do: 'lost-reply', op: 'provider.send', entity: '*', nth: 1, phase: 'A', ...fault };
    const about = { kind: 'fault', index: 0, fault: whole, entity: null } as const;
    this.event({ ...about, what: 'fired' });
    if (fault.ms === undefined)
      this.events.push({ at: this.at, process: 'plan', ...about, what: 'healed' } as HistoryEvent);
    return this;
  }

  /** The end of a fault that has a length. */
  healed(fault: Partial<CallFault>): this {
    const whole = { do: 'lost-reply', op: 'provider.send', entity: '*', nth: 1, phase: 'A', ...fault };
    return this.event({ kind: 'fault', what: 'healed', index: 0, fault: whole, entity: null });
  }

  /** Claim, mark, acceptance, settle. */
  deliver(which: number | string, options: { readonly by?: string; readonly provider?: string } = {}): this {
    const { by = 'w1', provider = 'p0' } = options;
    const at = { by, provider };
    return this.claim(which, { by }).mark(which, at).arrive(which, at).settle(which, 'accepted', { by });
  }

  /** Delivers all that nothing was told of. */
  deliverRest(): this {
    for (const { id, state, fence } of [...this.told.values()]) if (state === 'queued' && fence === 0) this.deliver(id);
    return this;
  }

  finals(): FinalDelivery[] {
    return [...this.told.values()].map(({ fence: _fence, tries: _tries, ...final }) => final);
  }

  facts(changes: FactChanges = {}): EndFacts {
    const { liveness, ...rest } = changes;
    const deliveries = this.finals();
    const gaveUp = deliveries.filter(({ state }) => state === 'dead' || state === 'failed' || state === 'parked');
    return {
      requested: [...Array(this.recipients).keys()],
      input: null,
      deliveries,
      mailbox: this.mailbox,
      notMade: () => 'missing',
      failedNotifications: [],
      unsealed: [],
      deadLetters: new Set(gaveUp.map(({ id }) => id)),
      ...rest,
      liveness: {
        phase: 'healed',
        healedAt: 0,
        endedAt: this.at,
        boundMs: BOUND_MS,
        unfinished: [],
        leases: [],
        queue: { depth: 0, orphans: [] },
        healthy: [{ from: 0, until: Infinity }],
        poison: [],
        ...liveness,
      },
    };
  }

  judge(changes: FactChanges = {}, options: JudgeOptions = {}): Judgement {
    const judge = createJudge(this.context, options);
    for (const event of this.events) judge.observer.on(event);
    return judge.finish(this.facts(changes));
  }
}

export type FactChanges = Partial<Omit<EndFacts, 'liveness'>> & { readonly liveness?: Partial<EndFacts['liveness']> };

interface ReplayOptions {
  readonly possibleDuplicate?: boolean;
  readonly forced?: boolean;
  readonly automatic?: boolean;
  readonly id?: string;
}

interface MarkOptions {
  readonly by?: string;
  readonly provider?: string;
  readonly fence?: number;
  readonly key?: string;
  readonly text?: string;
  readonly attempt?: number;
  readonly sendWithinMs?: number;
  readonly keyWindowMs?: number | null;
  readonly refused?: { readonly kind: string; readonly state?: DeliveryState };
}

interface ArriveOptions {
  readonly by?: string;
  readonly provider?: string;
  readonly outcome?: 'accepted' | 'same' | 'refused';
  readonly attempt?: number;
  readonly channel?: 'email' | 'sms';
  readonly messageId?: string;
  readonly to?: string;
  readonly body?: string;
  readonly key?: string;
  /** What a refusal says. @defaultValue refused for good */
  readonly refusal?: Outcome;
  /** In whose mailbox it ends; null: in none that the test gives to the judge. */
  readonly inbox?: number | null;
}

interface SettleOptions {
  readonly by?: string;
  readonly fence?: number;
  readonly attempt?: number;
  readonly refund?: boolean;
  readonly state?: DeliveryState;
  readonly as?: 'settled' | 'evidence';
  /** @defaultValue one of its kind, without more */
  readonly outcome?: Outcome;
  /** @defaultValue what the class says */
  readonly next?: SettleRequest['next'];
}

const REJECTED: Outcome = { kind: 'rejected', scope: 'message', reason: 'r' };
export const DEFERRED = { kind: 'deferred', reason: 'r' } as const;

function outcomeOf(kind: Outcome['kind']): Outcome {
  if (kind === 'accepted') return { kind, providerMessageId: 'm' };
  return kind === 'rejected' ? REJECTED : { kind, reason: 'r' };
}

function attemptOf(of: Pick<Attempt, 'n' | 'provider' | 'key' | 'fence' | 'markedAt'>): Attempt {
  const sendDeadline = of.markedAt + DISPATCH_MS - 5_000;
  return { ...of, sendDeadline, outcome: null, arrival: null, charged: true, presumed: false };
}

type NextOf = (provider: string, attempt: number) => SettleRequest['next'];
const ORDER = ['p0', 'k0', 'k1'];
const WAITS = [30_000, 120_000, 600_000, 1_800_000, 7_200_000];
const retry = (provider: string, delayMs: number): SettleRequest['next'] => ({
  kind: 'retry',
  provider,
  delayMs,
  reason: 'r',
});

/** What the class of a story says. */
const NEXT: Readonly<Record<Outcome['kind'], NextOf>> = {
  accepted: () => ({ kind: 'sent' }),
  rejected: () => ({ kind: 'failed', reason: 'refused for good' }),
  deferred: (provider) => retry(provider, 30_000),
  'not-sent': (provider, attempt) =>
    retry(
      ORDER[(ORDER.indexOf(provider) + 1) % ORDER.length] ?? '',
      attempt < ORDER.length ? 0 : (WAITS[attempt - 1] ?? 0),
    ),
  unknown: () => ({ kind: 'unknown', reconcileInMs: 0, reason: 'r' }),
};

const AFTER: Readonly<Record<Outcome['kind'], DeliveryState>> = {
  accepted: 'sent',
  rejected: 'failed',
  deferred: 'retry-scheduled',
  'not-sent': 'retry-scheduled',
  unknown: 'unknown',
};

/** Marked and sent, and nobody knows what became of it. */
export function unknown(story: Story, provider: string): Story {
  return story.add().claim(0).mark(0, { provider }).fault({ phase: 'B' }).settle(0, 'unknown');
}

/** One is put off while its worker holds so many beside it; all are delivered in the end. */
export function putOff(beside: number, delayMs: number): Story {
  const story = new Story(beside + 1).add();
  for (let n = 0; n <= beside; n += 1) story.claim(n);
  const request = { id: 'd_0', fence: story.delivery(0).fence, delayMs, failure: null };
  story.event({ kind: 'release', request, verdict: { kind: 'ok' } });
  for (let n = 1; n <= beside; n += 1) story.mark(n).arrive(n).settle(n, 'accepted');
  return story.deliver(0);
}

/** The knobs of a story whose calls are on their way for so long. */
export function ways(ledgerWayMs: number, providerWayMs: number): Partial<JudgeContext> {
  const { knobs } = new Story().context;
  const transitMs = 2_000 + providerWayMs;
  return {
    knobs: { ...knobs, transitMs, afterglowMs: Math.max(transitMs, ledgerWayMs), ledgerWayMs, providerWayMs },
  };
}

/** The invariants that a story breaks, in the order of their finding. */
export function broken(story: Story, changes: FactChanges = {}, options: JudgeOptions = {}): string[] {
  return [...new Set(story.judge(changes, options).violations.map(({ invariant }) => invariant))];
}
