import { ledgerCapabilities, type LedgerSubject } from '../../../src/conformance/index.ts';
import { manualClock, memoryLedger, type MemoryLedgerOptions } from '../../../src/memory/index.ts';
import type { Break } from './broken-ledgers.ts';

export const UNIT_MS = 1_000;

/** A fresh memory ledger for a law; with `broken`, one that is wrong in one way. */
export function ledgerSubject(options: Omit<MemoryLedgerOptions, 'clock'> = {}, broken?: Break): LedgerSubject {
  const clock = manualClock(1_700_000_000_000, { drain: async () => {} });
  const store = memoryLedger({ clock, undoMs: 3_600_000, ...options });
  const ledger = { ...store, ...broken?.(store) };
  const loseMemory: LedgerSubject['loseMemory'] = async (request) => void store.control.loseMemory(request);
  return {
    ledger,
    loseMemory,
    capabilities: ledgerCapabilities({ ledger, loseMemory }),
    unitMs: UNIT_MS,
    elapse: (ms) => clock.advance(ms),
    close: () => ledger.close(),
  };
}
