import type { DeliveryRecord } from '../../model/delivery.ts';
import type { Evidence } from '../../ports/ledger.ts';
import { evidenceKeys, keyOfEvidence } from '../../records/evidence-keys.ts';
import type { Undo } from './undo.ts';

/** Evidence that nothing matched yet (PROTOCOL rule 11): waits for its delivery, or for an attempt with its message id. */
export interface KeptEvidence {
  readonly isEmpty: boolean;
  /** Keeping the same thing twice keeps it once. */
  keep(evidence: Evidence): void;
  /** Takes out what belongs to this delivery. */
  takeFor(record: DeliveryRecord): readonly Evidence[];
}

export function keptEvidence(undo: Undo): KeptEvidence {
  const waiting = new Map<string, readonly Evidence[]>();

  function set(key: string, evidence: readonly Evidence[]): void {
    const before = waiting.get(key);
    if (evidence.length > 0) waiting.set(key, evidence);
    else waiting.delete(key);
    undo.note(() => void (before === undefined ? waiting.delete(key) : waiting.set(key, before)));
  }

  function take(key: string): readonly Evidence[] {
    const found = waiting.get(key) ?? [];
    if (found.length > 0) set(key, []);
    return found;
  }

  return {
    get isEmpty() {
      return waiting.size === 0;
    },
    keep(evidence) {
      const key = keyOfEvidence(evidence);
      const known = waiting.get(key) ?? [];
      const isKnown = known.some(
        ({ kind, provider, providerMessageId: id }) =>
          kind === evidence.kind && provider === evidence.provider && id === evidence.providerMessageId,
      );
      if (!isKnown) set(key, [...known, evidence]);
    },
    takeFor(record) {
      return waiting.size === 0 ? [] : evidenceKeys(record).flatMap(take);
    },
  };
}
