import type { TargetInput } from '@sendonce/core';
import type { SimulationSetup } from '../plan.ts';
import type { Workload, WorkloadSpec } from '../workload.ts';
import type { Knobs } from '../world/knobs.ts';
import { announcement, type Audience } from './announcement.ts';
import { configuredWorkload } from './configured.ts';
import { nameOf, seededTarget } from './recipient.ts';

/** What a run sends: from the seed, from a list of recipients, or of the user's own types. */
export function makeWorkload(spec: WorkloadSpec | null, setup: SimulationSetup, seed: number, knobs: Knobs): Workload {
  const numbers = numbersOf(setup);
  switch (spec?.kind) {
    case undefined:
      return announcement(setup, knobs, seeded(numbers, seed));
    case 'recipients':
      return announcement(setup, knobs, listed(spec, numbers));
    case 'config':
      return configuredWorkload(spec, numbers, seed);
  }
}

/** The recipient numbers that a setup asks for. */
function numbersOf({ recipients }: SimulationSetup): readonly number[] {
  return typeof recipients === 'number' ? Array.from({ length: recipients }, (_, number) => number) : recipients;
}

function seeded(numbers: readonly number[], seed: number): Audience {
  return {
    numbers,
    targetOf: (number) => seededTarget(seed, number, 'email'),
    nameOf: (number) => nameOf(seed, number),
    channels: ['email'],
    doubles: [],
  };
}

function listed(
  { targets, doubles }: Extract<WorkloadSpec, { kind: 'recipients' }>,
  numbers: readonly number[],
): Audience {
  const there = numbers.filter((number) => number < targets.length);
  const channels = new Set(targets.map(({ channel }) => channel));
  const targetOf = (number: number): TargetInput => ({ ...(targets[number] as TargetInput), number });
  return {
    numbers: there,
    targetOf,
    nameOf: () => null,
    channels: channels.size === 0 ? ['email'] : [...channels],
    doubles,
  };
}
