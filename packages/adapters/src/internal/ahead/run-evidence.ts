import type { DeliveryRecord, Evidence } from '@sendonce/core';
import { evidenceKeys, keyOfEvidence } from '@sendonce/core/records';
import { parsed } from '../sqlite/sound.ts';
import type { Known } from './known.ts';
import { plain } from './plain.ts';

/** Evidence that nothing matched yet (PROTOCOL rule 11), as one run of a call sees it. */
export interface RunEvidence {
  keep(evidence: Evidence): void;
  /** Takes out what belongs to this delivery. */
  takeFor(record: DeliveryRecord): readonly Evidence[];
  /** Keys of all that was taken, and what is to be kept. */
  readonly taken: ReadonlySet<string>;
  kept(): readonly Evidence[];
}

export function runEvidence(known: Known): RunEvidence {
  const own = new Map<string, Evidence[]>();
  const taken = new Set<string>();

  function take(key: string): readonly Evidence[] {
    const mine = own.get(key) ?? [];
    own.delete(key);
    if (known.store?.hasKept === false || taken.has(key)) return mine;
    const rows = known.values('kept', plain(key)) ?? [];
    if (rows.length > 0) taken.add(key);
    const sorted = rows.toSorted((a, b) => Number(a.x) - Number(b.x));
    return [...sorted.flatMap(({ y }) => parsed<Evidence>(y) ?? []), ...mine];
  }

  return {
    keep(evidence) {
      const key = keyOfEvidence(evidence);
      own.set(key, [...(own.get(key) ?? []), evidence]);
    },
    takeFor: (record) => (known.store?.hasKept === false && own.size === 0 ? [] : evidenceKeys(record).flatMap(take)),
    taken,
    kept: () => [...own.values()].flat(),
  };
}
