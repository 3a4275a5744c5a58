import type { Knobs } from '../world/knobs.ts';
import type { LedgerTerms, QueueTerms } from './opening.ts';

/** The longest dispatch window and the queue's visibility, as a ledger that forgot has to wait, ms of the run's clock. */
export function quarantineMs({ dispatchMs, visibilityMs }: Knobs): number {
  return dispatchMs + visibilityMs;
}

export function ledgerTerms(knobs: Knobs, now: () => number): LedgerTerms {
  return { now, quarantineMs: quarantineMs(knobs) };
}

export function queueTerms({ visibilityMs, queueTimeoutMs }: Knobs): QueueTerms {
  return { visibilityMs, timeoutMs: queueTimeoutMs };
}
