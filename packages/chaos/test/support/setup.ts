import type { SimulationSetup } from '../../src/plan.ts';

/** A calm world of 20 recipients, changed as a test needs it. */
export function setupOf(changes: Partial<SimulationSetup> = {}): SimulationSetup {
  return {
    recipients: 20,
    workers: 2,
    concurrency: 10,
    provider: 'keyed',
    class: 'transactional',
    onUnknown: null,
    queue: true,
    sender: null,
    knobs: {},
    ...changes,
  };
}
