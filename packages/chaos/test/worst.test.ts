import { describe, expect, test } from 'vitest';
import type { CallFault, Fault } from '../src/plan.ts';
import { CLASSES_OF_END, type Tally, type Violation } from '../src/result.ts';
import { setupFor } from '../src/self-test.ts';
import { KNOWN_BAD_SENDERS } from '../src/senders/index.ts';
import type { KnownBadSender } from '../src/senders/sender.ts';
import { replayPlan } from '../src/simulate.ts';
import { isGraver, worstOf } from '../src/worst.ts';

const NONE = Object.fromEntries(CLASSES_OF_END.map((end) => [end, 0])) as Tally;
const violation = (invariant: string, kind: Violation['kind']): Violation => ({
  invariant,
  kind,
  at: 0,
  recipient: 'r0',
  deliveryId: null,
  message: 'it broke',
});
const SAFETY = violation('S2', 'safety');
const LIVENESS = violation('L2', 'liveness');

describe('the gravest wrong of a run', () => {
  test.each([
    [{}, [], null],
    [{ once: 3, parked: 2, resent: 1 }, [], null],
    [{}, [LIVENESS], 'L2'],
    [{}, [LIVENESS, SAFETY], 'S2'],
    [{ lost: 1 }, [SAFETY], 'lost'],
    [{ lost: 1, phantom: 1 }, [], 'phantom'],
    [{ lost: 1, phantom: 1, duplicated: 1 }, [LIVENESS], 'duplicated'],
  ] as const)('of %j and %j is %j', (tally, violations, name) => {
    expect(worstOf({ tally: { ...NONE, ...tally }, violations })?.name ?? null).toBe(name);
  });

  test('is of people before safety before liveness before nothing', () => {
    const ranked = [
      worstOf({ tally: { ...NONE, lost: 1 }, violations: [] }),
      worstOf({ tally: NONE, violations: [SAFETY] }),
      worstOf({ tally: NONE, violations: [LIVENESS] }),
      null,
    ];
    for (const [at, a] of ranked.entries())
      for (const [other, b] of ranked.entries()) expect(isGraver(a, b)).toBe(at < other);
  });
});

const at = (op: string, phase: CallFault['phase']) => ({ op, phase, entity: 'r0', nth: 1 }) as const;
const PLANS: readonly (readonly Fault[])[] = [
  [],
  [{ do: 'kill', ...at('provider.send', 'A') }],
  [{ do: 'kill', ...at('provider.send', 'B') }],
  [{ do: 'reply-lost', ...at('provider.send', 'A') }],
  [{ do: 'request-lost', ...at('provider.send', 'B') }],
  [{ do: 'redeliver', ...at('queue.receive', 'A') }],
];

function run(sender: KnownBadSender, faults: readonly Fault[]) {
  const setup = setupFor(sender, 3);
  return replayPlan({ schema: 'sendonce.plan/1', title: 'as it is', seed: 'worst', setup, faults });
}

describe.each(KNOWN_BAD_SENDERS)('$name', (sender) => {
  test('never passes with anything wrong', async () => {
    for (const faults of PLANS) {
      const { verdict, result, totals } = await run(sender, faults);
      const hurt = totals.tally.duplicated + totals.tally.lost + totals.tally.phantom;
      expect(verdict === 'violation').toBe(hurt > 0 || result.violations.length > 0);
    }
  });
});

test('a sender that hurts somebody in another way than it stands for does not pass', async () => {
  const jobLevel = KNOWN_BAD_SENDERS.find(({ name }) => name === 'job-level');
  if (jobLevel === undefined) throw new Error('no such sender');
  const { verdict, totals, result } = await run(jobLevel, [{ do: 'request-lost', ...at('provider.send', 'B') }]);
  expect([verdict, totals.tally.lost, totals.tally.duplicated]).toEqual(['violation', 1, 0]);
  expect(result.violations.map(({ kind }) => kind)).toContain('safety');
});
