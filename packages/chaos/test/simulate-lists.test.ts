import type { TargetInput } from '@sendonce/core';
import fc from 'fast-check';
import { expect, describe, test } from 'vitest';
import { simulate } from '../src/simulate.ts';
import type { SimulationSetup } from '../src/plan.ts';
import { setupOf } from './support/setup.ts';

const setup = (recipients: number, page: number): SimulationSetup => setupOf({ recipients, knobs: { page } });
const target = (n: number): TargetInput => ({ channel: 'email', to: `person-${n}@list.example`, name: `Person ${n}` });

describe('a list in which people are named twice', () => {
  test('reaches each of them once, whatever page the second row is in, and the rows add up', async () => {
    const cases = fc.record({
      people: fc.integer({ min: 1, max: 12 }),
      page: fc.integer({ min: 1, max: 30 }),
      again: fc.array(fc.nat(), { maxLength: 15 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ people, page, again }) => {
        const targets = Array.from({ length: people }, (_, n) => target(n));
        const doubles = again.map((n) => ({ ...target(n % people), to: target(n % people).to?.toUpperCase() ?? '' }));
        const workload = { kind: 'recipients', targets, doubles } as const;
        const { result, verdict } = await simulate({ setup: setup(people, page), seed: 'list', faults: [], workload });
        expect(result.violations).toEqual([]);
        expect(verdict).toBe('pass');
        expect(result.tally.once).toBe(people);
      }),
      { numRuns: 40 },
    );
  });

  test('reaches each of them once when a worker is killed', async () => {
    const targets = [target(0), target(1)];
    const workload = { kind: 'recipients', targets, doubles: [target(0)] } as const;
    const { result } = await simulate({
      setup: setup(2, 10),
      seed: 'list',
      faults: [{ do: 'kill', acceptance: 1, moment: 'after-accept' }],
      workload,
    });
    expect(result.violations).toEqual([]);
    expect(result.tally.once + result.tally.recovered).toBe(2);
    expect(result.tally.recovered).toBeGreaterThan(0);
  });
});
