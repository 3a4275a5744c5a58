import type { DeliveryRecord, Ledger, NotifierConfig } from '@sendonce/core';
import { LetterCounts } from '../letter-counts.ts';
import { DEAD_LETTER_STATES } from '../letter-filter.ts';
import { reasonOf } from '../lack.ts';
import { reasonGroup } from '../reason-group.ts';
import { Tally } from '../tally.ts';
import type { StatusReport } from './report.ts';
import { scan } from './scan.ts';

/** After this nobody can mend it any more, and a monitor must become silent again without a person, ms. */
const FRESH_MS = 7 * 86_400_000;

/** What gave up and may be sent again, and what cannot be any more because its time is over. */
export async function unsentOf(
  ledger: Ledger,
  config: NotifierConfig,
  now: number,
): Promise<Pick<StatusReport, 'deadLetters' | 'expired'>> {
  const open = new LetterCounts();
  const kinds = new Tally();
  const sums = { replayed: 0, expired: 0, dead: 0 };
  const tooLate = (record: DeliveryRecord): void => {
    if (now - Math.max(record.settledAt ?? record.updatedAt, record.expiresAt ?? 0) > FRESH_MS) return;
    sums[record.state === 'dead' ? 'dead' : 'expired'] += 1;
    kinds.add(`${record.type} by ${record.provider}: ${reasonGroup(reasonOf(record, config))}`);
  };
  const areAllOpen = await scan(ledger, { states: DEAD_LETTER_STATES }, (record) => {
    if (record.replacedBy !== null) sums.replayed += 1;
    else if (record.state === 'dead' && record.expiresAt !== null && record.expiresAt <= now) tooLate(record);
    else open.add(record, now);
  });
  const areAllExpired = await scan(ledger, { states: ['expired'] }, tooLate);
  const { state, reason, age } = open.counts;
  const of = (name: string): number => state.find((each) => each.name === name)?.count ?? 0;
  return {
    deadLetters: {
      dead: of('dead'),
      failed: of('failed'),
      parked: of('parked'),
      replayed: sums.replayed,
      reasons: reason.slice(0, 10),
      ages: age,
      isComplete: areAllOpen,
    },
    expired: {
      count: sums.expired + sums.dead,
      dead: sums.dead,
      kinds: kinds.counts.slice(0, 10),
      isComplete: areAllOpen && areAllExpired,
    },
  };
}
