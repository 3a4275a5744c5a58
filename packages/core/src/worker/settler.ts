import { reasonOf } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import type { SettleRequest, SettleVerdict } from '../ports/ledger.ts';
import type { ReceivedWake } from '../ports/queue.ts';
import type { Context } from '../stages/context.ts';
import { hintEach } from '../stages/hint.ts';
import type { Marked } from '../stages/deliver.ts';
import { emitMove } from '../stages/events.ts';
import { settle, type Settlement } from '../stages/settle.ts';
import type { Health } from './health.ts';
import type { Reports } from './reports.ts';

export interface Ended {
  readonly item: Marked;
  readonly outcome: Outcome;
  readonly wakes: readonly ReceivedWake[];
  /** It holds no mark (any more): a late answer, kept as evidence. */
  readonly late: boolean;
}

export interface SettlerHooks {
  /** The outcomes of so many are durable, or left to the sweeper. */
  readonly durable: (count: number) => void;
  readonly ack: (wakes: readonly ReceivedWake[]) => void;
  /** Gives wakes back, to come again after a lease. */
  readonly later: (wakes: readonly ReceivedWake[]) => void;
  /** What attempts prove about addresses, where somebody wants to know. */
  readonly reports: Reports | null;
}

function isOwnedByLedger(verdict: SettleVerdict): boolean {
  if (verdict.kind === 'absent') return false;
  return verdict.state !== 'processing' && verdict.state !== 'dispatching' && verdict.state !== 'queued';
}

/**
 * Group commit of outcomes: one settle call at a time, carrying all that ended meanwhile. A call that fails is repeated until the ledger
 * takes it: what is known must not become unknown because the ledger was away for longer than a dispatch window. Outcomes that come too
 * late are evidence of their own attempt. There are never more of them than there may be marks at once.
 */
export class Settler {
  readonly #context: Context;
  readonly #health: Health;
  readonly #hooks: SettlerHooks;
  #waiting: Ended[] = [];
  #running: Promise<void> | null = null;

  constructor(context: Context, health: Health, hooks: SettlerHooks) {
    this.#context = context;
    this.#health = health;
    this.#hooks = hooks;
  }

  add(ended: Ended): void {
    this.#waiting.push(ended);
    this.#running ??= this.#run();
  }

  /** Resolves when nothing is left to settle. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Everything that ends in the same turn goes into one call.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#context.settings.worker.batch * 4);
      try {
        await this.#settle(batch);
      } catch (thrown) {
        // Not the ledger, which is asked again: a bug. The outcomes are durable, or the sweeper's; the next batch must be settled.
        this.#health.noted('work', thrown);
      }
      let marks = 0;
      for (const ended of batch) if (!ended.late) marks += 1;
      this.#hooks.durable(marks);
    }
    this.#running = null;
  }

  async #settle(batch: readonly Ended[]): Promise<void> {
    const { ledger } = this.#context;
    const requests = batch.map((ended) => this.#request(ended));
    for (let times = 1; ; times += 1) {
      let verdicts: readonly SettleVerdict[];
      try {
        verdicts = await ledger.settle(requests);
      } catch (thrown) {
        // Outcomes are written even while the worker stops.
        await this.#health.failed('ledger', thrown, { times });
        continue;
      }
      this.#health.worked('ledger');
      return this.#settled(batch, requests, verdicts);
    }
  }

  #request({ item, outcome }: Ended): SettleRequest {
    const { granted, provider } = item.prepared;
    return {
      id: granted.record.id,
      fence: granted.fence,
      attempt: item.attempt,
      provider: provider.name,
      key: item.key,
      outcome,
      ...this.#settlementOf(item, outcome),
    };
  }

  /** One outcome that cannot be decided on is left to the reconciler; the others of its batch are settled. */
  #settlementOf({ prepared: { granted, type, provider } }: Marked, outcome: Outcome): Settlement {
    const { record } = granted;
    try {
      const order = this.#context.settings.channels.get(record.target.channel)?.order ?? [provider.name];
      const random = outcome.kind === 'accepted' ? 0 : this.#context.random.next();
      return settle(outcome, { record, provider: provider.name, order, policy: type.policy, random });
    } catch (thrown) {
      this.#health.noted('work', thrown);
      const reason = `cannot be decided: ${reasonOf(thrown)}`;
      return { next: { kind: 'unknown', reconcileInMs: 0, reason }, refund: false };
    }
  }

  async #settled(
    batch: readonly Ended[],
    requests: readonly SettleRequest[],
    verdicts: readonly SettleVerdict[],
  ): Promise<void> {
    this.#health.progressed();
    const wakes: ReceivedWake[] = [];
    const again: { readonly id: string; readonly delayMs: number }[] = [];
    batch.forEach(({ item, outcome, wakes: ofItem }, at) => {
      const verdict = verdicts[at];
      const next = requests[at]?.next;
      if (verdict === undefined || next === undefined) return;
      // Rule 5: settled, waiting for a time that the ledger brings back, or unknown. Else somebody else is at it, or it is gone.
      if (isOwnedByLedger(verdict)) wakes.push(...ofItem);
      else this.#hooks.later(ofItem);
      this.#tell(item, outcome, verdict);
      this.#hooks.reports?.heard(item, outcome);
      if (verdict.kind !== 'settled' || verdict.state !== 'retry-scheduled' || next.kind !== 'retry') return;
      if (next.provider !== item.prepared.provider.name) this.#tellFailover(item, next.provider);
      again.push({ id: verdict.id, delayMs: next.delayMs });
    });
    if (wakes.length > 0) this.#hooks.ack(wakes);
    if (again.length > 0) await hintEach(this.#context, this.#context.queue, again);
  }

  #tell({ prepared, attempt }: Marked, outcome: Outcome, verdict: SettleVerdict): void {
    const { emit, clock } = this.#context;
    const { record } = prepared.granted;
    const reason = 'reason' in outcome ? outcome.reason : null;
    const { id } = record;
    emit({
      kind: 'attempt.ended',
      at: clock.now(),
      id,
      provider: prepared.provider.name,
      attempt,
      outcome: outcome.kind,
      reason,
    });
    if (verdict.kind === 'absent') return;
    if (verdict.duplicate) emit({ kind: 'duplicate.recorded', at: clock.now(), id });
    emitMove(this.#context, record, verdict.state, reason);
  }

  #tellFailover({ prepared }: Marked, to: string): void {
    const { emit, clock } = this.#context;
    emit({
      kind: 'delivery.failover',
      at: clock.now(),
      id: prepared.granted.record.id,
      from: prepared.provider.name,
      to,
      declared: false,
    });
  }
}
