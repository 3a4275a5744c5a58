import type { Counts, DeliveryRecord, Ledger, NotifierConfig } from '@sendonce/core';
import { failedCause } from '../failed-cause.ts';
import { LetterCounts } from '../letter-counts.ts';
import { DEAD_LETTER_STATES, NOT_REPLACED } from '../letter-filter.ts';
import { reasonOf } from '../lack.ts';
import { reasonGroup } from '../reason-group.ts';
import { Tally } from '../tally.ts';
import { absolute } from '../words.ts';
import type { StatusReport } from './report.ts';
import { scan } from './scan.ts';

/** After this nobody can mend it any more, and a monitor must become silent again without a person, ms. */
const FRESH_MS = 7 * 86_400_000;

/** What gave up and may be sent again, and what cannot be any more because its time is over. */
export async function unsentOf(
  ledger: Ledger,
  config: NotifierConfig,
  { deliveries }: Counts,
  now: number,
): Promise<Pick<StatusReport, 'deadLetters' | 'expired'>> {
  const open = new LetterCounts();
  const kinds = new Tally();
  const sums = { expired: 0, dead: 0, tooLate: 0, notMade: 0 };
  let expiry = Infinity;
  const tooLate = (record: DeliveryRecord): void => {
    if (now - Math.max(record.settledAt ?? record.updatedAt, record.expiresAt ?? 0) > FRESH_MS) return;
    sums[record.state === 'dead' ? 'dead' : 'expired'] += 1;
    kinds.add(`${record.type} by ${record.provider}: ${reasonGroup(reasonOf(record, config))}`);
  };
  const areAllOpen = await scan(ledger, { states: DEAD_LETTER_STATES, ...NOT_REPLACED }, (record) => {
    const expiresAt = record.state === 'dead' ? (record.expiresAt ?? Infinity) : Infinity;
    if (expiresAt > now) {
      if (record.state === 'failed' && failedCause(record) === 'not-made') sums.notMade += 1;
      expiry = Math.min(expiry, expiresAt);
      return open.add(record, now);
    }
    sums.tooLate += 1;
    tooLate(record);
  });
  const areAllExpired = await scan(ledger, { states: ['expired'] }, tooLate);
  const { state, reason, age } = open.counts;
  const of = (name: string): number => state.find((each) => each.name === name)?.count ?? 0;
  const byState = { dead: of('dead'), failed: of('failed'), parked: of('parked') };
  const left = byState.dead + byState.failed + byState.parked + sums.tooLate;
  return {
    deadLetters: {
      ...byState,
      notMade: sums.notMade,
      firstExpiresAt: expiry === Infinity ? null : absolute(expiry),
      tooLate: sums.tooLate,
      replayed: areAllOpen ? deliveries.dead + deliveries.failed + deliveries.parked - left : null,
      reasons: reason.slice(0, 10),
      ages: age,
      isComplete: areAllOpen,
    },
    expired: {
      count: sums.expired + sums.dead,
      dead: sums.dead,
      kinds: kinds.counts.slice(0, 10),
      isComplete: areAllExpired,
    },
  };
}
