import type { DeliveryRecord, DeliveryState, NotificationRecord } from '@sendonce/core';
import { learnedMessages, watchAt, workAt } from '@sendonce/core/records';
import { orUndefined, type DeliveryFact, type NotificationFact } from '../ahead/facts.ts';
import { plain, unplain } from '../ahead/plain.ts';
import { bodyOf, fixedOf, recordOf } from '../sqlite/delivery-row.ts';
import { notificationOf, type NotificationRow } from '../sqlite/notification-row.ts';
import { SEPARATOR } from './script.ts';

/** A row as a script answers it. */
export type Row = readonly (string | null)[];

/** What never changes once a delivery is made; its data stand apart, because they are erased one day. */
export function packedFixed(record: DeliveryRecord): string {
  const fixed = fixedOf({ ...record, target: { ...record.target, data: {} } });
  return [plain(record.tenant), plain(record.type), record.class, fixed].join(SEPARATOR);
}

/** What every step writes anew. The state is first and the mark of an assumed end second, where scripts look for them. */
export function packedState(record: DeliveryRecord): string {
  const { state, assumed, provider, settledAt } = record;
  const times = [workAt(record), watchAt(record), settledAt].map((at) => at ?? '');
  return [state, assumed ? '1' : '', plain(provider), ...times, bodyOf(record)].join(SEPARATOR);
}

/** All providers' messages that are known as the delivery's. */
export function packedMessages(record: DeliveryRecord): string {
  return learnedMessages(null, record).map(plain).join(SEPARATOR);
}

/** From id, v, n, f, s, c, m. */
export function deliveryFact(row: Row): DeliveryFact {
  return {
    id: row[0] ?? '',
    version: row[1] ?? '',
    notification: row[2] ?? '',
    record: orUndefined(() => deliveryOf(row)),
  };
}

/** @throws for a row that was damaged, or that a later release wrote. */
export function deliveryOf(row: Row): DeliveryRecord {
  const [id, , notification, fixed, state, data, message] = row;
  const [tenant, type, ofClass, rest] = parts(fixed, 4);
  const [now, , provider, work, watch, settled, body] = parts(state, 7);
  const record = recordOf(
    {
      seq: 0,
      id: id as string,
      notification: 0,
      provider: unplain(provider),
      state: now as DeliveryState,
      work_at: timeOf(work),
      watch_at: timeOf(watch),
      settled_at: timeOf(settled),
      fixed: rest,
      body,
      message: message ?? null,
    },
    {
      seq: 0,
      id: notification as string,
      tenant: unplain(tenant),
      type: unplain(type),
      class: ofClass as DeliveryRecord['class'],
    },
  );
  if (typeof data !== 'string') return record;
  return { ...record, target: { ...record.target, data: JSON.parse(data) as DeliveryRecord['target']['data'] } };
}

/** From id, v, s, z, r, o, w, b, c. */
export function notificationFact(row: Row): NotificationFact {
  return {
    id: row[0] ?? '',
    version: row[1] ?? '',
    open: Number(row[5]),
    record: orUndefined(() => notificationRecordOf(row)),
  };
}

/** @throws for a row that was damaged, or that a later release wrote. */
export function notificationRecordOf(row: Row): NotificationRecord {
  const [, , state, sealed, recipients, open, work, body, data] = row;
  const of: NotificationRow = {
    seq: 0,
    state: state as NotificationRow['state'],
    sealed: sealed === '1' ? 1 : 0,
    recipients: recipients as NotificationRow['recipients'],
    open: Number(open),
    work_at: timeOf(work ?? ''),
    body: body ?? '',
  };
  return notificationOf(of, () => (typeof data === 'string' ? (JSON.parse(data) as unknown) : null));
}

function parts(text: string | null | undefined, n: number): Parts {
  const all = (text ?? '').split(SEPARATOR);
  if (all.length !== n) throw new TypeError(`${all.length} parts in the place of ${n}`);
  return all as unknown as Parts;
}
type Parts = readonly [string, string, string, string, string, string, string];

function timeOf(text: string): number | null {
  return text === '' ? null : Number(text);
}
