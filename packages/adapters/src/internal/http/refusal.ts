import type { Outcome, RejectionScope } from '@sendonce/core';
import type { HttpAnswer } from './post.ts';
import { retryAfter } from './retry-after.ts';

export interface RefusalRules {
  /** What is wrong when the address itself does not work (401, 403, 404, 410 and the like): this provider, or one recipient's address. */
  readonly address: 'provider' | 'destination';
  /** Statuses beside 429 by which this service says, by its documentation, that it took nothing. */
  readonly notTakenOn: ReadonlySet<number>;
}

/**
 * What an answer other than 2xx proves that has no code beside its status, as receivers of anybody's give it; what vendors document is in
 * `api/outcome-table.ts`. Whatever is not in it proves nothing. A status of
 * 5xx may come from something in front of a service that took the message; a 303, and by old custom a 302, is how a service answers that
 * it has done what was asked; a 409 may mean that another request with this id is still under way.
 */
export function refusalOf(answer: HttpAnswer, rules: RefusalRules, now: number): Outcome {
  const { status } = answer;
  const reason = reasonOf(answer);
  if (status === 429 || status === 425 || rules.notTakenOn.has(status))
    return { kind: 'deferred', reason, ...retryAfter(answer.headers, now) };
  const scope = scopeOf(status, rules);
  if (scope === null) return { kind: 'unknown', reason };
  const proof = scope === 'destination' && status !== GONE ? { goneAt: null } : {};
  return { kind: 'rejected', scope, reason, code: String(status), ...proof };
}

/** The address does not work. */
const OF_ADDRESS: ReadonlySet<number> = new Set([301, 307, 308, 401, 403, 404, 405, 410, 421, 426, 451]);
/** The only status that says for good that an address is no more: a deploy that went wrong answers 404, and a lost secret 401. */
const GONE = 410;
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
