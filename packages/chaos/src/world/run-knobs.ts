import type { WorkerOptions } from '@sendonce/core';
import type { SimulationSetup } from '../plan.ts';
import type { WorkloadSpec } from '../workload.ts';
import { knobsOf, type Knobs } from './knobs.ts';

/** Worker options that are knobs of the same name. */
const SHARED = [
  'batch',
  'leaseMs',
  'dispatchMs',
  'sendMarginMs',
  'keyMarginMs',
  'pollMs',
  'waitMs',
  'sweepMs',
  'lateMs',
  'strayAfterMs',
  'maxTargets',
  'routeMs',
  'graceMs',
  'noProgressMs',
] as const satisfies readonly (keyof WorkerOptions)[];

/** The setup's knobs, over the worker options of the user's config, over the presets. */
export function runKnobs(setup: SimulationSetup, spec: WorkloadSpec | null): Knobs {
  const worker = spec?.kind === 'config' ? (spec.config.worker ?? {}) : {};
  const own: Record<string, number> = {};
  for (const name of SHARED) if (worker[name] !== undefined) own[name] = worker[name];
  if (worker.chunk !== undefined) own['page'] = worker.chunk;
  return knobsOf({ ...own, ...setup.knobs });
}
