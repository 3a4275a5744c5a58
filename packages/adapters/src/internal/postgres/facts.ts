import type { DeliveryRecord, NotificationRecord } from '@sendonce/core';
import { recordOf, type DeliveryRow } from '../sqlite/delivery-row.ts';
import { notificationOf, type NotificationRow } from '../sqlite/notification-row.ts';
import {
  orUndefined,
  type AnswerFact,
  type DeliveryFact,
  type Found,
  type NotificationFact,
  type StoreFact,
} from '../ahead/facts.ts';
import type { Asked } from '../ahead/questions.ts';
import type { Row } from './connection.ts';
import { DELIVERY_COLUMNS, NOTIFICATION_COLUMNS } from './questions.ts';
import { unplain } from '../ahead/plain.ts';

/** The rows of a read statement as what they say. */
export function foundIn(rows: readonly Row[]): Found {
  const found = {
    deliveries: [] as DeliveryFact[],
    notifications: [] as NotificationFact[],
    answers: [] as AnswerFact[],
  };
  let store: StoreFact | null = null;
  for (const row of rows) {
    const { kind } = row;
    if (kind === 'store') store = storeFact(row);
    else if (kind === 'd') found.deliveries.push(deliveryFact(row));
    else if (kind === 'n') found.notifications.push(notificationFact(row));
    else {
      const [a = '', b = '', x = '', y = ''] = cells(row).map((cell) => cell ?? '');
      found.answers.push({ kind: kind as Asked, a, b, x, y });
    }
  }
  if (store === null) throw new TypeError('the row of the store is missing');
  return { ...found, store };
}

function storeFact(row: Row): StoreFact {
  const [
    key,
    version,
    identity,
    identityNow,
    changedAt,
    quietUntil,
    reckoned,
    gates,
    suppressions,
    kept,
    blocks,
    now,
    fence,
  ] = cells(row);
  return {
    key: key ?? '',
    version: version ?? '',
    identity: identity ?? '',
    identityNow: identityNow ?? '',
    epoch: {
      last: Number(fence) - 1,
      changedAt: numberOf(changedAt),
      quietUntil: Number(quietUntil),
      isReckoned: reckoned === 'true',
    },
    gates: gates ?? '',
    hasSuppressions: suppressions === 'true',
    hasKept: kept === 'true',
    blocks: blocksOf(blocks ?? null),
    nowMs: Number(now),
    fence: Number(fence),
  };
}

function blocksOf(text: string | null): ReadonlyMap<string, number> {
  const blocks = new Map<string, number>();
  const parts = text === null ? [] : text.split('\u001e');
  for (let i = 0; i + 1 < parts.length; i += 2) blocks.set(unplain(parts[i] as string), Number(parts[i + 1]));
  return blocks;
}

function deliveryFact(row: Row): DeliveryFact {
  const of = named(row, DELIVERY_COLUMNS);
  return {
    id: of['id'] ?? '',
    version: of['version'] ?? '',
    notification: of['notification'] ?? '',
    record: orUndefined(() => deliveryOf(of)),
  };
}

/** @throws for a row that was damaged, or that a later release wrote. */
export function deliveryOf(of: Row): DeliveryRecord {
  const { id, notification, tenant, type, provider, state, fixed, body } = of as Record<string, string>;
  const parent = {
    seq: 0,
    id: notification as string,
    tenant: unplain(tenant as string),
    type: unplain(type as string),
    class: of['class'] as DeliveryRecord['class'],
  };
  const record = recordOf(
    {
      seq: 0,
      id: id as string,
      notification: 0,
      provider: unplain(provider as string),
      state: state as DeliveryRow['state'],
      work_at: numberOf(of['work_at']),
      watch_at: numberOf(of['watch_at']),
      settled_at: numberOf(of['settled_at']),
      fixed: fixed as string,
      body: body as string,
      message: of['message'] ?? null,
    },
    parent,
  );
  if (typeof of['data'] !== 'string') return record;
  // Kept beside the rest, because it is erased.
  const data = JSON.parse(of['data']) as DeliveryRecord['target']['data'];
  return { ...record, target: { ...record.target, data } };
}

function notificationFact(row: Row): NotificationFact {
  const of = named(row, NOTIFICATION_COLUMNS);
  return {
    id: of['id'] ?? '',
    version: of['version'] ?? '',
    open: Number(of['open']),
    record: orUndefined(() => notificationRecordOf(of)),
  };
}

/** @throws for a row that was damaged, or that a later release wrote. */
export function notificationRecordOf(of: Row): NotificationRecord {
  const row: NotificationRow = {
    seq: 0,
    state: of['state'] as NotificationRow['state'],
    sealed: of['sealed'] === 'true' ? 1 : 0,
    recipients: of['recipients'] as NotificationRow['recipients'],
    open: Number(of['open']),
    work_at: numberOf(of['work_at']),
    body: of['body'] ?? '',
  };
  const data = of['data'];
  return notificationOf(row, () => (typeof data === 'string' ? (JSON.parse(data) as unknown) : null));
}

function numberOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}

function cells(row: Row): readonly (string | null | undefined)[] {
  return Array.from({ length: 15 }, (_, i) => row[`c${i}`]);
}

function named(row: Row, columns: readonly string[]): Row {
  const of: Record<string, string | null> = {};
  for (let i = 0; i < columns.length; i += 1) of[columns[i] as string] = row[`c${i}`] ?? null;
  return of;
}
