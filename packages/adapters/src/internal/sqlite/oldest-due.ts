import type { Connection } from './database.ts';
import { dueRows } from './due.ts';
import {
  DELIVERIES,
  deliveryOf,
  NOTIFICATIONS,
  orNull,
  withData,
  type JoinedRow,
  type WholeNotification,
} from './whole-rows.ts';

/** Read at once; nearly always the first is the one. */
const ROWS = 5;

/** Since when the longest waiting work has been due, epoch ms; null: none waits. What cannot be read is no work: nobody takes it up. */
export function oldestDue(connection: Connection): number | null {
  const of = [
    firstOf<JoinedRow>(connection, `${DELIVERIES} WHERE ${after('d.work_at', 'd.seq')}`, deliveryOf),
    firstOf<WholeNotification>(connection, `${NOTIFICATIONS} WHERE ${after('work_at', 'seq')}`, withData),
  ].filter((at) => at !== null);
  return of.length === 0 ? null : Math.min(...of);
}

function after(at: string, seq: string): string {
  return `${at} IS NOT NULL AND (${at}, ${seq}) > (?, ?) ORDER BY ${at}, ${seq} LIMIT ?`;
}

type Due = { readonly seq: number; readonly work_at: number | null };

function firstOf<Row extends Due>(connection: Connection, sql: string, make: (row: Row) => object): number | null {
  const rows = dueRows<Row>(
    ROWS,
    (row) => row.work_at as number,
    (at, seq, limit) => connection.all<Row>(sql, at, seq, limit),
  );
  for (const row of rows) if (orNull(row, make) !== null) return row.work_at;
  return null;
}
