import { acceptingLaws } from './ledger/accepting.ts';
import { amnesiaLaws } from './ledger/amnesia.ts';
import { cancellingLaws } from './ledger/cancelling.ts';
import { claimingLaws } from './ledger/claiming.ts';
import { counterexampleLaws } from './ledger/counterexamples.ts';
import { dueWorkLaws } from './ledger/due-work.ts';
import { evidenceLaws } from './ledger/evidence.ts';
import { fanOutLaws } from './ledger/fan-out.ts';
import { forgettingLaws } from './ledger/forgetting.ts';
import { gateLaws } from './ledger/gates.ts';
import { lateOutcomeLaws } from './ledger/late-outcomes.ts';
import { leaseLaws } from './ledger/leases.ts';
import { markingLaws } from './ledger/marking.ts';
import { readingLaws } from './ledger/reading.ts';
import { replayLaws } from './ledger/replaying.ts';
import { routingLaws } from './ledger/routing.ts';
import { settlingLaws } from './ledger/settling.ts';
import { unknownLaws } from './ledger/unknown.ts';
import type { LedgerSubject } from './ledger/subject.ts';
import type { Law } from './contract.ts';

export { ledgerCapabilities } from './ledger/subject.ts';
export { ledgerWalks, type WalkOptions } from './ledger/walks.ts';
export type { LedgerSubject } from './ledger/subject.ts';

/** What every ledger promises: the rules of the protocol, as far as the store keeps them. */
export const ledgerLaws: readonly Law<LedgerSubject>[] = [
  ...acceptingLaws,
  ...routingLaws,
  ...fanOutLaws,
  ...claimingLaws,
  ...dueWorkLaws,
  ...leaseLaws,
  ...markingLaws,
  ...gateLaws,
  ...settlingLaws,
  ...lateOutcomeLaws,
  ...unknownLaws,
  ...evidenceLaws,
  ...cancellingLaws,
  ...replayLaws,
  ...forgettingLaws,
  ...readingLaws,
  ...counterexampleLaws,
  ...amnesiaLaws,
];
