import { SendonceError } from '@sendonce/core';

/** A duration or size of the simulated world. */
export interface Knob {
  readonly name: string;
  readonly unit: 'ms' | 'count' | 'percent';
  readonly preset: number;
  /** What a profile may go down to; at its least a knob is as hostile as the product allows. */
  readonly least: number;
  readonly most: number;
  readonly means: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Nothing in a run is longer. */
export const LONGEST_MS = 30 * DAY;

type Row = readonly [unit: Knob['unit'], preset: number, least: number, most: number, means: string];

/*
 * Leases and windows are the product's defaults. What workers ask for in vain is asked for less often than by default: virtual time
 * costs nothing, but each question does.
 */
const ROWS = {
  // The worker's options.
  batch: [
    'count',
    50,
    1,
    1_000,
    'deliveries per ledger call; far above what a worker sends at once it is a huge prefetch',
  ],
  leaseMs: ['ms', 30_000, 1_000, HOUR, 'the right to act on a claimed delivery'],
  dispatchMs: ['ms', MINUTE, 1_000, HOUR, 'from mark to "a missing outcome is unknown"'],
  sendMarginMs: ['ms', 5_000, 0, 10 * MINUTE, 'taken off the dispatch window for the last byte'],
  keyMarginMs: ['ms', 2 * MINUTE, 1_001, DAY, "taken off the provider's key window; longer than dispatchMs"],
  pollMs: ['ms', 5_000, 1, MINUTE, 'without a queue: how often the ledger is asked when nothing was due'],
  waitMs: ['ms', 20_000, 0, 20_000, 'with a queue: how long a receive waits'],
  sweepMs: ['ms', 5_000, 10, MINUTE, 'how often the sweeper and the reconciler run'],
  lateMs: ['ms', 5_000, 0, HOUR, 'with a queue: due for this long without a wake, a delivery is claimed directly'],
  strayAfterMs: ['ms', MINUTE, 1_000, DAY, 'a wake without a record is recorded as stray after this'],
  page: ['count', 500, 1, 10_000, 'recipients per fan-out step'],
  maxTargets: ['count', 10_000_000, 1, 1_000_000_000, 'recipients of one route at most'],
  routeMs: ['ms', HOUR, 1_000, DAY, 'how long a route may take over all of its recipients'],
  graceMs: ['ms', 10_000, 0, HOUR, 'how long a stopping worker lets marked sends finish'],
  noProgressMs: ['ms', MINUTE, 1_000, DAY, 'nothing settled for this long although work is due: alert'],
  // The type that is sent, when the simulator makes it.
  retryCapMs: ['ms', 2 * HOUR, 1, DAY, 'longest wait before another attempt'],
  maxAttempts: ['count', 5, 1, 100, 'attempts that count before a delivery is dead'],
  expiresInMs: ['ms', 0, 0, LONGEST_MS, "no new attempt after this; 0: the class's own (marketing: a day)"],
  // The ledger and the queue.
  ledgerLeastMs: ['ms', 1, 0, MINUTE, 'fastest way of a ledger call, each direction'],
  ledgerMostMs: ['ms', 2, 0, MINUTE, 'slowest way of a ledger call, each direction'],
  ledgerTimeoutMs: ['ms', 5_000, 1, HOUR, 'after which a ledger call that was lost throws'],
  queueLeastMs: ['ms', 1, 0, MINUTE, 'fastest way of a queue call, each direction'],
  queueMostMs: ['ms', 3, 0, MINUTE, 'slowest way of a queue call, each direction'],
  queueTimeoutMs: ['ms', 5_000, 1, HOUR, 'after which a queue call that was lost throws'],
  visibilityMs: ['ms', 30_000, 1_000, DAY, 'how long a received wake stays hidden'],
  queueBatch: ['count', 50, 1, 10_000, 'wakes per queue call'],
  // The providers.
  providerLeastMs: ['ms', 8, 0, HOUR, 'fastest way of a send, each direction'],
  providerMostMs: ['ms', 24, 0, HOUR, 'slowest way of a send, each direction'],
  sendTimeoutMs: ['ms', 10_000, 1, HOUR, 'after which the adapter gives up waiting for an answer'],
  keyWindowMs: ['ms', DAY, 2_000, LONGEST_MS, 'how long a keyed provider remembers a key'],
  settleMs: ['ms', MINUTE, 1, DAY, 'how long after a send deadline a "not found" proves nothing'],
  horizonMs: ['ms', 7 * DAY, 1_000, LONGEST_MS, 'how far back a lookup sees'],
  // Processes and the end.
  producerRetryMs: ['ms', 1_000, 1, HOUR, 'before the producer publishes again what it does not know to be accepted'],
  restartMs: ['ms', 5_000, 1, DAY, 'from a kill until the process is started again'],
  healMs: [
    'ms',
    6 * HOUR,
    1,
    LONGEST_MS,
    'no fault fires after this; the heal point comes when those that fired are over',
  ],
  survivors: ['count', 0, 0, 1_000, 'workers that stay alive after the heal point, all others broken for ever; 0: all'],
} satisfies Record<string, Row>;

export type KnobName = keyof typeof ROWS;
export type Knobs = Readonly<Record<KnobName, number>>;

export const KNOBS: readonly (Knob & { readonly name: KnobName })[] = Object.entries(ROWS as Record<KnobName, Row>).map(
  ([name, [unit, preset, least, most, means]]) => ({ name: name as KnobName, unit, preset, least, most, means }),
);

const PRESETS = Object.fromEntries(KNOBS.map(({ name, preset }) => [name, preset])) as Knobs;

/**
 * The presets with what a setup says otherwise.
 * @throws SendonceError PLAN_INVALID for a name that is no knob and for a value out of its bounds.
 */
export function knobsOf(set: Readonly<Record<string, number>>): Knobs {
  const knobs: Record<string, number> = { ...PRESETS };
  for (const [name, value] of Object.entries(set)) {
    const row = (ROWS as Record<string, Row>)[name];
    if (row === undefined) invalid(`setup.knobs.${name} is no knob; known: ${Object.keys(ROWS).join(', ')}`);
    const [unit, , least, most] = row;
    const isWhole = unit === 'ms' || Number.isInteger(value);
    if (typeof value !== 'number' || !(value >= least && value <= most) || !isWhole)
      invalid(
        `setup.knobs.${name} must be a ${unit === 'ms' ? '' : 'whole '}number from ${least} to ${most}, got ${typeof value === 'number' ? value : JSON.stringify(value)}`,
      );
    knobs[name] = value;
  }
  return withMargins(knobs as Knobs, set);
}

/**
 * What a hold must outlast: a lease the claim's answer and the mark's request, else nothing is ever sent; the visibility of a wake all
 * that comes before its ack, else it never goes away.
 */
export function leastHoldMs({
  ledgerMostMs,
  queueMostMs,
}: Knobs): Readonly<Record<'leaseMs' | 'visibilityMs', number>> {
  return { leaseMs: 2 * ledgerMostMs + 1, visibilityMs: 4 * ledgerMostMs + 2 * queueMostMs };
}

/** Margins follow their windows, as in the worker's own defaults, unless they were set. */
function withMargins(knobs: Knobs, set: Readonly<Record<string, number>>): Knobs {
  const { dispatchMs, sendMarginMs, ledgerLeastMs, queueLeastMs, providerLeastMs } = knobs;
  return {
    ...knobs,
    sendMarginMs: set['sendMarginMs'] ?? Math.min(sendMarginMs, Math.floor(dispatchMs / 4)),
    keyMarginMs: set['keyMarginMs'] ?? 2 * dispatchMs,
    ledgerMostMs: Math.max(ledgerLeastMs, knobs.ledgerMostMs),
    queueMostMs: Math.max(queueLeastMs, knobs.queueMostMs),
    providerMostMs: Math.max(providerLeastMs, knobs.providerMostMs),
  };
}

function invalid(message: string): never {
  throw new SendonceError('PLAN_INVALID', message);
}
