import type { DeliveryRecord, DeliveryState } from '../model/delivery.ts';
import type { NotificationRecord } from '../model/notification.ts';
import { wantsWork } from '../model/steps/notification.ts';

/** A field of a delivery that says when something has to happen to it. */
export type TimeField = 'dueAt' | 'leaseUntil' | 'dispatchUntil';

/** The state's time for a claim. A state without one may not be claimed. */
const WORK: { readonly [State in DeliveryState]?: TimeField } = {
  queued: 'dueAt',
  'retry-scheduled': 'dueAt',
  processing: 'leaseUntil',
};
/** The state's time for the sweeper. */
const WATCH: { readonly [State in DeliveryState]?: TimeField } = { dispatching: 'dispatchUntil', unknown: 'dueAt' };

/** The field that `workAt` reads in this state; undefined where there is none. */
export function workField(state: DeliveryState): TimeField | undefined {
  return WORK[state];
}
/** The field that `watchAt` reads in this state; undefined where there is none. */
export function watchField(state: DeliveryState): TimeField | undefined {
  return WATCH[state];
}

/** When a delivery may be claimed; null when it may not. */
export function workAt(record: DeliveryRecord): number | null {
  const field = WORK[record.state];
  return field === undefined ? null : record[field];
}

/** When the sweeper has to look at it; null when never. */
export function watchAt(record: DeliveryRecord): number | null {
  const field = WATCH[record.state];
  return field === undefined ? null : record[field];
}

/** When a notification may be claimed; null when it may not. */
export function notificationWorkAt(record: NotificationRecord): number | null {
  return wantsWork(record) ? (record.leaseUntil ?? record.dueAt) : null;
}
