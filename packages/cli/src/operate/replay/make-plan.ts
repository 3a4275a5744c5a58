import type { DeliveryRecord, Ledger } from '@sendonce/core';
import { LetterCounts } from '../letter-counts.ts';
import { LISTED_STATES } from '../letter-filter.ts';
import { letters } from '../letters.ts';
import type { Prospect } from '../prospect.ts';
import { prospectsOf } from '../prospects.ts';
import { Refusals, Tally } from '../tally.ts';
import type { ReplayPlan } from './report.ts';
import type { ReplayRequest } from './request.ts';

export interface Planned {
  readonly plan: ReplayPlan;
  /** The latest death among all that were seen, epoch ms of the store: what dies later is not part of this plan. */
  readonly diedBy: number;
}

export const NO_SUCH_DELIVERY = 'there is no such delivery or notification in this ledger';

export interface Watching {
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly read: (seen: number) => void;
}

/** Reads all that fits, page by page, and counts what replaying it would come to. Writes nothing. */
export async function makePlan(
  ledger: Ledger,
  { filter, ids, terms, limit }: ReplayRequest,
  { now, signal, read }: Watching,
): Promise<Planned> {
  const counts = new LetterCounts();
  const refusals = new Refusals();
  const notIncluded = new Tally();
  const sums = { chosen: 0, beyondLimit: 0, possibleDuplicates: 0, alreadyReplayed: 0 };
  const named = new Set(ids);
  let diedBy = 0;
  let seen = 0;

  function count(record: DeliveryRecord, prospect: Prospect): void {
    // Nobody asked for it; who did is told that it is refused.
    if (record.state === 'expired' && !named.has(record.id)) return notIncluded.add(record.state);
    switch (prospect.kind) {
      case 'already-replayed':
        if (prospect.isIncluded) sums.alreadyReplayed += 1;
        return;
      case 'not-included':
        return notIncluded.add(prospect.state);
      case 'refused':
        return refusals.add(prospect.reason, record.id);
      case 'chosen':
        if (limit !== null && sums.chosen >= limit) {
          sums.beyondLimit += 1;
          return;
        }
        sums.chosen += 1;
        if (prospect.possibleDuplicate) sums.possibleDuplicates += 1;
        counts.add(record, now());
    }
  }

  for await (const { items, absent } of letters(ledger, { filter, ids, states: LISTED_STATES })) {
    for (const id of absent) refusals.add(NO_SUCH_DELIVERY, id);
    const prospects = await prospectsOf(ledger, items, terms, now());
    items.forEach((record, at) => {
      diedBy = Math.max(diedBy, record.settledAt ?? record.updatedAt);
      count(record, prospects[at]!);
    });
    seen += items.length;
    read(seen);
    if (signal.aborted) break;
  }
  return {
    plan: { ...sums, by: counts.counts, notIncluded: notIncluded.counts, refused: refusals.list },
    diedBy,
  };
}
