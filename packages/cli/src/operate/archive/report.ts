import type { CountOf } from '../tally.ts';
import type { Forgotten } from './forget-archived.ts';

/** What `--json` prints. */
export interface ArchiveReport {
  readonly schema: 'sendonce.archived/1';
  /** `counted` by --dry-run; `written`, and nothing removed; `forgotten`; `not-confirmed` and `interrupted`: written, and not (all) forgotten. */
  readonly status: 'counted' | 'written' | 'forgotten' | 'not-confirmed' | 'interrupted';
  readonly before: string;
  readonly file: string | null;
  /** Of the archive but for its last line; null where none was written. */
  readonly sha256: string | null;
  /** It was there already, whole: an earlier run was ended before it had forgotten everything. */
  readonly isEarlier: boolean;
  readonly notifications: number;
  readonly deliveries: number;
  /** Deliveries in it that gave up and that nobody has sent again; null for an earlier one. */
  readonly deadLetters: number | null;
  /** Notifications that are not in it, and by what holds them. */
  readonly left: number;
  readonly held: readonly CountOf[];
  /** Records of the ledger that nobody can read, which are in no archive. */
  readonly unreadable: number;
  /** Null: nothing was to be forgotten. */
  readonly forgotten: Forgotten | null;
}
