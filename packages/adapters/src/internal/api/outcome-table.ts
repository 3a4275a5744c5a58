import type { Outcome } from '@sendonce/core';

/** What an answer proves: an outcome, and for a rejection what it is about. */
export type Verdict =
  'rejected message' | 'rejected destination' | 'rejected provider' | 'deferred' | 'not-sent' | 'unknown';

/** One documented answer. Rows are read from the top; the first that fits decides. */
export interface OutcomeRow {
  /** The HTTP status; left out: any but 2xx, unless the code alone says it. */
  readonly status?: number;
  /** The vendor's own code, as text; left out: whatever it says, or nothing. */
  readonly code?: string;
  readonly is: Verdict;
  /** Where the vendor, or the standard, says so. */
  readonly source: string;
}

/** The statuses that mean the same everywhere; a vendor's own rows come first. */
export const HTTP_ROWS: readonly OutcomeRow[] = [
  ...rows([301, 307, 308], 'rejected provider', 'RFC 9110 15.4: it lives elsewhere, and nobody is followed'),
  ...rows([401, 403, 407], 'rejected provider', 'RFC 9110 15.5: the credentials'),
  ...rows([404, 405, 410, 421, 426], 'rejected provider', 'RFC 9110 15.5: there is no such API at this address'),
  ...rows([413, 414, 415, 431], 'rejected message', 'RFC 9110 15.5: too long, or of a kind that is not taken'),
  ...rows([425, 429], 'deferred', 'RFC 8470, RFC 6585: refused before anything was done'),
  ...rows([501], 'rejected provider', 'RFC 9110 15.6.2: it cannot do this'),
];

export function rows(statuses: readonly number[], is: Verdict, source: string): readonly OutcomeRow[] {
  return statuses.map((status) => ({ status, is, source }));
}

/** The rows of several codes that say the same. */
export function codes(
  status: number | null,
  some: readonly (string | number)[],
  is: Verdict,
  source: string,
): readonly OutcomeRow[] {
  return some.map((code) => ({ ...(status !== null && { status }), code: String(code), is, source }));
}

export interface Told {
  readonly status: number;
  readonly code: string | null;
  /** In the vendor's words. */
  readonly reason: string;
  readonly retryAfterMs?: number;
}

/** What an answer proves by a table. An answer that is in none proves nothing, and its code is told. */
export function outcomeBy(table: readonly OutcomeRow[], told: Told): Outcome {
  const { status, code, reason, retryAfterMs } = told;
  const row = [...table, ...HTTP_ROWS].find(
    (each) => (each.status ?? status) === status && (each.code === undefined || each.code === code),
  );
  if (row === undefined) {
    const which = code === null ? `HTTP ${status}` : `HTTP ${status}, code ${code}`;
    return { kind: 'unknown', reason: status >= 500 ? reason : `not documented (${which}): ${reason}` };
  }
  const { is } = row;
  if (is === 'deferred') return { kind: 'deferred', reason, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  if (is === 'not-sent' || is === 'unknown') return { kind: is, reason };
  const scope = is.slice('rejected '.length) as 'message' | 'destination' | 'provider';
  return { kind: 'rejected', scope, reason, code: code ?? String(status) };
}
