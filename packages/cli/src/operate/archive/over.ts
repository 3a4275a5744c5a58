import type { DeliveryRecord, Hold, Ledger, NotificationRecord } from '@sendonce/core';
import { steps } from '@sendonce/core/internal';
import { PAGE, pages } from '../pages.ts';

/** A notification that is over, with all that came of it, page by page. */
export interface Over {
  readonly notification: NotificationRecord;
  readonly pages: AsyncIterable<readonly DeliveryRecord[]>;
}

export interface OverOptions {
  /** Epoch ms. */
  readonly before: number;
  /** It is to be forgotten afterwards, so a delivery that is parked holds it too. */
  readonly forgets: boolean;
}

/**
 * What is in the archive of one notification, or what holds it: it is not over, or not for so long, or a delivery of it is (again) open.
 * A list that fits a page is read once, a longer one twice, so that it never stands in memory whole.
 */
export async function overBefore(
  ledger: Ledger,
  notification: NotificationRecord,
  options: OverOptions,
): Promise<Over | { readonly hold: Hold }> {
  const own = steps.holdOfNotification(notification, options.before);
  if (own !== null) return { hold: own };
  let first: readonly DeliveryRecord[] = [];
  let count = 0;
  for await (const { items } of pages(ledger, { notificationId: notification.id })) {
    for (const record of items) {
      const hold = steps.holdOfDelivery(record, options.before);
      if (hold !== null && (hold !== 'parked' || options.forgets)) return { hold };
    }
    if (count === 0) first = items;
    count += items.length;
  }
  return { notification, pages: count <= PAGE ? once(first) : again(ledger, notification.id) };
}

async function* once(items: readonly DeliveryRecord[]): AsyncGenerator<readonly DeliveryRecord[]> {
  yield await Promise.resolve(items);
}

async function* again(ledger: Ledger, notificationId: string): AsyncGenerator<readonly DeliveryRecord[]> {
  for await (const { items } of pages(ledger, { notificationId })) yield items;
}
