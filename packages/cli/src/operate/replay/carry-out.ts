import type { Ledger, Notifier, ReplayVerdict } from '@sendonce/core';
import { answering } from '../answering.ts';
import { letters } from '../letters.ts';
import { pause } from '../pause.ts';
import { prospectsOf } from '../prospects.ts';
import { Refusals } from '../tally.ts';
import { NO_SUCH_DELIVERY, type Planned } from './make-plan.ts';
import type { ReplayResult } from './report.ts';
import type { ReplayRequest } from './request.ts';

const BATCH = 100;

export interface CarryOut {
  readonly ledger: Ledger;
  readonly notifier: Notifier;
  readonly now: () => number;
  /** Stops after the batch that is in flight. */
  readonly signal: AbortSignal;
  /** After each batch. */
  readonly told: (result: ReplayResult) => void;
}

/**
 * Makes the new generations, a batch at a time: at most `limit`, and none of what died after the plan was made, or a provider that is
 * still down would keep this busy for ever. The ledger takes each of them once, however many runs are at it.
 * @throws SendonceError LEDGER_UNAVAILABLE and the like; `told` has heard of all that is done.
 */
export async function carryOut(
  { terms, filter, ids, limit, rate }: ReplayRequest,
  { plan, diedBy }: Planned,
  { ledger, notifier, now, signal, told }: CarryOut,
): Promise<void> {
  const refusals = new Refusals();
  const sums = { replayed: 0, repeated: 0, alreadyReplayed: 0, possibleDuplicates: 0 };
  const { by, why, force, states } = terms;
  let asked = 0;

  function result(): ReplayResult {
    const elsewhere = sums.repeated + Math.max(0, sums.alreadyReplayed - plan.alreadyReplayed);
    const { replayed, possibleDuplicates } = sums;
    return { replayed, elsewhere, refused: refusals.list, possibleDuplicates };
  }

  function count(id: string, verdict: ReplayVerdict): void {
    switch (verdict.kind) {
      case 'replayed':
        sums.replayed += 1;
        if (verdict.possibleDuplicate) sums.possibleDuplicates += 1;
        return;
      case 'repeated':
        sums.repeated += 1;
        return;
      case 'refused':
        return refusals.add(verdict.reason, id);
      case 'absent':
        return refusals.add(NO_SUCH_DELIVERY, id);
    }
  }

  async function* chosen(): AsyncGenerator<string> {
    for await (const { items, absent } of letters(ledger, { filter, ids, states })) {
      for (const id of absent) refusals.add(NO_SUCH_DELIVERY, id);
      const old = items.filter((record) => (record.settledAt ?? record.updatedAt) <= diedBy);
      const prospects = await prospectsOf(ledger, old, terms, now());
      for (const [at, record] of old.entries()) {
        const prospect = prospects[at]!;
        if (prospect.kind === 'refused') refusals.add(prospect.reason, record.id);
        if (prospect.kind === 'already-replayed' && prospect.isIncluded) sums.alreadyReplayed += 1;
        if (prospect.kind !== 'chosen') continue;
        if (limit !== null && asked >= limit) return;
        asked += 1;
        yield record.id;
      }
    }
  }

  const size = rate === null ? BATCH : Math.max(1, Math.min(BATCH, Math.floor(rate)));
  for await (const batch of batches(chosen(), size)) {
    if (signal.aborted) break;
    const begun = performance.now();
    const verdicts = await answering('replay', notifier.replay(batch, { by, why, force }));
    verdicts.forEach((verdict, at) => count(batch[at]!, verdict));
    told(result());
    if (rate !== null && asked < plan.chosen) await pause((batch.length / rate) * 1_000 + begun, signal);
    if (signal.aborted) break;
  }
  told(result());
}

async function* batches(ids: AsyncIterable<string>, size: number): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  for await (const id of ids) {
    batch.push(id);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
