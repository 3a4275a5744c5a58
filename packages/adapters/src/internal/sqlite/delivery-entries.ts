import type { DeliveryRecord } from '@sendonce/core';
import type { Ref } from '@sendonce/core/records';
import { UNREADABLE } from './attention.ts';
import type { Connection } from './database.ts';
import { recordOf, ROW_COLUMNS, WITH_MESSAGE, type DeliveryRow, type Parent } from './delivery-row.ts';

/** A delivery as this transaction sees it. */
export interface DeliveryEntry {
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

export interface MetDelivery {
  readonly ref: Ref;
  readonly entry: DeliveryEntry;
}

/** The deliveries that one transaction has met, each read once. */
export interface DeliveryEntries {
  /** A new transaction, which will look at these first. */
  begin(ids: readonly string[], withMessages: boolean): void;
  /** Undefined for nowhere. */
  read(ref: Ref): DeliveryEntry | undefined;
  /** Of those met. */
  get(ref: Ref): DeliveryEntry | undefined;
  refOf(id: string): Ref;
  /** A row that a query brought. */
  enter(row: DeliveryRow): Ref;
  /** A new one, in a row of its own. */
  add(record: DeliveryRecord, notification: number): MetDelivery;
  /** It is not there any more. */
  remove(ref: Ref): void;
  /** SELECT of rows from this source, in which the deliveries are called `d`. */
  rowsOf(source: string): string;
  all(): Iterable<readonly [Ref, DeliveryEntry]>;
}

export const NOWHERE: Ref = -1;

/** The highest number in use. A message that was left behind must not become that of the next delivery. */
const TOP = `SELECT max(coalesce((SELECT max(seq) FROM sendonce_deliveries), 0),
  coalesce((SELECT max(delivery) FROM sendonce_contents), 0)) AS top`;

export function deliveryEntries(connection: Connection, parentOf: (notification: number) => Parent): DeliveryEntries {
  const entries = new Map<Ref, DeliveryEntry>();
  const refs = new Map<string, Ref>();
  let nextRef: Ref | null = null;
  let withMessages = true;

  /** A message that nobody will look at is not read. */
  function rowsOf(source: string): string {
    return `SELECT ${ROW_COLUMNS}, ${withMessages ? WITH_MESSAGE : `''`} AS message FROM ${source}`;
  }

  function enter(row: DeliveryRow): Ref {
    refs.set(row.id, row.seq);
    if (!entries.has(row.seq)) entries.set(row.seq, newEntry(readable(row), row.notification));
    return row.seq;
  }

  function readable(row: DeliveryRow): DeliveryRecord | undefined {
    try {
      return recordOf(row, parentOf(row.notification));
    } catch {
      // One damaged row must not hold up the others: it leaves every index of work, and is counted where it can be seen.
      connection.run(
        `UPDATE sendonce_deliveries SET work_at = NULL, watch_at = NULL, erase_at = NULL, attention = '${UNREADABLE}'
         WHERE seq = ? AND attention IS NOT '${UNREADABLE}'`,
        row.seq,
      );
      return undefined;
    }
  }

  function one(condition: string, value: string | number): Ref {
    const row = connection.get<DeliveryRow>(rowsOf(`sendonce_deliveries d WHERE ${condition} = ?`), value);
    return row === undefined ? NOWHERE : enter(row);
  }

  function takeRef(): Ref {
    nextRef ??= 1 + (connection.get<{ top: number }>(TOP)?.top ?? 0);
    return nextRef++;
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
    read(ref) {
      if (ref < 0) return undefined;
      return entries.get(ref) ?? entries.get(one('d.seq', ref));
    },
    get: (ref) => entries.get(ref),
    refOf(id) {
      const known = refs.get(id);
      if (known !== undefined) return known;
      const ref = one('d.id', id);
      refs.set(id, ref);
      return ref;
    },
    enter,
    add(record, notification) {
      const ref = takeRef();
      const entry = { ...newEntry(record, notification), isNew: true, isFrozenNow: record.message !== null };
      entries.set(ref, entry);
      refs.set(record.id, ref);
      return { ref, entry };
    },
    remove(ref) {
      const id = entries.get(ref)?.record?.id;
      entries.set(ref, newEntry(undefined, 0));
      if (id !== undefined) refs.set(id, NOWHERE);
    },
    rowsOf,
    all: () => entries,
  };
}

function newEntry(record: DeliveryRecord | undefined, notification: number): DeliveryEntry {
  return { record, notification, isNew: false, isDirty: false, isFrozenNow: false, story: '' };
}
