import { CHANNELS } from '../../model/classes.ts';
import { DELIVERY_STATES, type Attempt, type DeliveryRecord } from '../../model/delivery.ts';
import type { NotificationRecord } from '../../model/notification.ts';
import type { Outcome } from '../../model/outcome.ts';

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

type AttemptRow = readonly [
  n: number,
  provider: number,
  key: string,
  fence: number | null,
  markedAt: number,
  sendDeadline: number,
  outcome: Outcome | string | null,
  arrival: Attempt['arrival'],
  flags: number,
];

type Row = readonly [
  id: string,
  notification: number,
  recipientId: string,
  to: string | 0,
  channel: number,
  destinationId: string | 0,
  data: Readonly<Record<string, unknown>> | 0,
  state: number,
  provider: number,
  maxAttempts: number,
  topic: number,
  fence: number | null,
  createdAt: number,
  updatedAt: number,
  dueAt: number,
  settledAt: number | null,
  expiresAt: number | null | 'as-notification',
  attempts: readonly AttemptRow[],
  rare?: Partial<Pick<DeliveryRecord, RareField>>,
];

/** Turns a record into one short JSON text and back. Times are counted from the notification's acceptance, names are numbers. */
export function codec(shared: Shared): Codec {
  const names: (string | null)[] = [null];
  const numbers = new Map<string | null, number>([[null, 0]]);

  function numberOf(name: string | null): number {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, names.length);
    return names.push(name) - 1;
  }

  const shorten = (fence: number): number | null => (fence === 0 ? null : fence - shared.baseFence);
  const restore = (fence: number | null): number => (fence === null ? 0 : fence + shared.baseFence);

  function attemptRow(attempt: Attempt, zero: number): AttemptRow {
    const { n, key, outcome, arrival } = attempt;
    return [
      n,
      numberOf(attempt.provider),
      key,
      shorten(attempt.fence),
      attempt.markedAt - zero,
      attempt.sendDeadline - zero,
      outcome?.kind === 'accepted' ? outcome.providerMessageId : outcome,
      arrival,
      (attempt.charged ? 1 : 0) + (attempt.presumed ? 2 : 0),
    ];
  }

  function attemptOf(row: AttemptRow, zero: number): Attempt {
    const [n, provider, key, fence, markedAt, sendDeadline, outcome, arrival, flags] = row;
    return {
      n,
      provider: names[provider] ?? '',
      key,
      fence: restore(fence),
      markedAt: markedAt + zero,
      sendDeadline: sendDeadline + zero,
      outcome: typeof outcome === 'string' ? { kind: 'accepted', providerMessageId: outcome } : outcome,
      arrival,
      charged: (flags & 1) !== 0,
      presumed: (flags & 2) !== 0,
    };
  }

  return {
    encode(record) {
      const index = shared.indexOfNotification(record.notificationId);
      const { acceptedAt: zero, expiresAt } = shared.notificationAt(index);
      const { target } = record;
      const rare = rareFields(record);
      const row: Row = [
        record.id,
        index,
        target.recipientId,
        target.to === target.recipientId ? 0 : target.to,
        CHANNELS.indexOf(target.channel),
        target.destinationId === '' ? 0 : target.destinationId,
        hasFields(target.data) ? target.data : 0,
        DELIVERY_STATES.indexOf(record.state),
        numberOf(record.provider),
        record.maxAttempts,
        numberOf(record.topic),
        shorten(record.fence),
        record.createdAt - zero,
        record.updatedAt - zero,
        record.dueAt - zero,
        record.settledAt === null ? null : record.settledAt - zero,
        record.expiresAt === expiresAt ? 'as-notification' : record.expiresAt,
        record.attempts.map((attempt) => attemptRow(attempt, zero)),
      ];
      return JSON.stringify(rare === null ? row : [...row, rare]);
    },
    decode(text) {
      const row = JSON.parse(text) as Row;
      const [id, index, recipientId, to, channel, destinationId, data, state, provider, maxAttempts, topic] = row;
      const [, , , , , , , , , , , fence, createdAt, updatedAt, dueAt, settledAt, expiresAt, attemptRows, rare] = row;
      const of = shared.notificationAt(index);
      const attempts = attemptRows.map((attempt) => attemptOf(attempt, of.acceptedAt));
      const fields = { ...RARE, ...rare };
      return {
        v: 1,
        id,
        notificationId: of.id,
        tenant: of.tenant,
        type: of.type,
        class: of.class,
        target: {
          channel: CHANNELS[channel] as (typeof CHANNELS)[number],
          to: to === 0 ? recipientId : to,
          recipientId,
          destinationId: destinationId === 0 ? '' : destinationId,
          data: data === 0 ? {} : data,
        },
        generation: fields.generation,
        state: DELIVERY_STATES[state] as (typeof DELIVERY_STATES)[number],
        fence: restore(fence),
        owner: fields.owner,
        requestId: fields.requestId,
        leaseUntil: fields.leaseUntil,
        dispatchUntil: fields.dispatchUntil,
        dueAt: dueAt + of.acceptedAt,
        expiresAt: expiresAt === 'as-notification' ? of.expiresAt : expiresAt,
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
        createdAt: createdAt + of.acceptedAt,
        updatedAt: updatedAt + of.acceptedAt,
        settledAt: settledAt === null ? null : settledAt + of.acceptedAt,
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
