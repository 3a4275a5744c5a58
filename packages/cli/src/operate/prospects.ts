import type { DeliveryRecord, Ledger } from '@sendonce/core';
import { answering } from './answering.ts';
import { prospectOf, type Prospect, type Terms } from './prospect.ts';

/** What replaying these would come to, in their order; one more ledger call for all of them. */
export async function prospectsOf(
  ledger: Ledger,
  records: readonly DeliveryRecord[],
  terms: Terms,
  now: number,
): Promise<readonly Prospect[]> {
  const cancelled = await cancelledOf(ledger, records);
  return records.map((record) =>
    prospectOf(record, terms, { notificationCancelled: cancelled.has(record.notificationId), now }),
  );
}

async function cancelledOf(ledger: Ledger, records: readonly DeliveryRecord[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(records.map(({ notificationId }) => notificationId))];
  if (ids.length === 0) return new Set();
  const found = await answering('find notifications', ledger.findNotifications(ids));
  return new Set(found.flatMap((each) => (each?.state === 'cancelled' ? [each.id] : [])));
}
