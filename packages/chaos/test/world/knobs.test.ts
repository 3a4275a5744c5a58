import { describe, expect, test } from 'vitest';
import { KNOBS, knobsOf } from '../../src/world/knobs.ts';
import { messages, simulate } from './simulate.ts';

describe('knobs', () => {
  test.each(KNOBS)(
    '$name has a preset within its bounds and says what it is',
    ({ preset, least, most, means, unit, name }) => {
      expect(preset).toBeGreaterThanOrEqual(least);
      expect(preset).toBeLessThanOrEqual(most);
      expect(means).not.toBe('');
      if (name.endsWith('Ms')) expect(unit).toBe('ms');
    },
  );

  test('take what is set, and let margins follow their windows', () => {
    const knobs = knobsOf({ dispatchMs: 2_000 });
    expect([knobs.dispatchMs, knobs.sendMarginMs, knobs.keyMarginMs]).toEqual([2_000, 500, 4_000]);
    expect(knobsOf({ dispatchMs: 2_000, keyMarginMs: 9_000 }).keyMarginMs).toBe(9_000);
  });

  test.each([
    [{ laese: 1 }, /setup\.knobs\.laese is no knob; known: batch, /],
    [{ leaseMs: 0 }, /setup\.knobs\.leaseMs must be a number from 1000 to 3600000, got 0/],
    [{ batch: Number.NaN }, /setup\.knobs\.batch must be a whole number from 1 to 1000, got NaN/],
    [{ page: 1.5 }, /setup\.knobs\.page must be a whole number/],
    [{ leaseMs: '2000' as unknown as number }, /setup\.knobs\.leaseMs must be a number .* got "2000"/],
  ])('refuse %j', (set, message) => {
    expect(() => knobsOf(set)).toThrow(expect.objectContaining({ code: 'PLAN_INVALID' }));
    expect(() => knobsOf(set)).toThrow(message);
  });

  // What says how a run ends, and what would make the promise void: nobody remembers a key for so short.
  const HARMLESS = KNOBS.filter(({ name }) => !['healMs', 'keyWindowMs', 'keyMarginMs', 'survivors'].includes(name));
  test.each(HARMLESS)('let everybody get one message with $name at its least', async ({ name, least }) => {
    const run = await simulate([], { knobs: { page: 2, [name]: least } });
    expect([run.end, messages(run)]).toEqual(['done', { r0: 1, r1: 1, r2: 1 }]);
  });

  test('let everybody get one message with batch 1, lease 1 tick, tiny back-off, page 1 and the largest prefetch', async () => {
    const knobs = { batch: 1, leaseMs: 1_000, retryCapMs: 1, page: 1 };
    expect(messages(await simulate([], { knobs }))).toEqual({ r0: 1, r1: 1, r2: 1 });
    expect(messages(await simulate([], { knobs: { batch: 1_000, queueBatch: 10_000 }, concurrency: 1_000 }))).toEqual({
      r0: 1,
      r1: 1,
      r2: 1,
    });
  });
});
