import type { Ledger, Page } from '@sendonce/core';
import { countRows } from './count.ts';
import type { Connection } from './database.ts';
import { notificationConditions, scansOf } from './filters.ts';
import { storeTime } from './store-clock.ts';
import { storyOf } from './story.ts';
import {
  DELIVERIES,
  deliveryOf,
  NOTIFICATIONS,
  orNull,
  withData,
  type JoinedRow,
  type WholeNotification,
} from './whole-rows.ts';

type Reading = Pick<Ledger, 'find' | 'findNotifications' | 'list' | 'listNotifications' | 'count' | 'history'>;
const DEFAULT_LIMIT = 100;

/** Runs something that reads, on one snapshot of the file. */
export type Snapshot = <T>(read: (connection: Connection) => T) => Promise<T>;

/** What cannot be read is left out of what is found and listed: `count` tells of it. */
export function reading(snapshot: Snapshot, now: () => number): Reading {
  return {
    find: (ids) =>
      snapshot((connection) =>
        ids.map((id) => orNull(connection.get<JoinedRow>(`${DELIVERIES} WHERE d.id = ?`, id), deliveryOf)),
      ),
    findNotifications: (ids) =>
      snapshot((connection) =>
        ids.map((id) => orNull(connection.get<WholeNotification>(`${NOTIFICATIONS} WHERE id = ?`, id), withData)),
      ),
    list: (filter, { limit = DEFAULT_LIMIT, cursor = null } = {}) =>
      snapshot((connection) => {
        const after = Number(cursor ?? -1);
        const rows = scansOf(filter, storeTime(connection, now())).flatMap(({ conditions, values }) =>
          connection.all<JoinedRow>(
            `${DELIVERIES} WHERE d.seq > ?${and(conditions)} ORDER BY d.seq LIMIT ?`,
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
    count: () => snapshot((connection) => countRows(connection, storeTime(connection, now()))),
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

function pageOf<Row extends { readonly seq: number }, T>(
  rows: readonly Row[],
  limit: number,
  make: (row: Row) => T,
): Page<T> {
  const last = rows.at(-1);
  const items = rows.map((row) => orNull(row, make)).filter((item): item is T & {} => item !== null);
  return { items, cursor: last === undefined || rows.length < limit ? null : String(last.seq) };
}
