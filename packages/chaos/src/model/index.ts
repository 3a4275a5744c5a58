import fc from 'fast-check';
import type { LedgerSubject } from '@sendonce/core/conformance';
import { manualClock, memoryLedger } from '@sendonce/core/memory';
import { DELIVERING } from './delivering.ts';
import { nothingKnown, type Side } from './known.ts';
import { OPERATING } from './operating.ts';
import { PRODUCING, prelude } from './producing.ts';
import { wait, type Step } from './step.ts';

export interface ModelRuns {
  /** Histories. @defaultValue 100 */
  readonly runs?: number;
  /** Calls in the longest of them. @defaultValue 60 */
  readonly steps?: number;
  /** The same seed draws the same histories. @defaultValue 1 */
  readonly seed?: number;
  /** From the message of a failure: begins with the smallest history that it found. */
  readonly path?: string;
}

const START_MS = Date.UTC(2024, 0);

/**
 * Runs random histories of calls on a ledger and on the reference (the memory ledger), side by side, and compares every answer and every
 * record after every call. A difference is shrunk to a short history.
 * @param makeSubject - Makes a fresh, empty ledger whose time stands still but for `elapse`; called for each history.
 * @throws Error that lists the calls, what the ledger answered and what the reference did, and the seed and path to have it again.
 */
export async function checkAgainstReference(
  makeSubject: () => LedgerSubject | Promise<LedgerSubject>,
  { runs = 100, steps = 60, seed = 1, path }: ModelRuns = {},
): Promise<void> {
  const of = (kinds: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Iterable<Step>> =>
    fc.commands([...kinds, waits()], { maxCommands: steps, size: 'max' });
  // A history of everything seldom gets far with anything: half of them leave out what producers and operators do.
  const histories = fc.oneof(of(DELIVERING), of([...PRODUCING, ...DELIVERING, ...OPERATING]));
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const subject = await makeSubject();
      try {
        const [model, real] = [await sideOf(referenceSubject(subject.unitMs)), await sideOf(subject)];
        for (const each of prelude()) await each.run(model, real);
        await fc.asyncModelRun(() => ({ model, real }), history);
      } finally {
        await subject.close();
      }
    }),
    { numRuns: runs, seed, ...(path !== undefined && { path }), endOnFailure: false },
  );
}

function waits(): fc.Arbitrary<Step> {
  return fc.constantFrom(1, 6, 11, 21, 61).map(wait);
}

function referenceSubject(unitMs: number): LedgerSubject {
  const clock = manualClock(START_MS, { drain: async () => {} });
  const ledger = memoryLedger({ clock });
  return {
    ledger,
    loseMemory: null,
    capabilities: { ...ledger.capabilities },
    unitMs,
    elapse: (ms) => clock.advance(ms),
    close: () => ledger.close(),
  };
}

async function sideOf(subject: LedgerSubject): Promise<Side> {
  // The ledger's own time, which only it knows.
  const { nowMs } = await subject.ledger.sweep({ max: 1, reconcileLeaseMs: 0 });
  return { subject, known: nothingKnown(), startMs: nowMs };
}
