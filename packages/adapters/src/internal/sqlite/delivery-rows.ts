import {
  DELIVERY_STATES,
  isDeadLetter,
  isSettled,
  type DeliveryRecord,
  type MessageContent,
  type Move,
} from '@sendonce/core';
import type { SqlValue } from './database.ts';

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
  readonly fixed: string;
  readonly body: string;
  readonly message: string | null;
}

/** Never changes after the delivery was made, but for the data, which are erased in the end. */
const FIXED = [
  'v',
  'target',
  'generation',
  'expiresAt',
  'maxAttempts',
  'topic',
  'createdAt',
  'replaces',
  'operator',
  'forced',
  'redrives',
] as const;
/** Changes, and nearly always has its default, which is not written. */
const DEFAULTS = {
  state: 'queued',
  fence: 0,
  owner: null,
  requestId: null,
  leaseUntil: null,
  dispatchUntil: null,
  dueAt: 0,
  provider: '',
  attempts: [],
  charged: 0,
  lapses: 0,
  failures: 0,
  declarations: [],
  forbidden: null,
  assumed: false,
  reason: null,
  updatedAt: 0,
  settledAt: null,
  replacedBy: null,
} as const satisfies Partial<DeliveryRecord>;

/** Stands for a message that was not asked for. */
export const NOT_READ: MessageContent = Object.freeze({});

const FIELDS = Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[];

export function fixedOf(record: DeliveryRecord): string {
  return JSON.stringify(Object.fromEntries(FIXED.map((field) => [field, record[field]])));
}

export function bodyOf(record: DeliveryRecord): string {
  const body: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const value = record[field];
    if (value === DEFAULTS[field] || (typeof value === 'object' && value !== null && value.length === 0)) continue;
    body[field] = value;
  }
  if (record.message !== null) body['isFrozen'] = true;
  return JSON.stringify(body);
}

/** @throws for a row that was damaged, or that a later release wrote. */
export function recordOf(row: DeliveryRow, parent: Parent): DeliveryRecord {
  const fixed = JSON.parse(row.fixed) as Pick<DeliveryRecord, (typeof FIXED)[number]>;
  // A worker of this release must not act on what it only half understands.
  if (fixed.v !== 1) throw new TypeError(`record version ${String(fixed.v)}`);
  const { isFrozen, ...body } = JSON.parse(row.body) as Partial<DeliveryRecord> & { isFrozen?: boolean };
  const message = row.message === null ? null : (JSON.parse(row.message) as MessageContent);
  // Every field by name, in the order of the type: records of one shape are quicker to copy.
  const of = { ...DEFAULTS, ...body };
  if (!isSound(fixed.target, of)) throw new TypeError('a field of the record is not what it should be');
  return {
    v: fixed.v,
    id: row.id,
    notificationId: parent.id,
    tenant: parent.tenant,
    type: parent.type,
    class: parent.class,
    target: fixed.target,
    generation: fixed.generation,
    state: of.state,
    fence: of.fence,
    owner: of.owner,
    requestId: of.requestId,
    leaseUntil: of.leaseUntil,
    dispatchUntil: of.dispatchUntil,
    dueAt: of.dueAt,
    expiresAt: fixed.expiresAt,
    provider: of.provider,
    attempts: of.attempts,
    charged: of.charged,
    maxAttempts: fixed.maxAttempts,
    lapses: of.lapses,
    failures: of.failures,
    declarations: of.declarations,
    topic: fixed.topic,
    message: isFrozen === true ? (message ?? NOT_READ) : null,
    forbidden: of.forbidden,
    assumed: of.assumed,
    reason: of.reason,
    createdAt: fixed.createdAt,
    updatedAt: of.updatedAt,
    settledAt: of.settledAt,
    replaces: fixed.replaces,
    replacedBy: of.replacedBy,
    operator: fixed.operator,
    forced: fixed.forced,
    redrives: fixed.redrives,
  };
}

const STATES: ReadonlySet<unknown> = new Set(DELIVERY_STATES);

type Changing = Pick<DeliveryRecord, keyof typeof DEFAULTS>;

/** Whether the protocol's steps can work with it: what they would stumble over in the middle of a batch is found here, before. */
function isSound(target: DeliveryRecord['target'], of: Changing): boolean {
  if (typeof target !== 'object' || !isText(target.to) || !isText(target.recipientId) || !isText(target.channel))
    return false;
  if (!STATES.has(of.state) || !isText(of.provider)) return false;
  if (!isNumber(of.fence) || !isNumber(of.dueAt) || !isNumber(of.charged) || !isNumber(of.updatedAt)) return false;
  if (!isNumber(of.lapses) || !isNumber(of.failures)) return false;
  if (!isTime(of.leaseUntil) || !isTime(of.dispatchUntil) || !isTime(of.settledAt)) return false;
  return Array.isArray(of.declarations) && Array.isArray(of.attempts) && of.attempts.every(isAttempt);
}

function isAttempt(attempt: unknown): boolean {
  if (typeof attempt !== 'object' || attempt === null) return false;
  const { n, provider, key, fence, markedAt, sendDeadline, outcome } = attempt as Record<string, unknown>;
  if (!isNumber(n) || !isNumber(fence) || !isNumber(markedAt) || !isNumber(sendDeadline)) return false;
  if (!isText(provider) || !isText(key)) return false;
  return outcome === null || (typeof outcome === 'object' && isText((outcome as { kind?: unknown }).kind));
}

function isNumber(value: unknown): boolean {
  return Number.isFinite(value);
}

function isTime(value: unknown): boolean {
  return value === null || Number.isFinite(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** The states that somebody may want a list of among millions that are well. */
const ATTENTION: ReadonlySet<string> = new Set([
  'retry-scheduled',
  'unknown',
  'parked',
  'failed',
  'dead',
  'bounced',
  'undeliverable',
]);

export function attentionOf(record: DeliveryRecord): string | null {
  return ATTENTION.has(record.state) ? record.state : null;
}
export function isListedByAttention(states: readonly string[] | undefined): states is readonly string[] {
  return states !== undefined && states.length > 0 && states.every((state) => ATTENTION.has(state));
}

/** When its content may go: some time after it settled; a dead letter keeps it until it is replaced, because a replay needs it. */
export function eraseAt(record: DeliveryRecord, contentRetentionMs: number): number | null {
  if (record.settledAt === null || !isSettled(record.state)) return null;
  if (isDeadLetter(record.state) && record.replacedBy === null) return null;
  return record.settledAt + contentRetentionMs;
}

/** A move as it is appended to the story: one JSON array per line. */
export function storyLine({ at, to, by, fence, note }: Omit<Move, 'from'>): string {
  return `${JSON.stringify([at, to, by, fence, note])}\n`;
}

export function storyOf(text: string): Move[] {
  let from: Move['from'] = null;
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [at, to, by, fence, note] = JSON.parse(line) as [number, Move['to'], string, number, string | null];
      const move = { at, from, to, by, fence, note };
      from = to;
      return move;
    });
}

/** A flag as every driver takes it. */
export function flag(value: boolean): SqlValue {
  return value ? 1 : 0;
}
