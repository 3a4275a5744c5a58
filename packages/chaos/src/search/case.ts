import { recipientNumber } from '../faults/armed.ts';
import type { CallFault, Fault, SimulationSetup } from '../plan.ts';

/** One schedule: everything that makes a run. */
export interface Case {
  readonly seed: string;
  readonly setup: SimulationSetup;
  readonly faults: readonly Fault[];
}

/** What a run of a case said, as far as the search needs it. */
export interface Verdict {
  /** Which kind of wrong it was: `duplicated`, `lost`, `phantom`, or the first broken invariant; null: it passed. */
  readonly failure: string | null;
  readonly fired: readonly boolean[];
  /** Recipients that something went wrong with, or that a fault struck. */
  readonly involved: readonly number[];
}

export function isCallFault(fault: Fault): fault is CallFault {
  return 'op' in fault;
}

/** The recipient a fault is addressed to, or null. */
export function recipientOf(fault: Fault): number | null {
  return isCallFault(fault) ? recipientNumber(fault.entity) : null;
}

export function recipientCount(setup: SimulationSetup): number {
  return typeof setup.recipients === 'number' ? setup.recipients : setup.recipients.length;
}
