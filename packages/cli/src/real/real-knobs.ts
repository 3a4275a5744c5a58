import type { SimulationSetup } from '@sendonce/chaos';

/**
 * The durations of a real run, ms: those of a virtual one take no time, and these do. Short enough that a run takes seconds, and long
 * enough for processes on a busy machine.
 */
export const REAL_KNOBS: SimulationSetup['knobs'] = {
  leaseMs: 2_000,
  dispatchMs: 3_000,
  sendMarginMs: 500,
  pollMs: 100,
  waitMs: 1_000,
  sweepMs: 250,
  lateMs: 1_000,
  strayAfterMs: 5_000,
  sendTimeoutMs: 2_500,
  settleMs: 1_000,
  visibilityMs: 3_000,
  retryCapMs: 1_000,
  restartMs: 250,
};

/** A lease as short as this is waited for as it is, ms. */
const SHORT_LEASE_MS = 1_500;
const MOST = 20;

/** How fast the clock of a run with these durations goes: a plan that was found in virtual time has leases that nobody waits for. */
export function speedFor({ leaseMs = 30_000 }: SimulationSetup['knobs']): number {
  return Math.min(MOST, Math.max(1, Math.floor(leaseMs / SHORT_LEASE_MS)));
}
