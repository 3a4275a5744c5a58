import type { DeliveryRecord, DeliveryState, NotificationRecord, Target } from '@sendonce/core';
import { learnedMessages, watchField, workField, type TimeField } from '@sendonce/core/records';
import { orUndefined, type DeliveryFact, type NotificationFact } from '../ahead/facts.ts';
import { plain, unplain } from '../ahead/plain.ts';
import { fixedOf, isSound, messageOf, type Fixed } from '../sqlite/delivery-row.ts';
import { notificationOf, type NotificationRow } from '../sqlite/notification-row.ts';
import { isTarget } from '../sqlite/sound.ts';
import { SEPARATOR } from './script.ts';

/** A row as a script answers it. */
export type Row = readonly (string | null)[];

/** What never changes once a delivery is made; its data stand apart, because they are erased one day. */
export function packedFixed(record: DeliveryRecord): string {
  const fixed = fixedOf({ ...record, target: { ...record.target, data: {} } });
  return [plain(record.tenant), plain(record.type), record.class, fixed].join(SEPARATOR);
}

/**
 * What every step writes anew. The state is first and the mark of an assumed end second, where scripts look for them; up to `updatedAt`
 * it is what a claim changes, which a script does by itself where the third says that it may.
 */
export function packedState(record: DeliveryRecord): string {
  const { state, assumed, provider, fence, requestId, owner, leaseUntil } = record;
  const { dueAt, updatedAt, dispatchUntil, settledAt } = record;
  const claims = `${plainClaim(record)}\u001e${fence}\u001e${dueAt}\u001e${text(requestId)}\u001e${text(owner)}\u001e${leaseUntil ?? ''}`;
  const rest = `${plain(provider)}\u001e${dispatchUntil ?? ''}\u001e${settledAt ?? ''}\u001e${bodyOf(record)}`;
  return `${state}\u001e${assumed ? '1' : ''}\u001e${claims}\u001e${updatedAt}\u001e${rest}`;
}

/**
 * The note that the story of its next claim has, as JSON, where that claim is a plain one: the record waits, and all that a claim does
 * once it is due is to grant it. '': core's own step has to look.
 */
function plainClaim({ state, attempts, leaseUntil, dispatchUntil, settledAt, reason }: DeliveryRecord): string {
  const waits = state === 'queued' || state === 'retry-scheduled';
  if (!waits || leaseUntil !== null || dispatchUntil !== null || settledAt !== null) return '';
  const isProven = attempts.some(({ outcome, arrival }) => outcome?.kind === 'accepted' || arrival !== null);
  return isProven ? '' : JSON.stringify(reason);
}

function text(value: string | null): string {
  return value === null ? '' : plain(value);
}

/** All that has no place of its own and is not as it mostly is, as JSON: put together here, because most of it is numbers. */
function bodyOf(record: DeliveryRecord): string {
  const { attempts, charged, lapses, failures, declarations, forbidden, reason, replacedBy, message } = record;
  let body = '';
  if (attempts.length > 0) body += `,"attempts":${JSON.stringify(attempts)}`;
  if (charged !== 0) body += `,"charged":${charged}`;
  if (lapses !== 0) body += `,"lapses":${lapses}`;
  if (failures !== 0) body += `,"failures":${failures}`;
  if (declarations.length > 0) body += `,"declarations":${JSON.stringify(declarations)}`;
  if (forbidden !== null) body += `,"forbidden":"${forbidden}"`;
  if (reason !== null) body += `,"reason":${JSON.stringify(reason)}`;
  if (replacedBy !== null) body += `,"replacedBy":${JSON.stringify(replacedBy)}`;
  if (message !== null) body += ',"isFrozen":true';
  return `{${body.slice(1)}}`;
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
  const [id, , notification, fixed, changing, data, message] = row;
  const [tenant, type, ofClass, rest] = parts(fixed, 4);
  const [now, assumed, , fence, due, request, owner, lease, updated, provider, dispatch, settled, body] = parts(
    changing,
    13,
  );
  const state = now as DeliveryState;
  const times = { dueAt: Number(due), leaseUntil: timeOf(lease), dispatchUntil: timeOf(dispatch) };
  const settledAt = timeOf(settled);
  const more = body === '{}' ? NOTHING : (JSON.parse(body) as Body);
  const given = JSON.parse(rest) as Fixed;
  const record: DeliveryRecord = {
    v: given.v,
    id: id as string,
    notificationId: notification as string,
    tenant: unplain(tenant),
    type: unplain(type),
    class: ofClass as DeliveryRecord['class'],
    target: typeof data === 'string' ? withData(given.target, data) : given.target,
    generation: given.generation,
    state,
    fence: Number(fence),
    owner: owner === '' ? null : unplain(owner),
    requestId: request === '' ? null : unplain(request),
    leaseUntil: times.leaseUntil,
    dispatchUntil: times.dispatchUntil,
    dueAt: times.dueAt,
    expiresAt: given.expiresAt,
    provider: unplain(provider),
    attempts: more.attempts ?? [],
    charged: more.charged ?? 0,
    maxAttempts: given.maxAttempts,
    lapses: more.lapses ?? 0,
    failures: more.failures ?? 0,
    declarations: more.declarations ?? [],
    topic: given.topic,
    message: more.isFrozen === true ? messageOf({ state, message: message ?? null }) : null,
    forbidden: more.forbidden ?? null,
    assumed: assumed === '1',
    reason: more.reason ?? null,
    createdAt: given.createdAt,
    updatedAt: Number(updated),
    settledAt,
    replaces: given.replaces,
    replacedBy: more.replacedBy ?? null,
    operator: given.operator,
    forced: given.forced,
    redrives: given.redrives,
  };
  const watch = timeIn(times, watchField(state));
  const columns = { state, provider: record.provider, work_at: timeIn(times, workField(state)), watch_at: watch };
  // A worker of this release must not act on what it only half understands.
  if (given.v !== 1 || !isTarget(given.target) || !isSound({ ...columns, settled_at: settledAt }, record))
    throw new TypeError('the record is damaged, or of a later release');
  return record;
}

type Body = Partial<DeliveryRecord> & { readonly isFrozen?: boolean };
const NOTHING: Body = {};

function withData(target: Target, data: string): Target {
  return { ...target, data: JSON.parse(data) as Target['data'] };
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
type Three = readonly [string, string, string];
type Parts = readonly [...Three, ...Three, ...Three, ...Three, string];

function timeIn(times: { readonly [Field in TimeField]: number | null }, field: TimeField | undefined): number | null {
  return field === undefined ? null : times[field];
}

function timeOf(text: string): number | null {
  return text === '' ? null : Number(text);
}
