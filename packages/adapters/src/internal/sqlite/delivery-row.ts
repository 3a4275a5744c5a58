import {
  DELIVERY_STATES,
  isSettled,
  type DeliveryRecord,
  type DeliveryState,
  type MessageContent,
} from '@sendonce/core';
import { watchField, workField } from '@sendonce/core/records';
import { isAttempt, isMoment, isMomentOrNull, isNumber, isTarget, isText } from './sound.ts';

/** What of a delivery belongs to its notification, and is not written again. */
export interface Parent {
  readonly seq: number;
  readonly id: string;
  readonly tenant: string;
  readonly type: string;
  readonly class: DeliveryRecord['class'];
}

/** What is read of a row. */
export interface DeliveryRow {
  readonly seq: number;
  readonly id: string;
  readonly notification: number;
  readonly provider: string;
  readonly state: DeliveryState;
  readonly work_at: number | null;
  readonly watch_at: number | null;
  readonly settled_at: number | null;
  readonly fixed: string;
  readonly body: string;
  /** Null: there is none. Empty: it was not asked for. */
  readonly message: string | null;
}

/** Its columns, but for the message, of a table that is called `d`. */
export const ROW_COLUMNS =
  'd.seq, d.id, d.notification, d.provider, d.state, d.work_at, d.watch_at, d.settled_at, d.fixed, d.body' as const;
export const WITH_MESSAGE = '(SELECT message FROM sendonce_contents WHERE delivery = d.seq)' as const;

/** What never changes after the delivery was made, but for the data, which are erased in the end. */
export type Fixed = Pick<
  DeliveryRecord,
  | 'v'
  | 'target'
  | 'generation'
  | 'expiresAt'
  | 'maxAttempts'
  | 'topic'
  | 'createdAt'
  | 'replaces'
  | 'operator'
  | 'forced'
  | 'redrives'
>;
/** Changes, has no column of its own, and nearly always has its default, which is not written. */
type Changing = Pick<
  DeliveryRecord,
  | 'fence'
  | 'owner'
  | 'requestId'
  | 'leaseUntil'
  | 'dispatchUntil'
  | 'dueAt'
  | 'attempts'
  | 'charged'
  | 'lapses'
  | 'failures'
  | 'declarations'
  | 'forbidden'
  | 'assumed'
  | 'reason'
  | 'updatedAt'
  | 'replacedBy'
>;

const DEFAULTS: Changing = {
  fence: 0,
  owner: null,
  requestId: null,
  leaseUntil: null,
  dispatchUntil: null,
  dueAt: 0,
  attempts: [],
  charged: 0,
  lapses: 0,
  failures: 0,
  declarations: [],
  forbidden: null,
  assumed: false,
  reason: null,
  updatedAt: 0,
  replacedBy: null,
};

/** Stands for a message that was not asked for, or was erased. */
export const NOT_READ: MessageContent = Object.freeze({});

const FIELDS = Object.keys(DEFAULTS) as (keyof Changing)[];

/** Field by field: a list of names to walk takes more than twice as long, once for every delivery of a fan-out. */
export function fixedOf(record: DeliveryRecord): string {
  const { v, target, generation, expiresAt, maxAttempts, topic, createdAt } = record;
  const { replaces, operator, forced, redrives } = record;
  const fixed: Fixed = {
    v,
    target,
    generation,
    expiresAt,
    maxAttempts,
    topic,
    createdAt,
    replaces,
    operator,
    forced,
    redrives,
  };
  return JSON.stringify(fixed);
}

export function bodyOf(record: DeliveryRecord): string {
  const inColumn = timeField(record.state);
  const body: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const value = record[field];
    if (value === DEFAULTS[field] || field === inColumn) continue;
    if (typeof value === 'object' && value !== null && value.length === 0) continue;
    body[field] = value;
  }
  if (record.message !== null) body['isFrozen'] = true;
  return JSON.stringify(body);
}

/** @throws for a row that was damaged, or that a later release wrote. */
export function recordOf(row: DeliveryRow, parent: Parent): DeliveryRecord {
  const fixed = JSON.parse(row.fixed) as Fixed;
  // A worker of this release must not act on what it only half understands.
  if (fixed.v !== 1) throw new TypeError(`record version ${String(fixed.v)}`);
  const { isFrozen, ...body } = JSON.parse(row.body) as Partial<DeliveryRecord> & { isFrozen?: boolean };
  // Every field by name, in the order of the type: records of one shape are quicker to copy.
  const of = { ...DEFAULTS, ...body, ...timeOf(row) };
  if (!isTarget(fixed.target) || !isSound(row, of))
    throw new TypeError('a field of the record is not what it should be');
  return {
    v: fixed.v,
    id: row.id,
    notificationId: parent.id,
    tenant: parent.tenant,
    type: parent.type,
    class: parent.class,
    target: fixed.target,
    generation: fixed.generation,
    state: row.state,
    fence: of.fence,
    owner: of.owner,
    requestId: of.requestId,
    leaseUntil: of.leaseUntil,
    dispatchUntil: of.dispatchUntil,
    dueAt: of.dueAt,
    expiresAt: fixed.expiresAt,
    provider: row.provider,
    attempts: of.attempts,
    charged: of.charged,
    maxAttempts: fixed.maxAttempts,
    lapses: of.lapses,
    failures: of.failures,
    declarations: of.declarations,
    topic: fixed.topic,
    message: isFrozen === true ? messageOf(row) : null,
    forbidden: of.forbidden,
    assumed: of.assumed,
    reason: of.reason,
    createdAt: fixed.createdAt,
    updatedAt: of.updatedAt,
    settledAt: row.settled_at,
    replaces: fixed.replaces,
    replacedBy: of.replacedBy,
    operator: fixed.operator,
    forced: fixed.forced,
    redrives: fixed.redrives,
  };
}

const STATES: ReadonlySet<unknown> = new Set(DELIVERY_STATES);

/** The field whose value is in `work_at` or `watch_at` while the delivery is in this state. */
function timeField(state: DeliveryState): 'dueAt' | 'leaseUntil' | 'dispatchUntil' | undefined {
  return workField(state) ?? watchField(state);
}

function timeOf({ state, work_at, watch_at }: DeliveryRow): Partial<DeliveryRecord> {
  const field = timeField(state);
  return field === undefined ? {} : { [field]: work_at ?? watch_at };
}

export function messageOf({ state, message }: Pick<DeliveryRow, 'state' | 'message'>): MessageContent {
  if (message === '') return NOT_READ;
  if (message !== null) return JSON.parse(message) as MessageContent;
  // Erased, where that is settled. An empty message must not go out in the place of one that is lost.
  if (!isSettled(state)) throw new TypeError('the frozen message is gone');
  return NOT_READ;
}

type Columns = Pick<DeliveryRow, 'state' | 'provider' | 'work_at' | 'watch_at' | 'settled_at'>;

/** Whether the steps can work with it. */
export function isSound({ state, provider, work_at, watch_at, settled_at }: Columns, of: Changing): boolean {
  if (!STATES.has(state) || !isText(provider) || provider === '') return false;
  // The same as `LOST_DELIVERIES` says: no step leaves a state without its time, or with another's.
  if (isMoment(work_at) !== (workField(state) !== undefined)) return false;
  if (isMoment(watch_at) !== (watchField(state) !== undefined)) return false;
  if (isMoment(settled_at) !== isSettled(state)) return false;
  if (!isNumber(of.fence) || !isMoment(of.dueAt) || !isNumber(of.charged) || !isMoment(of.updatedAt)) return false;
  if (!isNumber(of.lapses) || !isNumber(of.failures)) return false;
  if (!isMomentOrNull(of.leaseUntil) || !isMomentOrNull(of.dispatchUntil)) return false;
  return Array.isArray(of.declarations) && Array.isArray(of.attempts) && of.attempts.every(isAttempt);
}
