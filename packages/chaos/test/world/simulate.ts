import type { HistoryEvent } from '../../src/history.ts';
import type { Fault, SimulationSetup } from '../../src/plan.ts';
import { runOnce, type RawRun, type RunOptions } from '../../src/run.ts';
import { setupOf } from '../support/setup.ts';

export const SMALL: SimulationSetup = setupOf({ recipients: 3, concurrency: 2, knobs: { page: 2 } });

export interface Simulated extends RawRun {
  readonly history: readonly HistoryEvent[];
}

/** Runs a small world and keeps its history. */
export async function simulate(
  faults: readonly Fault[] = [],
  setup: Partial<SimulationSetup> = {},
  options: Partial<RunOptions> = {},
): Promise<Simulated> {
  const history: HistoryEvent[] = [];
  const observe = () => [{ on: (event: HistoryEvent) => void history.push(event) }];
  const run = await runOnce({ seed: 'a seed', faults, observe, setup: { ...SMALL, ...setup }, ...options });
  return { ...run, history };
}

/** How many messages each requested recipient got. */
export function messages({ facts }: RawRun): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(facts.requested.map((number) => [`r${number}`, 0]));
  for (const { recipient } of facts.mailbox) counts[`r${recipient}`] = (counts[`r${recipient}`] ?? 0) + 1;
  return counts;
}

/** The history in one line per event: time, process, kind and what it is about. */
export function lines(run: Simulated): string[] {
  return run.history.map((event) => JSON.stringify(event));
}
