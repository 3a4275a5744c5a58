import { isSettled, type DeliveryRecord } from '../model/delivery.ts';
import type { NotificationRecord } from '../model/notification.ts';
import { wantsWork } from '../model/steps/notification.ts';

/** When a delivery may be claimed; null when it may not. */
export function workAt(record: DeliveryRecord): number | null {
  if (record.state === 'queued' || record.state === 'retry-scheduled') return record.dueAt;
  return record.state === 'processing' ? record.leaseUntil : null;
}

/** When the sweeper has to look at it; null when never. */
export function watchAt(record: DeliveryRecord): number | null {
  if (record.state === 'dispatching') return record.dispatchUntil;
  return record.state === 'unknown' ? record.dueAt : null;
}

/** When a notification may be claimed; null when it may not. */
export function notificationWorkAt(record: NotificationRecord): number | null {
  return wantsWork(record) ? (record.leaseUntil ?? record.dueAt) : null;
}

/** How many open deliveries this one is. */
export function openOf(record: DeliveryRecord): number {
  return isSettled(record.state) ? 0 : 1;
}
