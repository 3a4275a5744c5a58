import { CHANNELS } from '../../model/classes.ts';
import { DELIVERY_STATES, type Attempt, type DeliveryRecord } from '../../model/delivery.ts';
import { providerKey } from '../../model/keys.ts';
import type { NotificationRecord } from '../../model/notification.ts';
import type { Outcome } from '../../model/outcome.ts';
import { normaliseAddress } from '../../model/recipient.ts';

/** What the rows of one ledger share, so that none has to repeat it. */
export interface Shared {
  notificationAt(index: number): NotificationRecord;
  indexOfNotification(id: string): number;
  /** Subtracted from every fence. */
  readonly baseFence: number;
}

export interface Codec {
  encode(record: DeliveryRecord): string;
  decode(row: string): DeliveryRecord;
}

/** The fields that nearly always have their default, and then take no space. */
const RARE = {
  generation: 0,
  owner: null,
  requestId: null,
  leaseUntil: null,
  dispatchUntil: null,
  lapses: 0,
  failures: 0,
  declarations: [],
  message: null,
  forbidden: null,
  assumed: false,
  reason: null,
  replaces: null,
  replacedBy: null,
  operator: null,
  forced: false,
  redrives: 0,
} as const satisfies Partial<DeliveryRecord>;
type RareField = keyof typeof RARE;
const RARE_FIELDS = Object.keys(RARE) as RareField[];

/** 0 stands for "as expected": the key derived from the names, the fence of the record, the address as identity. */
type Expected = 0;
/** The same as its notification's. */
type Inherited = '';

type AttemptRow = readonly [
  n: number,
  provider: number,
  key: string | Expected,
  /** Less the record's. */
  fence: number,
  /** Since the record was created. */
  markedAt: number,
  /** Since the mark. */
  sendDeadline: number,
  outcome: Outcome | string | null,
  arrival: Attempt['arrival'],
  flags: number,
];

type Row = readonly [
  id: string,
  notification: number,
  to: string,
  recipientId: string | Expected,
  channel: number,
  destinationId: string | Expected,
  data: Readonly<Record<string, unknown>> | Expected,
  state: number,
  provider: number,
  maxAttempts: number,
  topic: number,
  fence: number | null,
  /** Since the notification was accepted. */
  createdAt: number,
  /** Since the record was created, like the next. */
  updatedAt: number,
  dueAt: number,
  /** Since the last update. */
  settledAt: number | null,
  expiresAt: number | null | Inherited,
  attempts: readonly AttemptRow[],
  rare?: Partial<Pick<DeliveryRecord, RareField>>,
];

/** Turns a record into one short JSON text and back. Names are numbers, times are differences. */
export function codec(shared: Shared): Codec {
  const names: (string | null)[] = [null];
  const numbers = new Map<string | null, number>([[null, 0]]);

  function numberOf(name: string | null): number {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, names.length);
    return names.push(name) - 1;
  }

  function attemptRow(record: DeliveryRecord, attempt: Attempt): AttemptRow {
    const { n, key, outcome, arrival, provider } = attempt;
    return [
      n,
      numberOf(provider),
      key === providerKey(record.id, provider) ? 0 : key,
      attempt.fence - record.fence,
      attempt.markedAt - record.createdAt,
      attempt.sendDeadline - attempt.markedAt,
      outcome?.kind === 'accepted' ? outcome.providerMessageId : outcome,
      arrival,
      (attempt.charged ? 1 : 0) + (attempt.presumed ? 2 : 0),
    ];
  }

  function attemptOf(row: AttemptRow, of: { id: string; fence: number; createdAt: number }): Attempt {
    const [n, providerNumber, key, fence, markedAt, sendDeadline, outcome, arrival, flags] = row;
    const provider = names[providerNumber] ?? '';
    return {
      n,
      provider,
      key: key === 0 ? providerKey(of.id, provider) : key,
      fence: fence + of.fence,
      markedAt: markedAt + of.createdAt,
      sendDeadline: sendDeadline + markedAt + of.createdAt,
      outcome: typeof outcome === 'string' ? { kind: 'accepted', providerMessageId: outcome } : outcome,
      arrival,
      charged: (flags & 1) !== 0,
      presumed: (flags & 2) !== 0,
    };
  }

  return {
    encode(record) {
      const index = shared.indexOfNotification(record.notificationId);
      const { acceptedAt, expiresAt } = shared.notificationAt(index);
      const { target, createdAt, updatedAt } = record;
      const rare = rareFields(record);
      const row: Row = [
        record.id,
        index,
        target.to,
        target.recipientId === normaliseAddress(target.channel, target.to) ? 0 : target.recipientId,
        CHANNELS.indexOf(target.channel),
        target.destinationId === '' ? 0 : target.destinationId,
        hasFields(target.data) ? target.data : 0,
        DELIVERY_STATES.indexOf(record.state),
        numberOf(record.provider),
        record.maxAttempts,
        numberOf(record.topic),
        record.fence === 0 ? null : record.fence - shared.baseFence,
        createdAt - acceptedAt,
        updatedAt - createdAt,
        record.dueAt - createdAt,
        record.settledAt === null ? null : record.settledAt - updatedAt,
        record.expiresAt === expiresAt ? '' : record.expiresAt,
        record.attempts.map((attempt) => attemptRow(record, attempt)),
      ];
      return JSON.stringify(rare === null ? row : [...row, rare]);
    },
    decode(text) {
      const row = JSON.parse(text) as Row;
      const [id, index, to, recipientId, channelNumber, destinationId, data, state, provider, maxAttempts, topic] = row;
      const [, , , , , , , , , , , shortFence, age, updated, due, settled, expires, attemptRows, rare] = row;
      const of = shared.notificationAt(index);
      const channel = CHANNELS[channelNumber] as (typeof CHANNELS)[number];
      const fence = shortFence === null ? 0 : shortFence + shared.baseFence;
      const createdAt = age + of.acceptedAt;
      const updatedAt = updated + createdAt;
      const attempts = attemptRows.map((attempt) => attemptOf(attempt, { id, fence, createdAt }));
      const fields = { ...RARE, ...rare };
      return {
        v: 1,
        id,
        notificationId: of.id,
        tenant: of.tenant,
        type: of.type,
        class: of.class,
        target: {
          channel,
          to,
          recipientId: recipientId === 0 ? normaliseAddress(channel, to) : recipientId,
          destinationId: destinationId === 0 ? '' : destinationId,
          data: data === 0 ? {} : data,
        },
        generation: fields.generation,
        state: DELIVERY_STATES[state] as (typeof DELIVERY_STATES)[number],
        fence,
        owner: fields.owner,
        requestId: fields.requestId,
        leaseUntil: fields.leaseUntil,
        dispatchUntil: fields.dispatchUntil,
        dueAt: due + createdAt,
        expiresAt: expires === '' ? of.expiresAt : expires,
        provider: names[provider] ?? '',
        attempts,
        charged: attempts.reduce((sum, attempt) => sum + (attempt.charged ? 1 : 0), 0),
        maxAttempts,
        lapses: fields.lapses,
        failures: fields.failures,
        declarations: fields.declarations,
        topic: names[topic] ?? null,
        message: fields.message,
        forbidden: fields.forbidden,
        assumed: fields.assumed,
        reason: fields.reason,
        createdAt,
        updatedAt,
        settledAt: settled === null ? null : settled + updatedAt,
        replaces: fields.replaces,
        replacedBy: fields.replacedBy,
        operator: fields.operator,
        forced: fields.forced,
        redrives: fields.redrives,
      };
    },
  };
}

function rareFields(record: DeliveryRecord): Partial<Pick<DeliveryRecord, RareField>> | null {
  let rare: Record<string, unknown> | null = null;
  for (const field of RARE_FIELDS) {
    const value = record[field];
    if (value === RARE[field] || (field === 'declarations' && record.declarations.length === 0)) continue;
    rare ??= {};
    rare[field] = value;
  }
  return rare;
}

function hasFields(data: Readonly<Record<string, unknown>>): boolean {
  for (const _ in data) return true;
  return false;
}
