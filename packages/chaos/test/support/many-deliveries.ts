import { addressProblem, type DeliveryRecord, type NewDelivery, type Target } from '@sendonce/core';
import type { JudgeContext } from '../../src/checkers/index.ts';
import type { HistoryEvent } from '../../src/history.ts';
import { STRICT } from './story.ts';

const PAGE = 500;
const digits = (n: number): string => String(n).padStart(22, '0');

/** A history as a healthy run writes it: pages of 500, batches of 50, eight events and one share of an `add` per delivery. */
export class ManyDeliveries {
  readonly ids: readonly string[];
  readonly #index: ReadonlyMap<string, number>;

  constructor(count: number) {
    this.ids = Array.from({ length: count }, (_, at) => `d_${digits(at)}`);
    this.#index = new Map(this.ids.map((id, at) => [id, at]));
  }

  get context(): JudgeContext {
    return {
      recipients: this.ids.length,
      isOpen: false,
      indexOf: (id) => this.#index.get(id) ?? -1,
      policyOf: () => STRICT,
      addresseeOf: () => {
        throw new Error('nobody cancels or opts out here');
      },
      providers: [{ name: 'p0', channel: 'email', keyWindowMs: 86_400_000, lookup: null }],
      targetOf,
      contentOf: (n) => message(n),
      isAskedFor: () => true,
      addressProblemOf: ({ channel, to }) => addressProblem(channel, to),
      failsToRoute: () => false,
      bodyOf: ({ subject }) => subject ?? '',
      knobs: {
        transitMs: 1_000,
        afterglowMs: 1_000,
        ledgerWayMs: 2,
        providerWayMs: 24,
        sendTimeoutMs: 10_000,
        keyMarginMs: 120_000,
        progressMs: 600_000,
        takeUpMs: 60_000,
        recoverMs: 600_000,
        turnsAfterHeal: 100,
        concurrency: 10,
        poisonClaims: 10,
      },
    };
  }

  /** A few events at a time, as they happen: a large history need not be in memory at once. */
  *steps(): Generator<HistoryEvent[]> {
    for (let from = 0; from < this.ids.length; from += PAGE) yield* this.#page(this.ids.slice(from, from + PAGE), from);
  }

  *#page(ids: readonly string[], from: number): Generator<HistoryEvent[]> {
    const at = 1_000 + from;
    const deliveries = ids.map((id, n) => delivery(id, from + n));
    const request = {
      notificationId: 'n_1',
      fence: 1,
      page: from / PAGE,
      deliveries,
      sealTargets: null,
      leaseMs: 30_000,
    };
    const verdict = { kind: 'added', inserted: ids, record: { state: 'expanding' }, next: null };
    yield [{ at, process: 'w1', kind: 'add', request, verdict } as unknown as HistoryEvent];
    for (let batch = 0; batch < ids.length; batch += 50) {
      const process = `w${1 + ((batch / 50) % 4)}`;
      const requestId = `${process} q${from + batch}`;
      const work = deliveries.slice(batch, batch + 50).map((made, n) => [made, from + batch + n] as const);
      const each = (tell: (made: NewDelivery, n: number) => object): HistoryEvent[] =>
        work.map(([made, n]) => ({ at, process, ...tell(made, n) }) as unknown as HistoryEvent);
      yield each(({ id }) => ({ kind: 'queue', op: 'enqueue', id, receipt: null }));
      yield each(({ id }) => ({ kind: 'queue', op: 'receive', id, receipt: `${id} 1` }));
      yield each((made, n) => ({
        kind: 'claim',
        owner: process,
        requestId,
        leaseMs: 30_000,
        verdict: granted(made, n, process),
      }));
      yield each((made, n) => ({ kind: 'mark', ...marked(made, n) }));
      yield each((made, n) => ({ kind: 'provider', provider: 'p0', ...arrived(made, n) }));
      yield each((made, n) => ({ kind: 'settle', ...settled(made, n) }));
      yield each(({ id }) => ({ kind: 'queue', op: 'ack', id, receipt: `${id} 1` }));
    }
  }
}

function targetOf(n: number): Target {
  const to = `recipient.number.${n}@example.com`;
  return {
    channel: 'email',
    to,
    recipientId: to,
    destinationId: '',
    data: { name: `Recipient Number ${n}`, locale: 'en' },
  };
}

function delivery(id: string, n: number): NewDelivery {
  return { id, target: targetOf(n), provider: 'p0', maxAttempts: 5, topic: 'news', failed: null };
}

function message(n: number): { readonly subject: string; readonly text: string } {
  return {
    subject: `Order ${n}`,
    text: `Dear recipient number ${n},\n\nyour order ${n} has been placed and will arrive on Monday.\n\nKind regards`,
  };
}

function granted({ id, target }: NewDelivery, n: number, owner: string): object {
  const record: DeliveryRecord = {
    v: 1,
    id,
    notificationId: 'n_1',
    tenant: 'default',
    type: 'orderPlaced',
    class: 'transactional',
    target,
    generation: 0,
    state: 'processing',
    fence: 1_000 + n,
    owner,
    requestId: 'q',
    leaseUntil: 40_000,
    dispatchUntil: null,
    dueAt: 1_000,
    expiresAt: 86_400_000,
    provider: 'p0',
    attempts: [],
    charged: 0,
    maxAttempts: 5,
    lapses: 0,
    failures: 0,
    declarations: [],
    topic: 'news',
    message: null,
    forbidden: null,
    assumed: false,
    reason: null,
    createdAt: 1_000,
    updatedAt: 1_000,
    settledAt: null,
    replaces: null,
    replacedBy: null,
    operator: null,
    forced: false,
    redrives: 0,
  };
  return { kind: 'granted', id, fence: 1_000 + n, record, data: { order: n } };
}

function marked({ id }: NewDelivery, n: number): object {
  const content = message(n);
  const request = {
    id,
    fence: 1_000 + n,
    provider: 'p0',
    key: `k${id}`,
    keyWindowMs: 80_000_000,
    message: content,
    dispatchMs: 60_000,
    sendMarginMs: 5_000,
  };
  return { request, verdict: { kind: 'go', id, attempt: 1, sendWithinMs: 55_000, message: content } };
}

function arrived({ id, target }: NewDelivery, n: number): object {
  return {
    deliveryId: id,
    attempt: 1,
    key: `k${id}`,
    channel: target.channel,
    to: target.to,
    body: `Order ${n}`,
    outcome: 'accepted',
    providerMessageId: `m${n}`,
    reply: '202',
  };
}

function settled({ id }: NewDelivery, n: number): object {
  const outcome = { kind: 'accepted', providerMessageId: `m${n}` };
  const request = {
    id,
    fence: 1_000 + n,
    attempt: 1,
    provider: 'p0',
    key: `k${id}`,
    outcome,
    next: { kind: 'sent' },
    refund: false,
  };
  return { request, verdict: { kind: 'settled', id, state: 'sent', duplicate: false } };
}
