import type { DeadLetterState, LetterFilter } from '../letter-filter.ts';
import type { CountsOfLetters } from '../letter-counts.ts';
import type { CountOf, Refusal } from '../tally.ts';

/** What a replay would do. */
export interface ReplayPlan {
  /** Dead letters that will be sent again. */
  readonly chosen: number;
  /** Fit as well, and come after `--limit`. */
  readonly beyondLimit: number;
  readonly by: CountsOfLetters;
  /** Of the chosen: may have been sent before, which is recorded. */
  readonly possibleDuplicates: number;
  /** Fit, and have a next generation already. */
  readonly alreadyReplayed: number;
  /** Fit, and are of a state that `--include` does not name. */
  readonly notIncluded: readonly CountOf[];
  /** Cannot be sent again. */
  readonly refused: readonly Refusal[];
}

/** What became of it. */
export interface ReplayResult {
  /** Have a new generation by this run. */
  readonly replayed: number;
  /** Were chosen, and got theirs from another run meanwhile. */
  readonly elsewhere: number;
  readonly refused: readonly Refusal[];
  /** Of the replayed: recorded as possible duplicates. */
  readonly possibleDuplicates: number;
}

export const REPLAY_STATUSES = [
  'nothing-to-do',
  'planned',
  'not-confirmed',
  'done',
  'refused',
  'interrupted',
  'failed',
] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/** What `notify replay-dlq --json` prints. */
export interface ReplayReport {
  readonly schema: 'sendonce.replay/1';
  readonly status: ReplayStatus;
  /** The file of the ledger, its whole path; null where it is none. */
  readonly ledger: string | null;
  readonly by: string;
  readonly note: string;
  readonly force: boolean;
  readonly states: readonly DeadLetterState[];
  readonly filter: LetterFilter;
  readonly ids: readonly string[];
  readonly limit: number | null;
  readonly plan: ReplayPlan;
  /** Null where nothing was tried. */
  readonly result: ReplayResult | null;
  /** Why it stopped, where the ledger failed. */
  readonly error: { readonly code: string; readonly message: string; readonly docs: string | null } | null;
}
