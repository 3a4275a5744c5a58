import type { DeliveryClass, UnknownAction } from '../model/classes.ts';

/** When known-not-sent work is tried again. */
export type RetryPolicy =
  /** A wait per charged attempt; the last one repeats. Full jitter: between half of it and all of it. */
  | { readonly schedule: readonly number[] }
  | { readonly baseMs: number; readonly factor: number; readonly maxMs: number };

export const LOOKUP_RULES = ['never', 'once', 'until-certain'] as const;
export const OPT_OUT_RULES = ['never', 'topic', 'always'] as const;

/** Everything that a class decides, and that a notification type may decide otherwise. Durations in ms. */
export interface ClassPolicy {
  /** With a live key: replay for at most this long after the first mark; Infinity: until the window closes; 0: once. */
  readonly replayForMs: number;
  /** Whether a lookup, where the provider has one, is asked before `onUnknown`: never, once, or until its "absent" counts. */
  readonly lookup: (typeof LOOKUP_RULES)[number];
  /** What to do where nothing can tell. */
  readonly onUnknown: UnknownAction;
  /** No new attempt after this long; null: `expiresInMs` is required on the type. */
  readonly expiresInMs: number | null;
  /** Charged attempts, 1 to 100. */
  readonly maxAttempts: number;
  readonly retry: RetryPolicy;
  /** `never`: opting out is not possible (security, legal). `topic`: by topic. `always`: by topic, and by "everything". */
  readonly optOut: (typeof OPT_OUT_RULES)[number];
  /** `not-sent` goes to the next provider at once instead of waiting for this one. */
  readonly failoverOnNotSent: boolean;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const common = {
  maxAttempts: 5,
  retry: { schedule: [30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR] },
  failoverOnNotSent: true,
} as const;

/** The table of PROTOCOL section 3. */
export const CLASS_POLICIES: Readonly<Record<DeliveryClass, ClassPolicy>> = {
  security: {
    ...common,
    retry: { schedule: [1_000, 3_000, 10_000, 30_000] },
    replayForMs: 30_000,
    lookup: 'once',
    onUnknown: 'resend',
    expiresInMs: 5 * MINUTE,
    optOut: 'never',
  },
  document: {
    ...common,
    replayForMs: Infinity,
    lookup: 'until-certain',
    onUnknown: 'failover',
    expiresInMs: 7 * DAY,
    optOut: 'topic',
  },
  transactional: {
    ...common,
    replayForMs: Infinity,
    lookup: 'until-certain',
    onUnknown: 'park',
    expiresInMs: DAY,
    optOut: 'topic',
  },
  legal: {
    ...common,
    replayForMs: Infinity,
    lookup: 'until-certain',
    onUnknown: 'park',
    expiresInMs: 14 * DAY,
    optOut: 'never',
  },
  alert: {
    ...common,
    replayForMs: Infinity,
    lookup: 'never',
    onUnknown: 'resend',
    expiresInMs: 15 * MINUTE,
    optOut: 'topic',
  },
  marketing: {
    ...common,
    replayForMs: 0,
    lookup: 'never',
    onUnknown: 'assume-sent',
    expiresInMs: null,
    optOut: 'always',
  },
};
