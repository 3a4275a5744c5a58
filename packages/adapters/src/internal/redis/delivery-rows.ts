import type { DeliveryRecord } from '@sendonce/core';
import { watchAt, workAt } from '@sendonce/core/records';
import { plain } from '../ahead/plain.ts';
import type { DeliveryEntry } from '../ahead/run-deliveries.ts';
import { attentionOf } from '../sqlite/attention.ts';
import { NOT_READ } from '../sqlite/delivery-row.ts';
import { eraseAt } from '../sqlite/retention.ts';
import { BETWEEN, type Cell } from './lists.ts';
import { packedFixed, packedMessages, packedState } from './packed.ts';

/** As `LISTS.changed`. */
export function changedRow(
  { id, fact, record, isFrozenNow, story }: DeliveryEntry,
  contentRetentionMs: number,
): string {
  const before = fact?.record ?? record;
  const work = moved(workAt(before), workAt(record));
  const watch = moved(watchAt(before), watchAt(record));
  const erase = moved(eraseAt(before, contentRetentionMs), eraseAt(record, contentRetentionMs));
  const places = `${work}${BETWEEN}${watch}${BETWEEN}${erase}`;
  const attention = `${attentionOf(before) ?? ''}${BETWEEN}${attentionOf(record) ?? ''}`;
  const messages = before.attempts === record.attempts ? '' : packedMessages(record);
  const added = `${messages}${BETWEEN}${messageOf(record, isFrozenNow)}${BETWEEN}${story}`;
  return `${id}${BETWEEN}${fact?.version ?? ''}${BETWEEN}${packedState(record)}${BETWEEN}${places}${BETWEEN}${attention}${BETWEEN}${added}`;
}

/** As `LISTS.made`. */
export function madeRow({ id, record, isFrozenNow, story }: DeliveryEntry, contentRetentionMs: number): Cell[] {
  const { notificationId, target } = record;
  return [
    ...[id, notificationId, plain(target.recipientId), packedFixed(record), JSON.stringify(target.data)],
    packedState(record),
    ...[workAt(record), watchAt(record), eraseAt(record, contentRetentionMs)].map((at) => at ?? ''),
    attentionOf(record) ?? '',
    packedMessages(record),
    messageOf(record, isFrozenNow),
    story,
  ];
}

function moved(before: number | null, after: number | null): Cell {
  return before === after ? '' : (after ?? '-');
}

function messageOf({ message }: DeliveryRecord, isFrozenNow: boolean): string {
  return isFrozenNow && message !== NOT_READ ? JSON.stringify(message) : '';
}
