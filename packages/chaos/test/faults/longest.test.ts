import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../src/faults/index.ts';
import type { FaultKind } from '../../src/faults/kind.ts';
import type { CallFault } from '../../src/plan.ts';
import { runSchedule } from '../../src/schedule.ts';
import { limitsIn } from '../../src/world/limits.ts';
import { SMALL } from '../world/simulate.ts';

const OPTIONS = { workload: null, covered: false, record: false, trace: false };
/** Knobs under which much that is long for a worker is short. */
const TIGHT = { leaseMs: 1_000, dispatchMs: 12_000, retryCapMs: 1_000, keyWindowMs: 180_000 };
const WORLDS = [
  { ...SMALL, knobs: TIGHT },
  { ...SMALL, queue: false, provider: 'lookup', workers: 1, knobs: { ...TIGHT, settleMs: 60_000 } },
] as const;
const SIZED = FAULTS.filter(({ ms, amount }) => ms !== null || amount !== null);

function longest(kind: FaultKind, world: (typeof WORLDS)[number]): readonly CallFault[] {
  const limits = limitsIn(world, null);
  const size = {
    ...(kind.ms === null ? {} : { ms: kind.ms(limits).most }),
    ...(kind.amount === null ? {} : { amount: kind.amount(limits).most }),
  };
  return kind.phases.map((phase) => ({ do: kind.do, op: kind.ops[0]!, entity: '*', nth: 1, phase, ...size }));
}

describe('a fault as long as it may be', () => {
  const cases = WORLDS.flatMap((setup, world) =>
    SIZED.map((kind) => ({ name: `${kind.do} of ${kind.component}`, kind, setup, world })),
  );
  test.each(cases)('leaves time enough to settle: $name, in world $world', async ({ kind, setup }) => {
    for (const fault of longest(kind, setup)) {
      const { result } = await runSchedule({ seed: 'long', setup, faults: [fault] }, OPTIONS);
      expect(result.violations.filter((violation) => violation.kind === 'liveness')).toEqual([]);
    }
  });
});
