import type { DeliveryRecord, NotificationRecord } from '@sendonce/core';
import { recordOf, ROW_COLUMNS, WITH_MESSAGE, type DeliveryRow, type Parent } from './delivery-row.ts';
import {
  DATA_COLUMNS,
  dataOf,
  NOTIFICATION_COLUMNS,
  notificationOf,
  type DataRow,
  type NotificationRow,
} from './notification-row.ts';

/*
 * Rows with all that their records are made of, for whoever only looks.
 */

export type JoinedRow = DeliveryRow & { readonly parent: string };
export const DELIVERIES: string = `SELECT ${ROW_COLUMNS}, n.body AS parent, ${WITH_MESSAGE} AS message
  FROM sendonce_deliveries d JOIN sendonce_notifications n ON n.seq = d.notification`;
export type WholeNotification = NotificationRow & DataRow;
export const NOTIFICATIONS: string = `SELECT ${NOTIFICATION_COLUMNS}, ${DATA_COLUMNS} FROM sendonce_notifications`;

/** @throws for a row that cannot be read. */
export function deliveryOf(row: JoinedRow): DeliveryRecord {
  return recordOf(row, { ...(JSON.parse(row.parent) as Omit<Parent, 'seq'>), seq: row.notification });
}

/** @throws for a row that cannot be read. */
export function withData(row: WholeNotification): NotificationRecord {
  return notificationOf(row, () => dataOf(row));
}

/** Null for no row, and for one that cannot be read. */
export function orNull<Row, T>(row: Row | undefined, make: (row: Row) => T): T | null {
  if (row === undefined) return null;
  try {
    return make(row);
  } catch {
    return null;
  }
}
