import { acceptingLaws } from './ledger/accepting.ts';
import { amnesiaLaws } from './ledger/amnesia.ts';
import { claimingLaws } from './ledger/claiming.ts';
import { counterexampleLaws } from './ledger/counterexamples.ts';
import { evidenceLaws } from './ledger/evidence.ts';
import { fanOutLaws } from './ledger/fan-out.ts';
import { markingLaws } from './ledger/marking.ts';
import { operatorLaws } from './ledger/operators.ts';
import { readingLaws } from './ledger/reading.ts';
import type { LedgerSubject } from './ledger/scene.ts';
import { settlingLaws } from './ledger/settling.ts';
import { unknownLaws } from './ledger/unknown.ts';
import type { Law } from './contract.ts';

export { ledgerCapabilities } from './ledger/scene.ts';
export { ledgerWalks, type WalkOptions } from './ledger/walks.ts';
export type { LedgerSubject } from './ledger/scene.ts';

/** What every ledger promises: the rules of the protocol, as far as the store keeps them. */
export const ledgerLaws: readonly Law<LedgerSubject>[] = [
  ...acceptingLaws,
  ...fanOutLaws,
  ...claimingLaws,
  ...markingLaws,
  ...settlingLaws,
  ...unknownLaws,
  ...evidenceLaws,
  ...operatorLaws,
  ...readingLaws,
  ...counterexampleLaws,
  ...amnesiaLaws,
];
