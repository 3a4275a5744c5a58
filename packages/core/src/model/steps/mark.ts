import type { MarkRequest, MarkVerdict } from '../../ports/ledger.ts';
import { openAttempts } from '../attempts.ts';
import { isSettled, type Attempt, type DeliveryRecord, type Forbidden } from '../delivery.ts';
import type { Step } from './claim.ts';
import { evidenceFirst, forbid, move, wait } from './move.ts';

/** What the store knows beside the record, read in the same atomic step. */
export interface MarkFacts {
  readonly notificationCancelled: boolean;
  readonly suppressed: boolean;
  /** An earlier generation is `sent` or better. */
  readonly earlierSent: boolean;
  readonly blocked: { readonly scope: string; readonly recheckMs: number } | null;
}

/** Rule 2: everything that must hold at the last moment, then the attempt. */
export function mark(record: DeliveryRecord, request: MarkRequest, facts: MarkFacts, now: number): Step<MarkVerdict> {
  const { id } = record;
  const repeated = sameMark(record, request);
  if (repeated !== null) return { record, verdict: go(record, repeated, now) };
  if (record.fence !== request.fence) return { record, verdict: { kind: 'fenced', id } };
  const proven = evidenceFirst(record, now);
  if (proven !== null) return { record: proven, verdict: { kind: 'settled', id, state: proven.state } };
  if (isSettled(record.state)) return { record, verdict: { kind: 'settled', id, state: record.state } };
  // Born without a provider, when no config had one for its channel, it takes the first that a worker has.
  const isItsProvider = record.provider === '' || record.provider === request.provider;
  if (record.state !== 'processing' || (record.leaseUntil ?? 0) <= now || !isItsProvider)
    return { record, verdict: { kind: 'fenced', id } };
  if (facts.earlierSent && !record.forced) return replaced(record, now);
  const forbidden = forbiddenBy(record, facts, now);
  if (forbidden !== null) {
    const over = forbid(record, forbidden, now, record.reason);
    return { record: over, verdict: { kind: forbidden, id, state: over.state } };
  }
  if (!isCovered(record, request, now)) {
    const unknown = move(record, 'unknown', now, { dueAt: now, reason: 'the key window closed over an open attempt' });
    return { record: unknown, verdict: { kind: 'window-closed', id } };
  }
  if (facts.blocked !== null) {
    const { scope, recheckMs } = facts.blocked;
    const waiting = wait({ ...record, lapses: 0 }, now, recheckMs);
    return {
      record: { ...waiting, reason: `blocked: ${scope}` },
      verdict: { kind: 'blocked', id, dueInMs: recheckMs, scope },
    };
  }
  return begin(record, request, now);
}

/** A repeat of the mark that already stands: the same attempt again, nothing written. */
function sameMark(record: DeliveryRecord, request: MarkRequest): Attempt | null {
  const last = record.attempts.at(-1);
  if (record.state !== 'dispatching' || last === undefined || last.fence !== request.fence || last.key !== request.key)
    return null;
  return last;
}

function go(record: DeliveryRecord, attempt: Attempt, now: number): MarkVerdict {
  const sendWithinMs = attempt.sendDeadline - now;
  return { kind: 'go', id: record.id, attempt: attempt.n, sendWithinMs, message: record.message ?? {} };
}

function begin(record: DeliveryRecord, request: MarkRequest, now: number): Step<MarkVerdict> {
  const dispatchUntil = now + request.dispatchMs;
  const attempt: Attempt = {
    n: record.attempts.length + 1,
    provider: request.provider,
    key: request.key,
    fence: request.fence,
    markedAt: now,
    sendDeadline: Math.min(dispatchUntil - request.sendMarginMs, record.expiresAt ?? Infinity),
    outcome: null,
    arrival: null,
    charged: true,
    presumed: false,
  };
  const marked = move(record, 'dispatching', now, {
    provider: request.provider,
    attempts: [...record.attempts, attempt],
    charged: record.charged + 1,
    lapses: 0,
    dispatchUntil,
    message: record.message ?? request.message,
  });
  return { record: marked, verdict: go(marked, attempt, now) };
}

function forbiddenBy(record: DeliveryRecord, facts: MarkFacts, now: number): Forbidden | null {
  if (record.forbidden !== null) return record.forbidden;
  if (facts.notificationCancelled) return 'cancelled';
  if (facts.suppressed) return 'suppressed';
  return record.expiresAt !== null && now >= record.expiresAt ? 'expired' : null;
}

/** Rule 14: an earlier generation turned out to be sent; this one must not follow. */
function replaced(record: DeliveryRecord, now: number): Step<MarkVerdict> {
  const over = forbid(record, 'cancelled', now, 'an earlier generation was sent after all');
  return { record: over, verdict: { kind: 'settled', id: record.id, state: over.state } };
}

/**
 * May a new attempt begin beside the open ones? Yes if there are none, if a declaration written for exactly this mark allows it, or
 * if each open attempt has this very key and the provider still remembers it (counted from the first of them, rule 9).
 */
export function isCovered(
  record: DeliveryRecord,
  request: Pick<MarkRequest, 'provider' | 'key' | 'keyWindowMs'>,
  now: number,
): boolean {
  const open = openAttempts(record);
  const first = open[0];
  if (first === undefined) return true;
  const declared = record.declarations.at(-1);
  if (declared?.afterAttempt === record.attempts.length && declared.provider === request.provider) return true;
  if (request.keyWindowMs === null || open.some((attempt) => attempt.key !== request.key)) return false;
  return now < first.markedAt + request.keyWindowMs;
}
