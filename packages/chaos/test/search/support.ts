import type { CallFault, SimulationSetup } from '../../src/plan.ts';
import type { Case, Verdict } from '../../src/search/case.ts';
import { setupOf } from '../support/setup.ts';

export const SETUP: SimulationSetup = setupOf({ recipients: 200, workers: 4, concurrency: 50 });

export function caseOf(faults: readonly CallFault[], setup: Partial<SimulationSetup> = {}): Case {
  return { seed: 'a seed', setup: { ...SETUP, ...setup }, faults };
}

export function fault(name: string, changes: Partial<CallFault> = {}): CallFault {
  return { do: name, op: 'provider.send', entity: '*', nth: 1, phase: 'A', ...changes };
}

export const PASSED: Verdict = { failure: null, fired: [], involved: [] };

/** A verdict in which everything fired. */
export function failed(failure: string, of: Case, involved: readonly number[] = []): Verdict {
  return { failure, fired: of.faults.map(() => true), involved };
}

export function numbersOf({ setup: { recipients } }: Case): readonly number[] {
  return typeof recipients === 'number' ? Array.from({ length: recipients }, (_, n) => n) : recipients;
}
