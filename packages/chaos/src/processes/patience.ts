import { isSettled, type Counts, type DeliveryState, type NotificationState } from '@sendonce/core';
import { OVER } from '../world/end-facts.ts';
import type { Knobs } from '../world/knobs.ts';

/** How long a run is waited for, ms of the host's clock. */
export interface Patience {
  /** Nothing was written and nobody got anything for this long: nobody will move any more. */
  readonly quietMs: number;
  /** All is settled, and a queue still holds wakes, or does not say: longer nobody waits for what wakes nobody to do anything. */
  readonly drainMs: number;
  /** Longer takes no run that works. */
  readonly mostMs: number;
}

/** The host may be busy, and processes take a while to start. */
const SLACK_MS = 2_000;
const START_MS = 30_000;
const MOST_DRAIN_MS = 8_000;
/** More than one recipient takes, one after the other, with everything on one slow disk. */
const EACH_MS = 50;

export interface PatienceOptions {
  /** Within this everything settles once nothing breaks any more, ms of the run's clock. */
  readonly boundMs: number;
  readonly recipients: number;
  readonly speed: number;
  /** How often each wait may follow another before nothing shows. */
  readonly waits: number;
}

export function patienceOf(knobs: Knobs, { boundMs, recipients, speed, waits }: PatienceOptions): Patience {
  const { leaseMs, dispatchMs, visibilityMs, lateMs, sweepMs, waitMs, restartMs, settleMs } = knobs;
  const rhythmMs = 3 * lateMs + sweepMs + waitMs + restartMs + settleMs;
  const waitsMs = waits * (leaseMs + dispatchMs + visibilityMs) + rhythmMs;
  return {
    drainMs: Math.min(MOST_DRAIN_MS, (visibilityMs + leaseMs) / speed + SLACK_MS),
    quietMs: waitsMs / speed + SLACK_MS,
    mostMs: boundMs / speed + START_MS + EACH_MS * recipients,
  };
}

/** Whether the ledger has nothing left to do. */
export function isAtRest({ deliveries, notifications, unsealed }: Counts): boolean {
  const active = (Object.keys(deliveries) as DeliveryState[]).some(
    (state) => !isSettled(state) && deliveries[state] > 0,
  );
  const open = (Object.keys(notifications) as NotificationState[]).some(
    (state) => !OVER.has(state) && notifications[state] > 0,
  );
  return !active && !open && unsealed === 0;
}

/** How many deliveries are settled. */
export function settledIn({ deliveries }: Counts): number {
  return (Object.keys(deliveries) as DeliveryState[]).reduce(
    (all, state) => (isSettled(state) ? all + deliveries[state] : all),
    0,
  );
}
