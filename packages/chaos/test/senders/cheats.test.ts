import { describe, expect, test } from 'vitest';
import { createJudge, type Judge, type Judgement } from '../../src/checkers/index.ts';
import type { Fault, SimulationSetup } from '../../src/plan.ts';
import { runOnce } from '../../src/run.ts';
import { CHEATS, type BadSender } from '../support/bad-senders.ts';
import { setupOf } from '../support/setup.ts';

const RECIPIENTS = 20;
const WORLD: SimulationSetup = setupOf({ recipients: RECIPIENTS });
const KILL = { do: 'kill', op: 'ledger.claim', entity: 'w1', nth: 1, phase: 'A' } as const;
/** Far from the deliveries, and over before them. */
const ELSEWHERE = {
  do: 'kill-producer',
  op: 'ledger.accept',
  entity: 'producer',
  nth: 1,
  phase: 'B',
  ms: 5_000,
} as const;

async function judged(
  bad: Pick<BadSender, 'setup' | 'workload' | 'faults' | 'make'>,
  faults: readonly Fault[],
  seed: string,
): Promise<Judgement> {
  let judge: Judge | null = null;
  const raw = await runOnce({
    setup: { ...WORLD, ...bad.setup },
    seed,
    faults: [...faults, ...(bad.faults ?? [])],
    workload: bad.workload ?? null,
    sender: bad.make,
    observe: (context) => {
      judge = createJudge(context);
      return [judge.observer];
    },
  });
  return (judge as unknown as Judge).finish(raw.facts);
}

const PLANS: readonly (readonly [words: string, faults: readonly Fault[]])[] = [
  ['when nothing breaks', []],
  ['when a worker is killed', [KILL]],
  ['when the producer is killed beforehand', [ELSEWHERE]],
];

describe.each(PLANS)('the judge, %s', (_words, faults) => {
  test.each(CHEATS)('sees a sender that $does', async (bad) => {
    const { violations } = await judged(bad, faults, 'cheat');
    const named = violations.map(({ invariant }) => invariant);
    expect(
      named.some((invariant) => bad.by.includes(invariant)),
      `found ${[...new Set(named)].join(' ')}`,
    ).toBe(true);
    expect(violations.some(({ kind }) => kind === 'safety')).toBe(true);
  });

  const worlds = [
    ...new Map(
      CHEATS.map(({ setup = {}, workload, faults: own = [] }) => [
        JSON.stringify([setup, workload, own]),
        { setup, own, ...(workload && { workload }) },
      ]),
    ).values(),
  ];
  test.each(worlds)(
    'finds nothing wrong with the real worker in the same world ($setup $own)',
    async ({ setup, own, workload }) => {
      const { realWorker } = await import('../../src/senders/parts.ts');
      const { violations } = await judged(
        { setup, faults: own, ...(workload && { workload }), make: realWorker },
        faults,
        'cheat',
      );
      expect(violations).toEqual([]);
    },
  );
});
