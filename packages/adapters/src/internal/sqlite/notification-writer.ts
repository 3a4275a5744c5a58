import { SendonceError, type NotificationRecord } from '@sendonce/core';
import { isNotificationOver } from '@sendonce/core/internal';
import { notificationWorkAt } from '@sendonce/core/records';
import type { Connection } from './database.ts';
import type { Entry } from './notification-entries.ts';
import { FORGOTTEN, notificationBodyOf } from './notification-row.ts';
import { tombstoneOverAt } from './retention.ts';

export interface NotificationWriterOptions {
  readonly now: () => number;
  readonly contentRetentionMs: number;
  readonly retentionMs: number;
  readonly tombstoneRetentionMs: number | null;
}

/** Writes what a transaction changed of a notification. */
export interface NotificationWriter {
  insert(record: NotificationRecord): void;
  update(entry: Entry): void;
  /** Of a tombstone. */
  bury(entry: Entry): void;
}

const INSERT = `INSERT INTO sendonce_notifications (id, tenant, type, state, sealed, recipients, open, work_at, body, data)
  VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING seq`;
const BURY = `UPDATE sendonce_notifications SET state = ?, sealed = 1, open = 0, work_at = NULL, ended = NULL, erase_at = NULL, data = NULL,
    body = ?, over_at = ? WHERE seq = ?`;
/** Told once: `ended` is cleared when the sweep has told of it, and is not set again by a later write. */
const UPDATE = `UPDATE sendonce_notifications SET state = ?, sealed = ?, open = ?, work_at = ?, body = ?,
    ended = CASE WHEN over_at IS NULL AND ? THEN 1 ELSE ended END,
    over_at = CASE WHEN ? THEN coalesce(over_at, ?) ELSE NULL END,
    erase_at = CASE WHEN ? AND over_at IS NULL THEN ? ELSE erase_at END
  WHERE seq = ?`;

export function notificationWriter(
  connection: Connection,
  { now, contentRetentionMs, retentionMs, tombstoneRetentionMs }: NotificationWriterOptions,
): NotificationWriter {
  return {
    bury(entry) {
      entry.isDirty = false;
      connection.run(
        BURY,
        FORGOTTEN,
        notificationBodyOf(entry.record),
        tombstoneOverAt(now(), { retentionMs, tombstoneRetentionMs }),
        entry.seq,
      );
    },
    insert(record) {
      const inserted = connection.get(
        INSERT,
        record.id,
        record.tenant,
        record.type,
        record.state,
        flag(record.sealed),
        record.recipients,
        notificationWorkAt(record),
        notificationBodyOf(record),
        JSON.stringify(record.data) ?? null,
      );
      if (inserted === undefined)
        throw new SendonceError(
          'LEDGER_CORRUPT',
          `notification '${record.key}' (${record.id}) is in the ledger, but cannot be read; nothing was written: publish under another key, or mend its row`,
        );
    },
    update(entry) {
      if (!entry.isDirty) return;
      entry.isDirty = false;
      const { seq, record, open } = entry;
      const isOver = flag(isNotificationOver(record.state));
      connection.run(
        UPDATE,
        record.state,
        flag(record.sealed),
        open,
        notificationWorkAt(record),
        notificationBodyOf(record),
        flag(isOver === 1 && record.state !== 'cancelled'),
        isOver,
        now(),
        isOver,
        now() + contentRetentionMs,
        seq,
      );
    },
  };
}

/** A flag as every driver takes it. */
function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}
