import type { NotificationRecord } from '@sendonce/core';
import { notificationWorkAt, type DueRecords, type Notifications, type Ref } from '@sendonce/core/records';
import type { Counters } from './counters.ts';
import type { Connection } from './database.ts';
import type { Parent } from './delivery-row.ts';
import { chunked, dueRows } from './due.ts';
import { notificationEntries, type Entry, type NotificationEntries } from './notification-entries.ts';
import { FORGOTTEN, NOTIFICATION_COLUMNS, type NotificationRow } from './notification-row.ts';
import { notificationWriter } from './notification-writer.ts';
import { pages } from './pages.ts';

export interface SqliteNotifications extends Notifications<Entry> {
  begin(): void;
  flush(): void;
  /** @throws when there is none, or none that can be read. */
  parentOf(seq: number): Parent;
  /** One of its deliveries was opened or settled: at the last one it is done. */
  countOpen(seq: number, change: number): void;
}

export interface NotificationsOptions {
  readonly now: () => number;
  readonly counters: Counters;
  readonly contentRetentionMs: number;
  readonly retentionMs: number;
  readonly tombstoneRetentionMs: number | null;
}

export function notifications(connection: Connection, options: NotificationsOptions): SqliteNotifications {
  const { counters } = options;
  const entries = notificationEntries(connection);
  const writer = notificationWriter(connection, options);
  const stored = pages(connection);

  function update(entry: Entry, record: NotificationRecord): void {
    if (record === entry.record) return;
    counters.add(`n:${entry.record.state}`, -1);
    counters.add(`n:${record.state}`, 1);
    entry.record = record;
    entry.isDirty = true;
  }

  function seqsWhere(condition: string, ...values: number[]): Iterable<number> {
    return chunked((after, limit) =>
      connection
        .all<{ seq: number }>(`SELECT seq FROM ${condition} AND seq > ? ORDER BY seq LIMIT ?`, ...values, after, limit)
        .map(({ seq }) => seq),
    );
  }

  return {
    begin: () => entries.begin(),
    flush() {
      for (const entry of entries.all()) writer.update(entry);
    },
    parentOf(seq) {
      const entry = entries.bySeq(seq);
      if (entry === undefined) throw new TypeError(`no notification ${seq} for this delivery`);
      const { id, tenant, type, class: ofClass } = entry.record;
      return { seq, id, tenant, type, class: ofClass };
    },
    countOpen(seq, change) {
      const entry = change === 0 ? undefined : entries.bySeq(seq);
      if (entry === undefined) return;
      entry.open += change;
      entry.isDirty = true;
      if (entry.open === 0 && entry.record.state === 'expanded') update(entry, { ...entry.record, state: 'done' });
    },
    get: (id) => entries.byId(id),
    insert(record) {
      writer.insert(record);
      counters.add(`n:${record.state}`, 1);
      return entries.byId(record.id) as Entry;
    },
    update,
    storePage: ({ seq }, page, targets) => stored.store(seq, page, targets),
    pageOf: ({ seq }, page) => stored.read(seq, page),
    hasPage: ({ seq }, page, targets) => stored.has(seq, page, targets),
    dropPage: ({ seq }, page) => stored.drop(seq, page),
    someDeliveriesOf({ seq }, after, most) {
      const refs = connection
        .all<{ seq: number }>(
          'SELECT seq FROM sendonce_deliveries WHERE notification = ? AND seq > ? ORDER BY seq LIMIT ?',
          seq,
          Number(after ?? -1),
          // One more tells whether there are more.
          most + 1,
        )
        .map((row) => row.seq);
      return refs.length <= most ? { refs, next: null } : { refs: refs.slice(0, most), next: String(refs[most - 1]) };
    },
    bury(entry, tombstone) {
      counters.add(`n:${entry.record.state}`, -1);
      counters.add(`n:${FORGOTTEN}`, 1);
      entry.record = tombstone;
      writer.bury(entry);
      connection.run('DELETE FROM sendonce_pages WHERE notification = ?', entry.seq);
    },
    deliveriesOf: ({ seq }): Iterable<Ref> => seqsWhere('sendonce_deliveries WHERE notification = ?', seq),
    *unfinished() {
      for (const seq of seqsWhere(`sendonce_notifications WHERE over_at IS NULL AND state <> '${FORGOTTEN}'`)) {
        const entry = entries.bySeq(seq);
        if (entry !== undefined) yield entry;
      }
    },
    recount(entry, open) {
      entry.open = open;
      entry.isDirty = true;
    },
    work: notificationsDue(connection, entries),
    takeEnded(max) {
      const rows = connection.all<NotificationRow>(
        `SELECT ${NOTIFICATION_COLUMNS} FROM sendonce_notifications WHERE ended IS NOT NULL ORDER BY seq LIMIT ?`,
        max,
      );
      for (const { seq } of rows) connection.run('UPDATE sendonce_notifications SET ended = NULL WHERE seq = ?', seq);
      return rows.flatMap((row) => entries.enter(row)?.record ?? []);
    },
  };
}

function notificationsDue(connection: Connection, entries: NotificationEntries): DueRecords<Entry> {
  return {
    *due(untilMs, expected) {
      type Row = NotificationRow & { readonly work_at: number };
      const rows = dueRows<Row>(
        expected,
        (row) => row.work_at,
        (at, seq, limit) =>
          connection.all<Row>(
            `SELECT ${NOTIFICATION_COLUMNS} FROM sendonce_notifications
             WHERE work_at <= ? AND (work_at, seq) > (?, ?) ORDER BY work_at, seq LIMIT ?`,
            untilMs,
            at,
            seq,
            limit,
          ),
      );
      for (const row of rows) {
        const item = entries.enter(row);
        // Changed earlier in this transaction: what the row says is not so any more.
        if (item !== undefined && notificationWorkAt(item.record) === row.work_at) yield { at: row.work_at, item };
      }
    },
    leave() {},
  };
}
