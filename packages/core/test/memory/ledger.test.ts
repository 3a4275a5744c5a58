import { ledgerCapabilities, ledgerLaws, ledgerWalks, type LedgerSubject } from '../../src/conformance/index.ts';
import { manualClock, memoryLedger, type MemoryLedgerOptions } from '../../src/memory/index.ts';
import { testLaws } from '../conformance/support/laws.ts';

const UNIT_MS = 1_000;

function subject(options: Omit<MemoryLedgerOptions, 'clock'> = {}): LedgerSubject {
  const clock = manualClock(1_700_000_000_000);
  const ledger = memoryLedger({ clock, undoMs: 3_600_000, ...options });
  const loseMemory: LedgerSubject['loseMemory'] = async (request) => void ledger.control.loseMemory(request);
  return {
    ledger,
    loseMemory,
    capabilities: ledgerCapabilities({ ledger, loseMemory }),
    unitMs: UNIT_MS,
    elapse: (ms) => clock.advance(ms),
    close: () => ledger.close(),
  };
}

testLaws('the memory ledger', ledgerLaws, () => subject());
testLaws('the memory ledger, compact', ledgerLaws, () =>
  subject({ compactAfterMs: 0, journal: false, liveLimit: 0 }),
);

const SEEDS = Array.from({ length: Number(process.env.WALKS ?? 60) }, (_, i) => i + 1);
testLaws('the memory ledger', ledgerWalks(SEEDS), () => subject());
