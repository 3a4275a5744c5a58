import type { DeliveryRecord } from '@sendonce/core';
import { watchAt, workAt, type Ref } from '@sendonce/core/records';
import { attentionOf } from './attention.ts';
import type { Connection, SqlValue } from './database.ts';
import type { DeliveryEntry } from './delivery-entries.ts';
import { bodyOf, fixedOf, NOT_READ } from './delivery-row.ts';
import { eraseAt } from './retention.ts';

const INSERT = `INSERT INTO sendonce_deliveries
  (seq, id, notification, recipient, channel, fixed, provider, state, work_at, watch_at, attention, settled_at, erase_at, body, story)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE = `UPDATE sendonce_deliveries SET provider = ?, state = ?, work_at = ?, watch_at = ?, attention = ?, settled_at = ?,
  erase_at = ?, body = ?, story = story || ? WHERE seq = ?`;

/** Writes what a transaction changed of a delivery. */
export function deliveryWriter(
  connection: Connection,
  contentRetentionMs: number,
): (ref: Ref, entry: DeliveryEntry) => void {
  function changing(record: DeliveryRecord, story: string): SqlValue[] {
    return [
      record.provider,
      record.state,
      workAt(record),
      watchAt(record),
      attentionOf(record),
      record.settledAt,
      eraseAt(record, contentRetentionMs),
      bodyOf(record),
      story,
    ];
  }

  return (ref, entry) => {
    const { record, notification, story } = entry;
    if (!entry.isDirty || record === undefined) return;
    const values = changing(record, story);
    if (entry.isNew) {
      const { recipientId, channel } = record.target;
      connection.run(INSERT, ref, record.id, notification, recipientId, channel, fixedOf(record), ...values);
    } else connection.run(UPDATE, ...values, ref);
    if (entry.isFrozenNow && record.message !== NOT_READ)
      connection.run(
        'INSERT INTO sendonce_contents (delivery, message) VALUES (?, ?) ON CONFLICT DO NOTHING',
        ref,
        JSON.stringify(record.message),
      );
    Object.assign(entry, { isNew: false, isDirty: false, isFrozenNow: false, story: '' });
  };
}
