import type { DeliveryClass } from './classes.ts';
import type { Outcome } from './outcome.ts';
import type { Target } from './recipient.ts';

/** States that still ask for work. */
export const ACTIVE_STATES = ['queued', 'processing', 'dispatching', 'retry-scheduled', 'unknown'] as const;
/** Settled, but evidence may still move them forward. */
export const SETTLED_STATES = ['sent', 'parked'] as const;
export const FINAL_STATES = [
  'delivered',
  'bounced',
  'undeliverable',
  'failed',
  'dead',
  'expired',
  'suppressed',
  'cancelled',
] as const;
export const DELIVERY_STATES: readonly [...typeof ACTIVE_STATES, ...typeof SETTLED_STATES, ...typeof FINAL_STATES] = [
  ...ACTIVE_STATES,
  ...SETTLED_STATES,
  ...FINAL_STATES,
];
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Where evidence of an acceptance leads, from anywhere. */
const PROVEN = ['sent', 'delivered', 'bounced', 'undeliverable'] as const;
/** Ends without one. */
const GIVEN_UP = ['failed', 'dead', 'expired', 'suppressed', 'cancelled'] as const;

/** Every declared move. `model/steps` makes no other; a step that would is refused and recorded (`refusedMove`). */
export const TRANSITIONS: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  queued: ['processing', 'unknown', ...PROVEN, ...GIVEN_UP],
  processing: ['processing', 'queued', 'retry-scheduled', 'dispatching', 'unknown', ...PROVEN, ...GIVEN_UP],
  dispatching: ['retry-scheduled', 'unknown', ...PROVEN, ...GIVEN_UP],
  'retry-scheduled': ['processing', 'unknown', ...PROVEN, ...GIVEN_UP],
  unknown: ['retry-scheduled', 'sent', 'parked', 'delivered', 'bounced', 'undeliverable', ...GIVEN_UP],
  sent: ['delivered', 'bounced', 'undeliverable'],
  parked: [...PROVEN, 'failed', 'dead'],
  // From here on `sent` and `delivered` are another attempt's, when the best one's message bounced: the record shows its best.
  delivered: ['sent', 'bounced', 'undeliverable'],
  bounced: ['sent', 'delivered', 'undeliverable'],
  undeliverable: ['sent', 'delivered', 'bounced'],
  // A late acceptance of an attempt that was counted absent by a lookup, or forgotten by the store, is still the truth.
  failed: PROVEN,
  dead: PROVEN,
  expired: PROVEN,
  suppressed: PROVEN,
  cancelled: PROVEN,
};

const ACTIVE: ReadonlySet<DeliveryState> = new Set(ACTIVE_STATES);
const DEAD_LETTERS: ReadonlySet<DeliveryState> = new Set(['dead', 'failed', 'parked']);

/** Settled: `sent`, `parked` or final. Nothing will be tried again by itself. */
export function isSettled(state: DeliveryState): boolean {
  return !ACTIVE.has(state);
}
/** What an operator may replay. */
export function isDeadLetter(state: DeliveryState): boolean {
  return DEAD_LETTERS.has(state);
}

/** What arrived about an attempt from outside: the provider's answer to a lookup, or its webhook. */
export type ArrivalKind = 'delivered' | 'bounced' | 'undeliverable';

/** Stands for every provider of the channel, in an attempt that is presumed after a store lost its memory. */
export const ANY_PROVIDER = '*';

/** One try at one provider. Open from its mark until a definite outcome. */
export interface Attempt {
  /** 1, 2, ...: the nth committed mark of this delivery. */
  readonly n: number;
  /** `ANY_PROVIDER` when only the store's loss of memory speaks for it. */
  readonly provider: string;
  readonly key: string;
  readonly fence: number;
  readonly markedAt: number;
  /** No first byte after this (epoch ms, store clock). */
  readonly sendDeadline: number;
  readonly outcome: Outcome | null;
  readonly arrival: ArrivalKind | null;
  /** True when it counts against the cap; a `deferred` is refunded. */
  readonly charged: boolean;
  /** Not marked by us: stands for what a store that lost its memory may have forgotten (PROTOCOL rule 12). */
  readonly presumed: boolean;
}

/** A possible duplicate, written before it can happen. */
export interface Declaration {
  readonly kind: 'resend' | 'failover' | 'replay-generation';
  /** How many attempts existed when it was written: it covers exactly the next mark. */
  readonly afterAttempt: number;
  readonly provider: string;
  readonly at: number;
}

/** The neutral message, rendered once and frozen by the first mark. */
export interface MessageContent {
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Which request ended a delivery's future while an attempt was open. */
export type Forbidden = 'cancelled' | 'suppressed' | 'expired';

export interface OperatorNote {
  readonly by: string;
  readonly why: string;
}

/** The durable record of one notification x recipient x channel (x device). Times are epoch ms of the store's clock. */
export interface DeliveryRecord {
  readonly v: 1;
  readonly id: string;
  readonly notificationId: string;
  readonly tenant: string;
  readonly type: string;
  readonly class: DeliveryClass;
  readonly target: Target;
  readonly generation: number;
  readonly state: DeliveryState;
  readonly fence: number;
  readonly owner: string | null;
  readonly requestId: string | null;
  /** Ends the right to act; only while `processing`. */
  readonly leaseUntil: number | null;
  /** After it a missing outcome is `unknown`; only while `dispatching`. Renewing never moves it. */
  readonly dispatchUntil: number | null;
  /** When it may be claimed (`queued`, `retry-scheduled`) or reconciled (`unknown`). */
  readonly dueAt: number;
  readonly expiresAt: number | null;
  /** Where the next attempt goes. */
  readonly provider: string;
  readonly attempts: readonly Attempt[];
  /** Attempts that count against `maxAttempts`. */
  readonly charged: number;
  readonly maxAttempts: number;
  /** Claims in a row ended by lease expiry: a payload that kills its process. */
  readonly lapses: number;
  /** Times that making the content threw. */
  readonly failures: number;
  readonly declarations: readonly Declaration[];
  /** Opt-out topic; null where opting out is not possible. */
  readonly topic: string | null;
  readonly message: MessageContent | null;
  readonly forbidden: Forbidden | null;
  /** `sent` without proof, because the class says so. */
  readonly assumed: boolean;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly settledAt: number | null;
  /** The delivery that this one deliberately sends again, and the one that does so for this. */
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** Who asked for this generation, and why. */
  readonly operator: OperatorNote | null;
  /** An operator accepted a certain duplicate: the mark skips the check of earlier generations. */
  readonly forced: boolean;
  /** How often the automatic dead-letter retry made a generation of this line. */
  readonly redrives: number;
}

/** A move in a delivery's story, in order. */
export interface Move {
  readonly at: number;
  readonly from: DeliveryState | null;
  readonly to: DeliveryState;
  readonly by: string;
  readonly fence: number;
  readonly note: string | null;
}
