import { expect, test } from 'vitest';
import { known, type Known } from '../../src/internal/ahead/known.ts';
import type { StoreFact } from '../../src/internal/ahead/facts.ts';
import { firstScan, scanOf } from '../../src/internal/ahead/scan.ts';

const STORE = { gates: '0', version: '0' } as StoreFact;

/** Twenty ids were asked for and have come; there may be more. */
function afterTwenty(): { readonly seen: Known; readonly ids: readonly string[] } {
  const seen = known();
  const ids = Array.from({ length: 20 }, (_, i) => `n${i}`);
  const question = firstScan('routing', 0, 20);
  const asked = { deliveries: new Set<string>(), notifications: new Set<string>(), questions: [question] };
  const answers = ids.map((x) => ({ ...question, x, y: '' }));
  seen.enter({ store: STORE, deliveries: [], notifications: [], answers }, asked);
  return { seen, ids };
}

const scanned = (seen: Known): Iterable<string> =>
  scanOf(
    seen,
    () => 0,
    () => 0,
  )('routing', 0, 20);

test('a scan whose ids were all passed over asks for more of them', () => {
  const { seen, ids } = afterTwenty();
  expect([...scanned(seen)]).toEqual(ids);
  expect(seen.missing()?.questions.map(({ b }) => b)).toEqual(['0+80']);
});

test('a scan does not when they were passed over for what is not known of them yet', () => {
  const { seen, ids } = afterTwenty();
  const met = Array.from(scanned(seen), (id) => (seen.values('page', id, '1') === undefined ? id : ''));
  expect(met).toEqual(ids);
  expect(seen.missing()?.questions.map(({ kind }) => kind)).toEqual(ids.map(() => 'page'));
});
