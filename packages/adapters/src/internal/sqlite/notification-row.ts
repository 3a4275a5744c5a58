import { NOTIFICATION_STATES, type NotificationRecord, type NotificationState } from '@sendonce/core';
import { isNotificationOver, steps } from '@sendonce/core/internal';
import { isMoment, isMomentOrNull, isNumber, isText } from './sound.ts';

/** What is read of a row. */
export interface NotificationRow {
  readonly seq: number;
  /** Of a tombstone `FORGOTTEN`: its last state is in the body. */
  readonly state: NotificationState | typeof FORGOTTEN;
  readonly sealed: number;
  readonly recipients: NotificationRecord['recipients'];
  readonly open: number;
  readonly work_at: number | null;
  readonly body: string;
}

/** The state of a row of which only a tombstone is left. */
export const FORGOTTEN = 'forgotten';

export const NOTIFICATION_COLUMNS = 'seq, state, sealed, recipients, open, work_at, body' as const;

/** Its data, and what tells whether they may be gone. */
export interface DataRow {
  readonly data: string | null;
  readonly over_at: number | null;
  readonly erase_at: number | null;
}

export const DATA_COLUMNS = 'data, over_at, erase_at' as const;

/** All of a record but its data, which never change and may be long. */
export type NotificationBody = Omit<NotificationRecord, 'data'>;

/** @throws for data that were damaged. */
export function dataOf({ data, over_at, erase_at }: DataRow): unknown {
  if (data !== null) return JSON.parse(data);
  // Erased, once it was over and its time came. A content function must not be given nothing in the place of data that are lost.
  if (over_at === null || erase_at !== null) throw new TypeError('its data are gone');
  return null;
}

/** What has no column of its own. */
export function notificationBodyOf(record: NotificationRecord): string {
  if (record.forgottenAt !== undefined) return JSON.stringify(KEPT.map((name) => record[name]));
  const { data: _data, state: _state, sealed: _sealed, recipients: _recipients, ...body } = record;
  return JSON.stringify(body);
}

/** What a tombstone keeps, in the order in which it is stored: without names and what is always the same, because there may be very many. */
const KEPT = [
  ...([
    'v',
    'id',
    'tenant',
    'type',
    'key',
    'class',
    'fingerprint',
    'state',
    'acceptedAt',
    'targets',
    'deliveries',
  ] as const),
  'forgottenAt',
] as const;

function tombstoneOf({ body, recipients }: NotificationRow): NotificationRecord {
  const cells = JSON.parse(body) as unknown[];
  const kept = Object.fromEntries(KEPT.map((name, i) => [name, cells[i]])) as unknown as steps.Kept;
  const { forgottenAt } = kept as Partial<NotificationRecord>;
  const record = steps.tombstone({ ...kept, recipients }, forgottenAt ?? NaN);
  if (kept.v !== 1 || !isNumber(forgottenAt) || !isNotificationOver(kept.state) || !isSound(record))
    throw new TypeError('a field of the tombstone is not what it should be');
  return record;
}

/** @throws for a row that was damaged, or that a later release wrote. */
export function notificationOf(row: NotificationRow, read: (body: NotificationBody) => unknown): NotificationRecord {
  if (row.state === FORGOTTEN) return tombstoneOf(row);
  const stored = JSON.parse(row.body) as Omit<NotificationBody, 'state' | 'sealed' | 'recipients'>;
  if (stored.v !== 1) throw new TypeError(`record version ${String(stored.v)}`);
  const body = timed(
    { ...stored, state: row.state, sealed: row.sealed === 1, recipients: row.recipients },
    row.work_at,
  );
  const record = { ...body, data: read(body) };
  if (!isSound(record) || !isNumber(row.open) || wantsWork(record) !== isMoment(row.work_at))
    throw new TypeError('a field of the notification is not what it should be');
  return record;
}

/** The column is the truth: it is what the row was found by. */
function timed(body: NotificationBody, workAt: number | null): NotificationBody {
  if (!isMoment(workAt)) return body;
  return body.leaseUntil === null ? { ...body, dueAt: workAt } : { ...body, leaseUntil: workAt };
}

const { wantsWork } = steps;
const STATES: ReadonlySet<unknown> = new Set(NOTIFICATION_STATES);

function isSound(of: NotificationRecord): boolean {
  if (!STATES.has(of.state) || (of.recipients !== 'route' && of.recipients !== 'explicit')) return false;
  if (!isText(of.id) || !isText(of.tenant) || !isText(of.type) || !isText(of.key) || !isText(of.class)) return false;
  if (!isText(of.fingerprint) || !isNumber(of.acceptedAt) || !isMoment(of.dueAt) || !isNumber(of.fence)) return false;
  if (!isMomentOrNull(of.leaseUntil) || !isMomentOrNull(of.expiresAt) || !isMomentOrNull(of.sendAt)) return false;
  return [of.pages, of.targets, of.cursor, of.deliveries, of.failures, of.lapses].every(isNumber);
}
