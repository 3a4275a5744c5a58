import type { DeliveryRecord, Ledger, NotificationRecord, Page } from '@sendonce/core';
import { countRows } from './count.ts';
import type { Connection } from './database.ts';
import { recordOf, ROW_COLUMNS, WITH_MESSAGE, type DeliveryRow, type Parent } from './delivery-row.ts';
import { notificationConditions, scansOf } from './filters.ts';
import { NOTIFICATION_COLUMNS, notificationOf, type NotificationRow } from './notification-row.ts';
import { storyOf } from './story.ts';

type Reading = Pick<Ledger, 'find' | 'findNotifications' | 'list' | 'listNotifications' | 'count' | 'history'>;
const DEFAULT_LIMIT = 100;

type JoinedRow = DeliveryRow & { readonly parent: string };
const JOINED = `SELECT ${ROW_COLUMNS}, n.body AS parent, ${WITH_MESSAGE} AS message
  FROM sendonce_deliveries d JOIN sendonce_notifications n ON n.seq = d.notification`;
type WholeNotification = NotificationRow & { readonly data: string | null };
const NOTIFICATIONS = `SELECT ${NOTIFICATION_COLUMNS}, data FROM sendonce_notifications`;

/** Runs something that reads, on one snapshot of the file. */
export type Snapshot = <T>(read: (connection: Connection) => T) => Promise<T>;

/** What cannot be read is left out of what is found and listed: `count` tells of it. */
export function reading(snapshot: Snapshot, now: () => number): Reading {
  return {
    find: (ids) =>
      snapshot((connection) =>
        ids.map((id) => orNull(connection.get<JoinedRow>(`${JOINED} WHERE d.id = ?`, id), deliveryOf)),
      ),
    findNotifications: (ids) =>
      snapshot((connection) =>
        ids.map((id) => orNull(connection.get<WholeNotification>(`${NOTIFICATIONS} WHERE id = ?`, id), withData)),
      ),
    list: (filter, { limit = DEFAULT_LIMIT, cursor = null } = {}) =>
      snapshot((connection) => {
        const after = Number(cursor ?? -1);
        const rows = scansOf(filter, now()).flatMap(({ conditions, values }) =>
          connection.all<JoinedRow>(
            `${JOINED} WHERE d.seq > ?${and(conditions)} ORDER BY d.seq LIMIT ?`,
            after,
            ...values,
            limit,
          ),
        );
        return pageOf(rows.sort((a, b) => a.seq - b.seq).slice(0, limit), limit, deliveryOf);
      }),
    listNotifications: (filter, { limit = DEFAULT_LIMIT, cursor = null } = {}) =>
      snapshot((connection) => {
        const { conditions, values } = notificationConditions(filter);
        const sql = `${NOTIFICATIONS} WHERE seq > ?${and(conditions)} ORDER BY seq LIMIT ?`;
        return pageOf(connection.all<WholeNotification>(sql, Number(cursor ?? -1), ...values, limit), limit, withData);
      }),
    count: () => snapshot((connection) => countRows(connection, now())),
    history: (id) =>
      snapshot((connection) => {
        const row = connection.get<{ story: string }>('SELECT story FROM sendonce_deliveries WHERE id = ?', id);
        return row === undefined ? [] : storyOf(row.story);
      }),
  };
}

function and(conditions: readonly string[]): string {
  return conditions.map((each) => ` AND ${each}`).join('');
}

function deliveryOf(row: JoinedRow): DeliveryRecord {
  return recordOf(row, { ...(JSON.parse(row.parent) as Omit<Parent, 'seq'>), seq: row.notification });
}

function withData(row: WholeNotification): NotificationRecord {
  return notificationOf(row, () => (row.data === null ? null : (JSON.parse(row.data) as unknown)));
}

function orNull<Row, T>(row: Row | undefined, make: (row: Row) => T): T | null {
  if (row === undefined) return null;
  try {
    return make(row);
  } catch {
    return null;
  }
}

function pageOf<Row extends { readonly seq: number }, T>(
  rows: readonly Row[],
  limit: number,
  make: (row: Row) => T,
): Page<T> {
  const last = rows.at(-1);
  const items = rows.map((row) => orNull(row, make)).filter((item): item is T & {} => item !== null);
  return { items, cursor: last === undefined || rows.length < limit ? null : String(last.seq) };
}
