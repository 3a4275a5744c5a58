import { newEpoch } from '@sendonce/core/records';
import { expect, test } from 'vitest';
import type { Found } from '../../src/internal/ahead/facts.ts';
import { known } from '../../src/internal/ahead/known.ts';

const NOTHING = { deliveries: new Set<string>(), notifications: new Set<string>(), questions: [] };

function found(gates: string, version: string, nowMs: number): Found {
  const store = {
    ...{ key: 'k', version, identity: 'i', identityNow: 'i', epoch: newEpoch(0), gates, nowMs, fence: nowMs },
    ...{ hasSuppressions: true, hasKept: false, blocks: new Map<string, number>() },
  };
  return { store, deliveries: [], notifications: [], answers: [] };
}

test('a call that reads several times rests on the opt-outs and the memory of the first time, by the clock of the last', () => {
  const seen = known();
  seen.enter(found('1', '7', 100), NOTHING);
  // Somebody opted out after the first answers came.
  seen.enter(found('2', '8', 200), NOTHING);
  expect(seen.store).toMatchObject({ gates: '1', version: '7', nowMs: 200, fence: 200 });
});
