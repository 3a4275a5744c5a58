import type { IncomingHttpHeaders } from 'node:http';

/** A day: whoever asks for more has made a mistake, or wants to have the message forgotten. */
const LONGEST_MS = 86_400_000;

/** What `Retry-After` asks for, in seconds or as a date, from 0 to a day; left out where it is neither. */
export function retryAfter(headers: IncomingHttpHeaders, now: number): { readonly retryAfterMs?: number } {
  const given = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(given)) return { retryAfterMs: Math.min(Number(given) * 1_000, LONGEST_MS) };
  const until = dateOf(given);
  if (until === null) return {};
  // By the clock of the service, where it shows it: a wait must not grow by the difference of two clocks.
  return { retryAfterMs: Math.min(Math.max(until - (dateOf(headers.date ?? '') ?? now), 0), LONGEST_MS) };
}

function dateOf(text: string): number | null {
  // `Date.parse` reads almost anything, '-5' among it; a date of HTTP names its day.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? null : at;
}
