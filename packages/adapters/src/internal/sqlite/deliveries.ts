import { isSettled, type DeliveryRecord } from '@sendonce/core';
import {
  addUp,
  isMove,
  learnedMessages,
  matchKept,
  messageKey,
  openChange,
  watchAt,
  workAt,
  type Deliveries,
  type Matching,
  type Ref,
  type Sums,
} from '@sendonce/core/records';
import type { Counters } from './counters.ts';
import type { Connection } from './database.ts';
import { deliveriesDue } from './delivery-due.ts';
import { deliveryEntries, NOWHERE, type MetDelivery } from './delivery-entries.ts';
import { deliveryWriter } from './delivery-writer.ts';
import { chunked } from './due.ts';
import type { KeptEvidence } from './evidence.ts';
import type { SqliteNotifications } from './notifications.ts';
import { removeDelivery } from './remove-delivery.ts';
import { storyLine } from './story.ts';

export interface SqliteDeliveries extends Deliveries {
  /** A new transaction, which will look at these first. */
  begin(ids: readonly string[], withMessages: boolean): void;
  /** Writes what changed. */
  flush(): void;
}

export interface DeliveriesOptions {
  readonly now: () => number;
  readonly counters: Counters;
  readonly notifications: SqliteNotifications;
  readonly kept: KeptEvidence;
  readonly contentRetentionMs: number;
}

/** An entry that a deleted delivery left behind says nothing about the next one under its number. */
function isAbout(key: string, record: DeliveryRecord | undefined): boolean {
  return record !== undefined && learnedMessages(null, record).includes(key);
}

export function deliveries(connection: Connection, options: DeliveriesOptions): SqliteDeliveries {
  const { now, counters, notifications, kept, contentRetentionMs } = options;
  const entries = deliveryEntries(connection, (notification) => notifications.parentOf(notification));
  const write = deliveryWriter(connection, contentRetentionMs);
  const counted = { countRefusedMove: () => counters.add('refused', 1) };
  const matching: Matching = { now, kept, counted, update };
  const sums: Sums = {
    delivery: (state, change) => counters.add(`d:${state}`, change),
    assumed: (change) => counters.add('assumed', change),
  };

  function insert(record: DeliveryRecord, by: string): DeliveryRecord {
    const notification = notifications.get(record.notificationId)?.seq;
    if (notification === undefined) throw new TypeError(`delivery ${record.id} has no notification`);
    return written(entries.add(record, notification), null, record, by);
  }

  function update(ref: Ref, before: DeliveryRecord, after: DeliveryRecord, by: string): DeliveryRecord {
    const entry = after === before ? undefined : entries.get(ref);
    if (entry === undefined) return before;
    if (before.message === null && after.message !== null) entry.isFrozenNow = true;
    return written({ ref, entry }, before, after, by);
  }

  /** What follows from a write: its story, sums, the provider's ids, and evidence that waited for it. */
  function written(
    { ref, entry }: MetDelivery,
    before: DeliveryRecord | null,
    after: DeliveryRecord,
    by: string,
  ): DeliveryRecord {
    entry.record = after;
    entry.isDirty = true;
    const { updatedAt: at, state: to, fence, reason: note } = after;
    if (isMove(before, after)) entry.story += storyLine({ at, to, by, fence, note });
    addUp(sums, before, after);
    notifications.countOpen(entry.notification, openChange(before, after));
    for (const key of learnedMessages(before, after))
      connection.run(
        'INSERT INTO sendonce_provider_messages (key, delivery) VALUES (?, ?) ON CONFLICT DO NOTHING',
        key,
        ref,
      );
    return matchKept(matching, ref, after);
  }

  function refsWhere(condition: string, ...values: string[]): Iterable<Ref> {
    const sql = `SELECT seq FROM sendonce_deliveries WHERE ${condition} AND seq > ? ORDER BY seq LIMIT ?`;
    return chunked<Ref>((after, limit) =>
      connection.all<{ seq: number }>(sql, ...values, after, limit).map(({ seq }) => seq),
    );
  }

  return {
    begin: (ids, withMessages) => entries.begin(ids, withMessages),
    flush() {
      for (const [ref, entry] of entries.all()) write(ref, entry);
    },
    refOf: (id) => entries.refOf(id),
    at: (ref) => entries.read(ref)?.record,
    insert,
    update,
    remove(ref) {
      const entry = entries.read(ref);
      if (entry?.record === undefined) return;
      addUp(sums, entry.record, null);
      removeDelivery(connection, ref, entry.record);
      entries.remove(ref);
    },
    work: deliveriesDue(connection, entries, 'work_at', workAt),
    watch: deliveriesDue(connection, entries, 'watch_at', watchAt),
    *unsettled() {
      for (const ref of refsWhere('settled_at IS NULL')) {
        const record = entries.read(ref)?.record;
        if (record !== undefined && !isSettled(record.state)) yield ref;
      }
    },
    maybeOut: ({ recipientId }) => refsWhere('recipient = ?', recipientId),
    withMessage(provider, providerMessageId) {
      const key = messageKey(provider, providerMessageId);
      const rows = connection.all<{ delivery: number }>(
        'SELECT delivery FROM sendonce_provider_messages WHERE key = ? ORDER BY delivery LIMIT 2',
        key,
      );
      const refs = rows.map(({ delivery }) => delivery);
      return refs.find((ref) => isAbout(key, entries.read(ref)?.record)) ?? NOWHERE;
    },
  };
}
