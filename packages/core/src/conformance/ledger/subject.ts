import type { Ledger } from '../../ports/ledger.ts';
import type { LawSubject } from '../contract.ts';

/** A fresh, empty ledger. */
export interface LedgerSubject extends LawSubject {
  readonly ledger: Ledger;
  /** Makes the store forget its last writes and the named deliveries, then stand still; null where it cannot be made to. */
  readonly loseMemory:
    ((request: { lastMs: number; evict: readonly string[]; quarantineMs: number }) => Promise<void>) | null;
}

/** What the laws need to know of a ledger, as capabilities of its subject. */
export function ledgerCapabilities(subject: Pick<LedgerSubject, 'ledger' | 'loseMemory'>): Record<string, unknown> {
  return { ...subject.ledger.capabilities, amnesia: subject.loseMemory !== null };
}
