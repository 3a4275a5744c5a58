import type { Outcome, RejectionScope } from '@sendonce/core';
import type { HttpAnswer } from './post.ts';

export interface RefusalRules {
  /** What is wrong when the address itself does not work (401, 403, 404, 410 and the like): this provider, or one recipient's address. */
  readonly address: 'provider' | 'destination';
  /** Statuses beside 429 by which this service says, by its documentation, that it took nothing. */
  readonly notTakenOn: ReadonlySet<number>;
}

/**
 * What an answer other than 2xx proves: the one table for all providers that speak HTTP. Whatever is not in it proves nothing. A status of
 * 5xx may come from something in front of a service that took the message; a 303, and by old custom a 302, is how a service answers that
 * it has done what was asked; a 409 may mean that another request with this id is still under way.
 */
export function refusalOf(answer: HttpAnswer, rules: RefusalRules, now: number): Outcome {
  const { status } = answer;
  const reason = reasonOf(answer);
  if (status === 429 || status === 425 || rules.notTakenOn.has(status))
    return { kind: 'deferred', reason, ...retryAfter(answer, now) };
  const scope = scopeOf(status, rules);
  return scope === null ? { kind: 'unknown', reason } : { kind: 'rejected', scope, reason, code: String(status) };
}

/** The address does not work. */
const OF_ADDRESS: ReadonlySet<number> = new Set([301, 307, 308, 401, 403, 404, 405, 410, 421, 426, 451]);
/** The account, a proxy, or what the service cannot do at all. */
const OF_PROVIDER: ReadonlySet<number> = new Set([402, 407, 501, 505]);
const PROVES_NOTHING: ReadonlySet<number> = new Set([408, 409]);

function scopeOf(status: number, { address }: RefusalRules): RejectionScope | null {
  if (OF_ADDRESS.has(status)) return address;
  if (OF_PROVIDER.has(status)) return 'provider';
  return status >= 400 && status < 500 && !PROVES_NOTHING.has(status) ? 'message' : null;
}

function reasonOf({ status, body }: HttpAnswer): string {
  const said = body === null ? '' : body.trim().slice(0, 200);
  return said === '' ? `HTTP ${status}` : `HTTP ${status}: ${said}`;
}

/** A day: whoever asks for more has made a mistake, or wants to have the message forgotten. */
const LONGEST_MS = 86_400_000;

/** What `Retry-After` asks for, in seconds or as a date, from 0 to a day; left out where it is neither. */
function retryAfter({ headers }: HttpAnswer, now: number): { readonly retryAfterMs?: number } {
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
