import type { ClassPolicy } from '@sendonce/core';
import type { Knobs } from './knobs.ts';

/** A round of a worker's loop is at most four calls, each a request, a reply and a time limit, and the sleep after it; twice that, to be sure. */
const EVENTS_A_ROUND = 26;
/** Processes that begin, are killed and come back, and what they try in vain until the store is back. */
const EVENTS_OF_STARTS = 100_000;
/** How often a delivery is taken up beside its attempts: wakes that come twice, leases that lapse, lookups. */
const TURNS = 50;
const TURNS_AN_ATTEMPT = 10;
/** A lookup that cannot answer is asked again after this. */
const LOOKUP_AGAIN_MS = 30_000;

export interface EventBoundParts {
  readonly knobs: Knobs;
  readonly workers: number;
  readonly queue: boolean;
  readonly policies: readonly ClassPolicy[];
}

/** Claims and reconciliations of one delivery that have to be enough to settle it. */
export function turnsOf(policies: readonly ClassPolicy[]): number {
  return TURNS + TURNS_AN_ATTEMPT * Math.max(...policies.map(({ maxAttempts }) => maxAttempts));
}

/**
 * How many events a run may have had after so many ms with so many deliveries: what it takes to settle them, and the rounds that idle
 * workers make and waiting deliveries are asked for in that time. A run with more goes round in circles. What goes round more slowly
 * is unsettled at the bound of time.
 */
export function eventBound({
  knobs,
  workers,
  queue,
  policies,
}: EventBoundParts): (elapsedMs: number, deliveries: number) => number {
  const eachDelivery = turnsOf(policies) * EVENTS_A_ROUND;
  const idlePerMs = workers * roundsPerMs(knobs, queue) * EVENTS_A_ROUND;
  const againMs = Math.min(LOOKUP_AGAIN_MS, ...(queue ? [knobs.leaseMs, knobs.visibilityMs] : []));
  const waitingPerMs = EVENTS_A_ROUND / againMs;
  return (elapsedMs, deliveries) =>
    EVENTS_OF_STARTS + deliveries * eachDelivery + elapsedMs * (idlePerMs + deliveries * waitingPerMs);
}

/** Intake, decider, sweeper (which comes early by up to a quarter) and the renewal of leases, of one worker. */
function roundsPerMs({ pollMs, waitMs, sweepMs, leaseMs }: Knobs, queue: boolean): number {
  const intakeMs = queue && waitMs > 0 ? waitMs : pollMs;
  const deciderMs = queue ? sweepMs : pollMs;
  return 1 / intakeMs + 1 / deciderMs + 1 / (0.75 * sweepMs) + 3 / leaseMs;
}
