import type { FaultKind } from '../faults/kind.ts';
import { hashText } from '../kernel/draw.ts';
import type { Fault, SimulationSetup } from '../plan.ts';
import type { WorkloadSpec } from '../workload.ts';
import { limitsIn } from '../world/limits.ts';
import { unsoundness } from '../world/soundness.ts';
import type { Case } from './case.ts';
import { generate } from './generate.ts';

export interface CaseSource {
  readonly seed: string;
  readonly setup: SimulationSetup;
  /** In every case. */
  readonly faults: readonly Fault[];
  /** @defaultValue null, made from the seed */
  readonly workload?: WorkloadSpec | null;
}

/** The nth case of a search: a pure function of the source's seed and n. Without kinds, all cases have the given faults alone. */
export function generatedCase(
  { seed, setup, faults, workload = null }: CaseSource,
  n: number,
  kinds: readonly FaultKind[],
): Case {
  const own = n === 0 ? seed : `${seed}/${n}`;
  if (kinds.length === 0) return { seed: own, setup, faults };
  const drawn = generate({
    seed: hashText(own),
    setup,
    kinds: possible(kinds, setup),
    limitsWith: (knobs) => limitsIn(withKnobs(setup, knobs), workload),
    isSound: (knobs) => unsoundness(withKnobs(setup, knobs), workload, []) === null,
  });
  return {
    seed: own,
    setup: withKnobs(setup, drawn.knobs),
    faults: [...faults, ...drawn.faults],
  };
}

function withKnobs(setup: SimulationSetup, knobs: SimulationSetup['knobs']): SimulationSetup {
  return { ...setup, knobs: { ...setup.knobs, ...knobs } };
}

/** Without a queue its faults strike nothing; who asks for nothing else gets them all the same, and hears that none fired. */
function possible(kinds: readonly FaultKind[], { queue }: SimulationSetup): readonly FaultKind[] {
  if (queue) return kinds;
  const here = kinds.filter(({ ops }) => ops.some((op) => !op.startsWith('queue.')));
  return here.length === 0 ? kinds : here;
}
