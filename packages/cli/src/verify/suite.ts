import { inboxLaws, type InboxSubject } from '@sendonce/adapters/inboxes/laws';
import {
  destinationLaws,
  ledgerLaws,
  ledgerWalks,
  queueLaws,
  type DestinationsSubject,
  type Law,
  type LedgerSubject,
  type QueueSubject,
} from '@sendonce/core/conformance';

/** What has laws that a store of the user's own can be judged by, in the order in which it is. */
export const PORT_NAMES = ['queue', 'ledger', 'destinations', 'inbox'] as const;
export type PortName = (typeof PORT_NAMES)[number];
export type Subject = QueueSubject | LedgerSubject | DestinationsSubject | InboxSubject;

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
  switch (port) {
    case 'queue':
      return queueLaws;
    case 'ledger':
      return [...ledgerLaws, ...walked(walks)] as readonly Law<Subject>[];
    case 'destinations':
      return destinationLaws;
    case 'inbox':
      return inboxLaws;
  }
}

function walked(walks: number): readonly Law<LedgerSubject>[] {
  const seeds = Array.from({ length: walks }, (_, i) => i + 1);
  // A walk compares what was written at two moments: they have to be the same.
  return ledgerWalks(seeds).map((law) => ({ ...law, needs: 'elapse' }));
}
