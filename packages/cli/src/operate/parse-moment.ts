import { flagError } from '../flags/flag-error.ts';
import { durationOf } from '../flags/parse-values.ts';

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A moment as epoch ms: `2h` ago, or an ISO time. One without a zone is UTC, whatever the machine is set to. */
export function parseMoment(flag: string, given: string, now: number): number {
  const text = given.trim();
  const ago = durationOf(text);
  if (ago >= 0) return now - ago;
  const day = ISO.exec(text)?.[1];
  if (day !== undefined && !isOfCalendar(day)) throw flagError(flag, given, `a day that there is: not ${day}`);
  const at = day === undefined ? NaN : Date.parse(inUtc(text));
  if (Number.isFinite(at)) return at;
  throw flagError(flag, given, 'how long ago (30m, 2h, 3d) or an ISO time (2026-03-01, 2026-03-01T02:30Z)');
}

/** `Date.parse` takes 30 February for 2 March. */
function isOfCalendar(day: string): boolean {
  const at = Date.parse(day);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(day);
}

function inUtc(text: string): string {
  const time = text.replace(' ', 'T').toUpperCase();
  return !time.includes('T') || /(?:Z|[+-]\d{2}:?\d{2})$/.test(time) ? time : `${time}Z`;
}
