import { fingerprint, type NotificationRecord, type Target } from '@sendonce/core';
import { isNotificationOver } from '@sendonce/core/internal';
import {
  notificationWorkAt,
  type Due,
  type NotificationEntry,
  type Notifications,
  type Ref,
} from '@sendonce/core/records';
import type { Counters } from './counters.ts';
import type { Connection } from './database.ts';
import { chunked, dueRows } from './due.ts';
import { flag, type Parent } from './delivery-rows.ts';

interface NotificationRow {
  readonly seq: number;
  readonly open: number;
  readonly body: string;
  readonly work_at: number | null;
}

/** A notification as this transaction sees it. */
interface Entry extends NotificationEntry {
  readonly seq: number;
  record: NotificationRecord;
  open: number;
  isDirty: boolean;
}

export interface SqliteNotifications extends Notifications<Entry> {
  begin(): void;
  flush(): void;
  parentOf(seq: number): Parent;
  /** One of its deliveries was opened or settled: at the last one it is done. */
  countOpen(seq: number, change: number): void;
}

const COLUMNS = 'seq, open, body, work_at';
/** Data of how many notifications are kept between transactions: they never change. */
const MOST_REMEMBERED = 256;

export interface NotificationsOptions {
  readonly now: () => number;
  readonly counters: Counters;
  readonly contentRetentionMs: number;
}

export function notifications(
  connection: Connection,
  { now, counters, contentRetentionMs }: NotificationsOptions,
): SqliteNotifications {
  const entries = new Map<number, Entry>();
  const bySeq = new Map<string, number>();
  const data = new Map<string, unknown>();

  function dataOf(seq: number, { id, fingerprint: body, acceptedAt }: Omit<NotificationRecord, 'data'>): unknown {
    // Not by its number: after a rollback, or once it is forgotten, another notification may get that.
    const key = `${id} ${body} ${acceptedAt}`;
    if (data.has(key)) return data.get(key);
    const row = connection.get<{ data: string | null }>('SELECT data FROM sendonce_notifications WHERE seq = ?', seq);
    const value: unknown = row?.data === null || row === undefined ? null : JSON.parse(row.data);
    if (data.size >= MOST_REMEMBERED) data.clear();
    data.set(key, value);
    return value;
  }

  function enter(row: NotificationRow): Entry {
    const known = entries.get(row.seq);
    if (known !== undefined) return known;
    const body = JSON.parse(row.body) as Omit<NotificationRecord, 'data'>;
    const entry: Entry = {
      seq: row.seq,
      open: row.open,
      record: { ...body, data: dataOf(row.seq, body) },
      isDirty: false,
    };
    entries.set(row.seq, entry);
    bySeq.set(body.id, row.seq);
    return entry;
  }

  function bySequence(seq: number): Entry | undefined {
    const known = entries.get(seq);
    if (known !== undefined) return known;
    const row = connection.get<NotificationRow>(`SELECT ${COLUMNS} FROM sendonce_notifications WHERE seq = ?`, seq);
    return row && enter(row);
  }

  function update(entry: Entry, record: NotificationRecord): void {
    if (record === entry.record) return;
    counters.add(`n:${entry.record.state}`, -1);
    counters.add(`n:${record.state}`, 1);
    entry.record = record;
    entry.isDirty = true;
  }

  function write({ seq, record, open }: Entry): void {
    const { data: _, ...body } = record;
    const isOver = isNotificationOver(record.state);
    // Told once: `ended` is cleared when the sweep has told of it, and is not set again by a later write.
    connection.run(
      `UPDATE sendonce_notifications SET state = ?, sealed = ?, open = ?, work_at = ?, body = ?,
         ended = CASE WHEN over_at IS NULL AND ? THEN 1 ELSE ended END,
         over_at = CASE WHEN ? THEN coalesce(over_at, ?) ELSE NULL END,
         erase_at = CASE WHEN ? AND over_at IS NULL THEN ? ELSE erase_at END
       WHERE seq = ?`,
      record.state,
      flag(record.sealed),
      open,
      notificationWorkAt(record),
      JSON.stringify(body),
      flag(isOver && record.state !== 'cancelled'),
      flag(isOver),
      now(),
      flag(isOver),
      now() + contentRetentionMs,
      seq,
    );
  }

  return {
    begin() {
      entries.clear();
      bySeq.clear();
    },
    flush() {
      for (const entry of entries.values()) {
        if (!entry.isDirty) continue;
        write(entry);
        entry.isDirty = false;
      }
    },
    parentOf(seq) {
      const entry = bySequence(seq);
      if (entry === undefined) throw new TypeError(`no notification ${seq} for this delivery`);
      const { id, tenant, type, class: ofClass } = entry.record;
      return { seq, id, tenant, type, class: ofClass };
    },
    countOpen(seq, change) {
      const entry = change === 0 ? undefined : bySequence(seq);
      if (entry === undefined) return;
      entry.open += change;
      entry.isDirty = true;
      if (entry.open === 0 && entry.record.state === 'expanded') update(entry, { ...entry.record, state: 'done' });
    },
    get(id) {
      const seq = bySeq.get(id);
      if (seq !== undefined) return entries.get(seq);
      const row = connection.get<NotificationRow>(`SELECT ${COLUMNS} FROM sendonce_notifications WHERE id = ?`, id);
      return row && enter(row);
    },
    insert(record) {
      const { data: given, ...body } = record;
      connection.run(
        'INSERT INTO sendonce_notifications (id, tenant, type, state, sealed, open, work_at, body, data) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)',
        record.id,
        record.tenant,
        record.type,
        record.state,
        flag(record.sealed),
        notificationWorkAt(record),
        JSON.stringify(body),
        JSON.stringify(given) ?? null,
      );
      counters.add(`n:${record.state}`, 1);
      const row = connection.get<NotificationRow>(
        `SELECT ${COLUMNS} FROM sendonce_notifications WHERE id = ?`,
        record.id,
      );
      return enter(row as NotificationRow);
    },
    update,
    storePage({ seq }, page, targets) {
      const content = JSON.stringify(targets);
      connection.run('DELETE FROM sendonce_pages WHERE notification = ? AND page >= ?', seq, page);
      connection.run(
        'INSERT INTO sendonce_pages (notification, page, targets, fingerprint, content) VALUES (?, ?, ?, ?, ?)',
        seq,
        page,
        targets.length,
        fingerprint(content),
        content,
      );
      const sums = connection.get<{ pages: number; targets: number }>(
        'SELECT count(*) AS pages, sum(targets) AS targets FROM sendonce_pages WHERE notification = ?',
        seq,
      );
      return sums ?? { pages: 0, targets: 0 };
    },
    pageOf({ seq }, page) {
      const row = connection.get<{ content: string | null }>(
        'SELECT content FROM sendonce_pages WHERE notification = ? AND page = ?',
        seq,
        page,
      );
      return row?.content === null || row === undefined ? [] : (JSON.parse(row.content) as Target[]);
    },
    hasPage({ seq }, page, targets) {
      const row = connection.get<{ fingerprint: string }>(
        'SELECT fingerprint FROM sendonce_pages WHERE notification = ? AND page = ?',
        seq,
        page,
      );
      return row?.fingerprint === fingerprint(JSON.stringify(targets));
    },
    // A copy of the file that is restored later has the page again, or the deliveries that were made of it: both were written at once.
    dropPage({ seq }, page) {
      connection.run('UPDATE sendonce_pages SET content = NULL WHERE notification = ? AND page = ?', seq, page);
    },
    *deliveriesOf({ seq }): Generator<Ref> {
      yield* chunked<Ref>((after, limit) =>
        connection
          .all<{ seq: number }>(
            'SELECT seq FROM sendonce_deliveries WHERE notification = ? AND seq > ? ORDER BY seq LIMIT ?',
            seq,
            after,
            limit,
          )
          .map((row) => row.seq),
      );
    },
    *unfinished() {
      const seqs = chunked<number>((after, limit) =>
        connection
          .all<{ seq: number }>(
            'SELECT seq FROM sendonce_notifications WHERE over_at IS NULL AND seq > ? ORDER BY seq LIMIT ?',
            after,
            limit,
          )
          .map((row) => row.seq),
      );
      for (const seq of seqs) {
        const entry = bySequence(seq);
        if (entry !== undefined) yield entry;
      }
    },
    recount(entry, open) {
      entry.open = open;
      entry.isDirty = true;
    },
    work: {
      *due(untilMs, expected): Generator<Due<Entry>> {
        const rows = dueRows<NotificationRow>(
          expected,
          (row) => row.work_at as number,
          (at, seq, limit) =>
            connection.all<NotificationRow>(
              `SELECT ${COLUMNS} FROM sendonce_notifications WHERE work_at <= ? AND (work_at, seq) > (?, ?) ORDER BY work_at, seq LIMIT ?`,
              untilMs,
              at,
              seq,
              limit,
            ),
        );
        for (const row of rows) yield { at: row.work_at as number, item: enter(row) };
      },
      leave() {},
    },
    takeEnded(max) {
      const rows = connection.all<NotificationRow>(
        `SELECT ${COLUMNS} FROM sendonce_notifications WHERE ended IS NOT NULL ORDER BY seq LIMIT ?`,
        max,
      );
      for (const { seq } of rows) connection.run('UPDATE sendonce_notifications SET ended = NULL WHERE seq = ?', seq);
      return rows.map((row) => enter(row).record);
    },
  };
}
