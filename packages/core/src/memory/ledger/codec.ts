import { DELIVERY_STATES, type DeliveryRecord } from '../../model/delivery.ts';
import type { NotificationRecord } from '../../model/notification.ts';
import { attemptCodec } from './attempt-codec.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { nameTable } from './name-table.ts';
import type { TargetCodec } from './target-codec.ts';

/** What the rows of one ledger share, so that none has to repeat it. */
export interface Shared {
  notificationAt(index: number): NotificationRecord;
  indexOfNotification(id: string): number;
  /** Subtracted from every fence. */
  readonly baseFence: number;
  readonly targets: TargetCodec;
}

export interface Codec {
  write(to: ByteWriter, record: DeliveryRecord): void;
  read(from: ByteReader): DeliveryRecord;
  /** The id alone, which is quick. */
  readId(from: ByteReader): string;
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
type RareFields = Partial<Pick<DeliveryRecord, RareField>>;
const RARE_FIELDS = Object.keys(RARE) as RareField[];

const HAS_RARE = 1;
const HAS_FENCE = 2;
const IS_SETTLED = 4;
const EXPIRY = 24;
/** When its notification does. */
const EXPIRY_INHERITED = 0;
const EXPIRY_NEVER = 8;
const EXPIRY_OWN = 16;

/** Turns a record into few bytes and back. Names are numbers, times are differences. */
export function codec(shared: Shared): Codec {
  const { targets, baseFence } = shared;
  const names = nameTable<string | null>();
  const attempts = attemptCodec(names);

  return {
    write(to, record) {
      const index = shared.indexOfNotification(record.notificationId);
      const { acceptedAt, expiresAt } = shared.notificationAt(index);
      const { id, fence, createdAt, updatedAt, settledAt } = record;
      const rare = rareFields(record);
      const expiry =
        record.expiresAt === expiresAt ? EXPIRY_INHERITED : record.expiresAt === null ? EXPIRY_NEVER : EXPIRY_OWN;
      to.id(id);
      to.byte(
        (rare === null ? 0 : HAS_RARE) | (fence === 0 ? 0 : HAS_FENCE) | (settledAt === null ? 0 : IS_SETTLED) | expiry,
      );
      targets.write(to, record.target);
      to.number(index);
      to.byte(DELIVERY_STATES.indexOf(record.state));
      to.number(names.numberOf(record.provider));
      to.number(record.maxAttempts);
      to.number(names.numberOf(record.topic));
      if (fence !== 0) to.number(fence - baseFence);
      to.number(createdAt - acceptedAt);
      to.number(updatedAt - createdAt);
      to.number(record.dueAt - createdAt);
      if (settledAt !== null) to.number(settledAt - updatedAt);
      if (expiry === EXPIRY_OWN) to.number((record.expiresAt ?? 0) - createdAt);
      to.number(record.attempts.length);
      for (const attempt of record.attempts) attempts.write(to, attempt, record);
      if (rare !== null) to.text(JSON.stringify(rare));
    },
    read(from) {
      const id = from.id();
      const flags = from.byte();
      const target = targets.read(from);
      const of = shared.notificationAt(from.number());
      const state = DELIVERY_STATES[from.byte()] as (typeof DELIVERY_STATES)[number];
      const provider = names.nameOf(from.number()) ?? '';
      const maxAttempts = from.number();
      const topic = names.nameOf(from.number()) ?? null;
      const fence = (flags & HAS_FENCE) === 0 ? 0 : from.number() + baseFence;
      const createdAt = from.number() + of.acceptedAt;
      const updatedAt = from.number() + createdAt;
      const dueAt = from.number() + createdAt;
      const settledAt = (flags & IS_SETTLED) === 0 ? null : from.number() + updatedAt;
      const expiry = flags & EXPIRY;
      const expiresAt =
        expiry === EXPIRY_OWN ? from.number() + createdAt : expiry === EXPIRY_NEVER ? null : of.expiresAt;
      const list = Array.from({ length: from.number() }, () => attempts.read(from, { id, fence, createdAt }));
      const fields = { ...RARE, ...((flags & HAS_RARE) === 0 ? null : (JSON.parse(from.text()) as RareFields)) };
      return {
        v: 1,
        id,
        notificationId: of.id,
        tenant: of.tenant,
        type: of.type,
        class: of.class,
        target,
        generation: fields.generation,
        state,
        fence,
        owner: fields.owner,
        requestId: fields.requestId,
        leaseUntil: fields.leaseUntil,
        dispatchUntil: fields.dispatchUntil,
        dueAt,
        expiresAt,
        provider,
        attempts: list,
        charged: list.reduce((sum, attempt) => sum + (attempt.charged ? 1 : 0), 0),
        maxAttempts,
        lapses: fields.lapses,
        failures: fields.failures,
        declarations: fields.declarations,
        topic,
        message: fields.message,
        forbidden: fields.forbidden,
        assumed: fields.assumed,
        reason: fields.reason,
        createdAt,
        updatedAt,
        settledAt,
        replaces: fields.replaces,
        replacedBy: fields.replacedBy,
        operator: fields.operator,
        forced: fields.forced,
        redrives: fields.redrives,
      };
    },
    readId: (from) => from.id(),
  };
}

function rareFields(record: DeliveryRecord): RareFields | null {
  let rare: Record<string, unknown> | null = null;
  for (const field of RARE_FIELDS) {
    const value = record[field];
    if (value === RARE[field] || (field === 'declarations' && record.declarations.length === 0)) continue;
    rare ??= {};
    rare[field] = value;
  }
  return rare;
}
