import { checkAgainstReference } from '@sendonce/chaos/model';
import { ledgerCapabilities, ledgerLaws, runLaw, type LedgerSubject } from '@sendonce/core/conformance';
import { manualClock, memoryLedger } from '@sendonce/core/memory';
import { test } from 'vitest';

// #region laws
/** A fresh, empty ledger for each law. Put yours in the place of `memoryLedger`. */
function subject(): LedgerSubject {
  const clock = manualClock(Date.UTC(2026, 2, 1));
  const ledger = memoryLedger({ clock });
  const loseMemory = null; // or how your store is made to forget; the laws about amnesia need it
  return {
    ledger,
    loseMemory,
    capabilities: ledgerCapabilities({ ledger, loseMemory }),
    unitMs: 1_000,
    elapse: (ms) => clock.advance(ms),
    close: () => ledger.close(),
  };
}

test.for(ledgerLaws)('ledger: $law', async (law, { skip }) => {
  const result = await runLaw(law, subject);
  if (result.kind === 'skipped') skip(result.reason);
  if (result.kind === 'broken') throw result.error;
});

// Random histories of calls on yours and on the reference, side by side; a difference is shrunk to a few calls.
test('ledger: answers every call as the reference does', async () => {
  await checkAgainstReference(subject, { runs: 20 });
});
// #endregion
