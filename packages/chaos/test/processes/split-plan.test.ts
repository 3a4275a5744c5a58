import { describe, expect, test } from 'vitest';
import { isSendonceError } from '@sendonce/core';
import { FAULTS } from '../../src/faults/index.ts';
import type { CallFault, Fault } from '../../src/plan.ts';
import { isForReal, realKinds, splitPlan } from '../../src/processes/split-plan.ts';
import { SCRIPTED } from '../../src/processes/scripts.ts';
import { STRIKING } from '../../src/processes/strikes.ts';
import { KNOWN_BAD_SENDERS } from '../../src/senders/index.ts';
import { limitsIn } from '../../src/world/limits.ts';
import { setupFor } from '../../src/self-test.ts';

const [sender] = KNOWN_BAD_SENDERS;
if (sender === undefined) throw new Error('there are known-bad senders');
const limits = limitsIn(setupFor(sender), null);
const split = (...faults: Fault[]): ReturnType<typeof splitPlan> =>
  splitPlan(faults, { limits, deliveryOf: (recipient) => (recipient < 10 ? `d_${recipient}` : null) });

const SITES: readonly CallFault[] = FAULTS.flatMap((kind) =>
  kind.ops.map((op): CallFault => ({ do: kind.do, op, entity: 'r3', nth: 1, phase: kind.phases[0] ?? 'B' })),
);

describe('splitPlan', () => {
  test('gives every fault of the table to a worker or to the provider, or refuses it by its name', () => {
    for (const fault of SITES) {
      const words = realKinds([`${fault.do}@${fault.op}`]);
      if (words.length === 0) {
        expect(() => split(fault)).toThrow(
          `faults[0] cannot be made on real processes (${fault.do} at ${fault.op} of r3`,
        );
      } else {
        const { strikes, scripts } = split(fault);
        expect([...strikes, ...scripts]).toMatchObject([{ index: 0, do: fault.do, whose: { id: 'd_3' } }]);
      }
    }
  });

  test('can make every kill, and every fault that it says it can', () => {
    const made = new Set(realKinds(['all']).map((word) => word.split('@')[0]));
    expect([...made].sort()).toEqual([...STRIKING, ...SCRIPTED].sort());
  });

  test('knows who is meant', () => {
    const entities = ['r3', 'r99', 'w2', 'p1', '*'];
    const whose = entities.map((entity) => {
      const [strike] = split({ do: 'kill', op: 'provider.send', entity, nth: 1, phase: 'A' }).strikes;
      return strike?.whose;
    });
    expect(whose).toEqual([
      { kind: 'delivery', id: 'd_3' },
      { kind: 'delivery', id: 'nobody' },
      { kind: 'worker', name: 'w2' },
      { kind: 'provider', name: 'p1' },
      { kind: 'any' },
    ]);
  });

  test('refuses a fault of the producer, of operators and of the ledger', () => {
    const refused: readonly CallFault[] = [
      { do: 'kill-producer', op: 'ledger.accept', entity: 'producer', nth: 1, phase: 'B' },
      { do: 'kill', op: 'ledger.mark', entity: 'producer', nth: 1, phase: 'B' },
      { do: 'reply-lost', op: 'ledger.settle', entity: 'r1', nth: 1, phase: 'A' },
      { do: 'amnesia', op: 'ledger.settle', entity: 'r1', nth: 1, phase: 'A' },
      { do: 'redeliver', op: 'queue.receive', entity: 'r1', nth: 1, phase: 'A' },
    ];
    for (const fault of refused) {
      let thrown: unknown = null;
      try {
        split(fault);
      } catch (error) {
        thrown = error;
      }
      expect(isSendonceError(thrown, 'PLAN_INVALID')).toBe(true);
    }
  });

  test('can tell beforehand, so that only what works is offered', () => {
    const kill: Fault = { do: 'kill', acceptance: 8, moment: 'before-ack' };
    const lost: CallFault = { do: 'reply-lost', op: 'provider.send', entity: 'r1', nth: 1, phase: 'A' };
    expect(isForReal([])).toBe(true);
    expect(isForReal([kill, lost])).toBe(true);
    expect(isForReal([kill, { ...lost, op: 'ledger.settle' }])).toBe(false);
    expect(isForReal([{ do: 'kill', op: 'ledger.mark', entity: 'producer', nth: 1, phase: 'B' }])).toBe(false);
  });

  test('holds back the answers of acceptances that a kill waits for', () => {
    const kills = (['after-accept', 'before-ack', 'mid-batch', 'before-send'] as const).map((moment, index): Fault => ({
      do: 'kill',
      acceptance: index + 1,
      moment,
    }));
    expect(split(...kills).hold).toEqual([1, 2, 3]);
  });

  test('leaves each known-bad sender faults that show what is wrong with it', () => {
    for (const { name, kinds } of KNOWN_BAD_SENDERS) expect([name, realKinds(kinds).length > 0]).toEqual([name, true]);
  });
});
