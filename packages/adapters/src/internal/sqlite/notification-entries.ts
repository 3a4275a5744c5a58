import type { NotificationRecord } from '@sendonce/core';
import type { NotificationEntry } from '@sendonce/core/records';
import type { Connection } from './database.ts';
import {
  DATA_COLUMNS,
  dataOf,
  NOTIFICATION_COLUMNS,
  notificationOf,
  type DataRow,
  type NotificationBody,
  type NotificationRow,
} from './notification-row.ts';

/** A notification as this transaction sees it. */
export interface Entry extends NotificationEntry {
  readonly seq: number;
  record: NotificationRecord;
  open: number;
  isDirty: boolean;
}

/** The notifications that one transaction has met, each read once. Undefined everywhere: there is none, or it cannot be read. */
export interface NotificationEntries {
  begin(): void;
  /** A row that a query brought. */
  enter(row: NotificationRow): Entry | undefined;
  bySeq(seq: number): Entry | undefined;
  byId(id: string): Entry | undefined;
  all(): Iterable<Entry>;
}

/** Data of how many notifications are kept between transactions: they never change. */
const MOST_REMEMBERED = 256;

export function notificationEntries(connection: Connection): NotificationEntries {
  const entries = new Map<number, Entry | undefined>();
  const seqs = new Map<string, number>();
  const data = new Map<string, unknown>();

  function knownData(seq: number, { id, fingerprint, acceptedAt }: NotificationBody): unknown {
    // Not by its number: after a rollback, or once it is forgotten, another notification may get that.
    const key = `${id} ${fingerprint} ${acceptedAt}`;
    if (data.has(key)) return data.get(key);
    const row = connection.get<DataRow>(`SELECT ${DATA_COLUMNS} FROM sendonce_notifications WHERE seq = ?`, seq);
    const value = row === undefined ? null : dataOf(row);
    if (data.size >= MOST_REMEMBERED) data.clear();
    data.set(key, value);
    return value;
  }

  function enter(row: NotificationRow): Entry | undefined {
    if (entries.has(row.seq)) return entries.get(row.seq);
    const entry = readable(row);
    entries.set(row.seq, entry);
    if (entry !== undefined) seqs.set(entry.record.id, row.seq);
    return entry;
  }

  function readable(row: NotificationRow): Entry | undefined {
    const { seq, open } = row;
    try {
      return { seq, open, record: notificationOf(row, (body) => knownData(seq, body)), isDirty: false };
    } catch {
      // One damaged row must not hold up the others. Without a time it is in no queue of work, and counts as lost where it had one.
      connection.run('UPDATE sendonce_notifications SET work_at = NULL, ended = NULL WHERE seq = ?', seq);
      return undefined;
    }
  }

  function one(column: 'seq' | 'id', value: string | number): Entry | undefined {
    const sql = `SELECT ${NOTIFICATION_COLUMNS} FROM sendonce_notifications WHERE ${column} = ?`;
    const row = connection.get<NotificationRow>(sql, value);
    return row && enter(row);
  }

  return {
    begin() {
      entries.clear();
      seqs.clear();
    },
    enter,
    bySeq: (seq) => (entries.has(seq) ? entries.get(seq) : one('seq', seq)),
    byId(id) {
      const seq = seqs.get(id);
      return seq === undefined ? one('id', id) : entries.get(seq);
    },
    *all() {
      for (const entry of entries.values()) if (entry !== undefined) yield entry;
    },
  };
}
