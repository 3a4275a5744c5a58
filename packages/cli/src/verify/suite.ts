import {
  ledgerLaws,
  ledgerWalks,
  queueLaws,
  type Law,
  type LedgerSubject,
  type QueueSubject,
} from '@sendonce/core/conformance';

export type PortName = 'queue' | 'ledger';
export type Subject = QueueSubject | LedgerSubject;

/** An adapter to judge: where it comes from, and how a new, empty one is made. */
export interface Suite {
  readonly port: PortName;
  /** As a person names it: `./my-queue.ts`. Holds no password. */
  readonly from: string;
  /** What names it on the command line. */
  readonly flags: string;
  /** Once for each law. */
  readonly make: () => Promise<Subject>;
  /** The user's own function makes it, which may make the same one twice. */
  readonly isOwn: boolean;
  /** Takes away what all of them shared. */
  readonly close: () => Promise<void>;
}

/** Every law of the port; of a ledger also so many random histories. */
export function lawsOf(port: PortName, walks: number): readonly Law<Subject>[] {
  if (port === 'queue') return queueLaws;
  const seeds = Array.from({ length: walks }, (_, i) => i + 1);
  // A walk compares what was written at two moments: they have to be the same.
  const walked = ledgerWalks(seeds).map((law) => ({ ...law, needs: 'elapse' }));
  return [...ledgerLaws, ...walked] as readonly Law<Subject>[];
}
