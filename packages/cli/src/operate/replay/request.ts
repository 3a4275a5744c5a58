import { userInfo } from 'node:os';
import { flagError } from '../../flags/flag-error.ts';
import { parseCount } from '../../flags/parse-values.ts';
import type { ReplayFlags } from '../flags.ts';
import { DEAD_LETTER_STATES, parseFilter, parseStates, type LetterFilter } from '../letter-filter.ts';
import { parseRate } from '../parse-rate.ts';
import type { Terms } from '../prospect.ts';

/** What was asked for, checked. */
export interface ReplayRequest {
  readonly terms: Terms;
  readonly filter: LetterFilter;
  readonly ids: readonly string[];
  readonly limit: number | null;
  /** A second. */
  readonly rate: number | null;
  readonly isDryRun: boolean;
  readonly isConfirmed: boolean;
}

/** What core keeps of a note, characters. */
const LONGEST = 4_096;

/** @throws SendonceError FLAG_INVALID */
export function parseRequest(flags: ReplayFlags, ids: readonly string[], now: number): ReplayRequest {
  const included = flags.include === undefined ? [] : parseStates('include', flags.include, DEAD_LETTER_STATES);
  return {
    terms: {
      states: DEAD_LETTER_STATES.filter((state) => state === 'dead' || included.includes(state)),
      force: flags.force === true,
      by: noteOf('by', flags.by ?? userName()),
      why: noteOf('note', flags.note ?? 'notify replay-dlq, without a note'),
    },
    filter: parseFilter(flags, now),
    ids,
    limit: flags.limit === undefined ? null : parseCount('limit', flags.limit, 1, 1_000_000_000),
    rate: flags.rate === undefined ? null : parseRate('rate', flags.rate),
    isDryRun: flags['dry-run'] === true,
    isConfirmed: flags.yes === true,
  };
}

function noteOf(flag: string, given: string): string {
  const text = given.trim();
  if (text === '' || text.length > LONGEST) throw flagError(flag, given.slice(0, 60), `1 to ${LONGEST} characters`);
  return text;
}

function userName(): string {
  const named = process.env['USER'] ?? process.env['USERNAME'] ?? '';
  if (named.trim() !== '') return named;
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return 'unknown';
  }
}
