import { isAccepted, steps } from '@sendonce/core/internal';
import { isSettled, type DeliveryRecord } from '@sendonce/core';
import {
  guarded,
  messageKey,
  openOf,
  watchAt,
  workAt,
  type Deliveries,
  type Due,
  type DueRecords,
  type Ref,
} from '@sendonce/core/records';
import type { Counters } from './counters.ts';
import type { Connection } from './database.ts';
import {
  attentionOf,
  bodyOf,
  eraseAt,
  fixedOf,
  NOT_READ,
  recordOf,
  storyLine,
  type DeliveryRow,
} from './delivery-rows.ts';
import { chunked, dueRows } from './due.ts';
import type { KeptEvidence } from './evidence.ts';
import type { SqliteNotifications } from './notifications.ts';

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

/** A delivery as this transaction sees it. */
interface Entry {
  /** As it stands. Undefined: its row cannot be read. */
  record: DeliveryRecord | undefined;
  readonly notification: number;
  isNew: boolean;
  isDirty: boolean;
  /** The message is to be written. */
  isFrozenNow: boolean;
  /** Lines to append. */
  story: string;
}

const NOWHERE: Ref = -1;

export function deliveries(connection: Connection, options: DeliveriesOptions): SqliteDeliveries {
  const { now, counters, notifications, kept, contentRetentionMs } = options;
  const entries = new Map<Ref, Entry>();
  const refs = new Map<string, Ref>();
  let nextRef: Ref | null = null;
  let withMessages = true;

  /** SELECT of rows; a message that nobody will look at is not read. */
  function rowsOf(source: string): string {
    const message = withMessages ? '(SELECT message FROM sendonce_contents WHERE delivery = d.seq)' : 'NULL';
    return `SELECT d.seq, d.id, d.notification, d.fixed, d.body, ${message} AS message, d.work_at, d.watch_at FROM ${source}`;
  }

  function enter(row: DeliveryRow): Ref {
    refs.set(row.id, row.seq);
    if (!entries.has(row.seq)) entries.set(row.seq, entryOf(row));
    return row.seq;
  }

  function entryOf(row: DeliveryRow): Entry {
    const entry = { notification: row.notification, isNew: false, isDirty: false, isFrozenNow: false, story: '' };
    try {
      return { ...entry, record: recordOf(row, notifications.parentOf(row.notification)) };
    } catch {
      // One damaged row must not hold up the others: it leaves every index of work, and is counted where it can be seen.
      setAside(row.seq);
      return { ...entry, record: undefined };
    }
  }

  function setAside(ref: Ref): void {
    connection.run(
      `UPDATE sendonce_deliveries SET work_at = NULL, watch_at = NULL, erase_at = NULL, attention = 'unreadable'
       WHERE seq = ? AND coalesce(attention, '') <> 'unreadable'`,
      ref,
    );
  }

  function read(ref: Ref): Entry | undefined {
    if (ref < 0) return undefined;
    const known = entries.get(ref);
    if (known !== undefined) return known;
    const row = connection.get<DeliveryRow>(rowsOf('sendonce_deliveries d WHERE d.seq = ?'), ref);
    return row && entries.get(enter(row));
  }

  function refOf(id: string): Ref {
    const known = refs.get(id);
    if (known !== undefined) return known;
    const row = connection.get<DeliveryRow>(rowsOf('sendonce_deliveries d WHERE d.id = ?'), id);
    const ref = row === undefined ? NOWHERE : enter(row);
    refs.set(id, ref);
    return ref;
  }

  function takeRef(): Ref {
    nextRef ??=
      (connection.get<{ top: number | null }>('SELECT max(seq) AS top FROM sendonce_deliveries')?.top ?? 0) + 1;
    return nextRef++;
  }

  /** What follows from a write: sums, the provider's ids, and evidence that waited for it. */
  function written(
    ref: Ref,
    entry: Entry,
    before: DeliveryRecord | null,
    after: DeliveryRecord,
    by: string,
  ): DeliveryRecord {
    entry.record = after;
    entry.isDirty = true;
    if (before?.state !== after.state || before.fence !== after.fence)
      entry.story += storyLine({ at: after.updatedAt, to: after.state, by, fence: after.fence, note: after.reason });
    if (before !== null) counters.add(`d:${before.state}`, -1);
    counters.add(`d:${after.state}`, 1);
    counters.add('assumed', Number(after.assumed) - Number(before?.assumed ?? false));
    notifications.countOpen(entry.notification, openOf(after) - (before === null ? 0 : openOf(before)));
    if (before?.attempts !== after.attempts) learnMessages(ref, before, after);
    return matchKept(ref, after);
  }

  function learnMessages(ref: Ref, before: DeliveryRecord | null, after: DeliveryRecord): void {
    after.attempts.forEach((attempt, i) => {
      const old = before?.attempts[i];
      if (attempt === old || !isAccepted(attempt) || (old !== undefined && isAccepted(old))) return;
      if (attempt.outcome?.kind !== 'accepted') return;
      const key = messageKey(attempt.provider, attempt.outcome.providerMessageId);
      connection.run(
        'INSERT INTO sendonce_provider_messages (key, delivery) VALUES (?, ?) ON CONFLICT DO NOTHING',
        key,
        ref,
      );
    });
  }

  function matchKept(ref: Ref, record: DeliveryRecord): DeliveryRecord {
    let standing = record;
    for (const evidence of kept.takeFor(record)) {
      const step = guarded(counted, () => steps.witness(standing, evidence, now()));
      if (step !== null) standing = update(ref, standing, step.record, 'evidence');
    }
    return standing;
  }

  const counted = { countRefusedMove: () => counters.add('refused', 1) };

  function insert(record: DeliveryRecord, by: string): DeliveryRecord {
    const ref = takeRef();
    const notification = notifications.get(record.notificationId)?.seq;
    if (notification === undefined) throw new TypeError(`delivery ${record.id} has no notification`);
    const isFrozenNow = record.message !== null;
    const entry: Entry = { record, notification, isNew: true, isDirty: true, isFrozenNow, story: '' };
    entries.set(ref, entry);
    refs.set(record.id, ref);
    return written(ref, entry, null, record, by);
  }

  function update(ref: Ref, before: DeliveryRecord, after: DeliveryRecord, by: string): DeliveryRecord {
    const entry = after === before ? undefined : entries.get(ref);
    if (entry === undefined) return before;
    if (before.message === null && after.message !== null) entry.isFrozenNow = true;
    return written(ref, entry, before, after, by);
  }

  function write(ref: Ref, entry: Entry, record: DeliveryRecord): void {
    const changing = [
      record.provider,
      record.state,
      workAt(record),
      watchAt(record),
      attentionOf(record),
      record.settledAt,
      eraseAt(record, contentRetentionMs),
      bodyOf(record),
      entry.story,
    ];
    if (entry.isNew)
      connection.run(
        `INSERT INTO sendonce_deliveries
           (seq, id, notification, recipient, channel, fixed, provider, state, work_at, watch_at, attention, settled_at, erase_at, body, story)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ref,
        record.id,
        entry.notification,
        record.target.recipientId,
        record.target.channel,
        fixedOf(record),
        ...changing,
      );
    else
      connection.run(
        `UPDATE sendonce_deliveries SET provider = ?, state = ?, work_at = ?, watch_at = ?, attention = ?, settled_at = ?, erase_at = ?,
           body = ?, story = story || ? WHERE seq = ?`,
        ...changing,
        ref,
      );
    if (entry.isFrozenNow && record.message !== NOT_READ)
      connection.run(
        'INSERT INTO sendonce_contents (delivery, message) VALUES (?, ?) ON CONFLICT DO NOTHING',
        ref,
        JSON.stringify(record.message),
      );
  }

  function dueBy(column: 'work_at' | 'watch_at', timeOf: (record: DeliveryRecord) => number | null): DueRecords<Ref> {
    return {
      *due(untilMs, expected): Generator<Due<Ref>> {
        type Row = DeliveryRow & Record<typeof column, number>;
        const sql = rowsOf(
          `sendonce_deliveries d WHERE d.${column} <= ? AND (d.${column}, d.seq) > (?, ?) ORDER BY d.${column}, d.seq LIMIT ?`,
        );
        const rows = dueRows<Row>(
          expected,
          (row) => row[column],
          (at, seq, limit) => connection.all<Row>(sql, untilMs, at, seq, limit),
        );
        for (const row of rows) {
          const item = enter(row);
          const record = entries.get(item)?.record;
          // Changed earlier in this transaction: what the row says is not so any more.
          if (record !== undefined && timeOf(record) === row[column]) yield { at: row[column], item };
        }
      },
      leave() {},
    };
  }

  function* refsWhere(condition: string, ...values: string[]): Generator<Ref> {
    yield* chunked<Ref>((after, limit) =>
      connection
        .all<{ seq: number }>(
          `SELECT seq FROM sendonce_deliveries WHERE ${condition} AND seq > ? ORDER BY seq LIMIT ?`,
          ...values,
          after,
          limit,
        )
        .map(({ seq }) => seq),
    );
  }

  return {
    begin(ids, needsMessages) {
      entries.clear();
      refs.clear();
      nextRef = null;
      withMessages = needsMessages;
      if (ids.length === 0) return;
      const source = 'json_each(?) AS wanted CROSS JOIN sendonce_deliveries d ON d.id = wanted.value';
      for (const row of connection.all<DeliveryRow>(rowsOf(source), JSON.stringify(ids))) enter(row);
      for (const id of ids) if (!refs.has(id)) refs.set(id, NOWHERE);
    },
    flush() {
      for (const [ref, entry] of entries) {
        if (!entry.isDirty || entry.record === undefined) continue;
        write(ref, entry, entry.record);
        Object.assign(entry, { isNew: false, isDirty: false, isFrozenNow: false, story: '' });
      }
    },
    refOf,
    at: (ref) => read(ref)?.record,
    insert,
    update,
    work: dueBy('work_at', workAt),
    watch: dueBy('watch_at', watchAt),
    *unsettled() {
      for (const ref of refsWhere('settled_at IS NULL')) {
        const record = read(ref)?.record;
        if (record !== undefined && !isSettled(record.state)) yield ref;
      }
    },
    maybeOut: ({ recipientId }) => refsWhere('recipient = ?', recipientId),
    withMessage(provider, providerMessageId) {
      const row = connection.get<{ delivery: number }>(
        'SELECT delivery FROM sendonce_provider_messages WHERE key = ? ORDER BY delivery LIMIT 1',
        messageKey(provider, providerMessageId),
      );
      return row?.delivery ?? NOWHERE;
    },
  };
}
