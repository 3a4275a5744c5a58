import { isSettled, type DeliveryRecord, type Ledger, type NotificationRecord } from '@sendonce/core';
import { isNotificationOver } from '@sendonce/core/internal';
import { PAGE, pages } from '../pages.ts';

/** A notification that is over, with all that came of it. */
export interface Over {
  readonly notification: NotificationRecord;
  readonly deliveries: number;
  /** Page by page. */
  readonly pages: AsyncIterable<readonly DeliveryRecord[]>;
}

/**
 * What is in the archive of one notification; null where it is none of it: not over, or not for so long, or a delivery of it is (again) open.
 * A list that fits a page is read once, a longer one twice, so that it never stands in memory whole.
 */
export async function overBefore(
  ledger: Ledger,
  notification: NotificationRecord,
  before: number,
): Promise<Over | null> {
  if (!isNotificationOver(notification.state) || notification.acceptedAt >= before) return null;
  let deliveries = 0;
  let first: readonly DeliveryRecord[] = [];
  for await (const { items } of pages(ledger, { notificationId: notification.id })) {
    if (!items.every((record) => isOver(record, before))) return null;
    if (deliveries === 0) first = items;
    deliveries += items.length;
  }
  return { notification, deliveries, pages: deliveries <= PAGE ? once(first) : again(ledger, notification.id) };
}

function isOver({ state, settledAt }: DeliveryRecord, before: number): boolean {
  return isSettled(state) && settledAt !== null && settledAt < before;
}

async function* once(items: readonly DeliveryRecord[]): AsyncGenerator<readonly DeliveryRecord[]> {
  yield await Promise.resolve(items);
}

async function* again(ledger: Ledger, notificationId: string): AsyncGenerator<readonly DeliveryRecord[]> {
  for await (const { items } of pages(ledger, { notificationId })) yield items;
}
