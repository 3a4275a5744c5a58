import type { ClaimVerdict, HoldVerdict, Lease, ReleaseRequest } from '../../ports/ledger.ts';
import { openAttempts } from '../attempts.ts';
import { isSettled, type DeliveryRecord } from '../delivery.ts';
import { evidenceFirst, forbid, move, wait } from './move.ts';
import { lapse } from './sweep.ts';

export interface Step<Verdict> {
  readonly record: DeliveryRecord;
  readonly verdict: Verdict;
}

/** A grant without the notification's data, which the store adds. */
export type ClaimStep = Step<ClaimVerdict<{ readonly record: DeliveryRecord }>>;

/** Claims in a row ended by lease expiry before a delivery counts as poison (PROTOCOL rule 13). */
export const POISON_LAPSES = 5;

/** The record cannot tell a process that died from one that was blocked. */
export function poison(lapses: number): string {
  return `poison: ${lapses} claims in a row lapsed before anything was sent: the worker died, or its code blocked it for a lease`;
}

/** Room for suspects in one claim call. */
export const SUSPECT_ROOM = 8;

/**
 * How much of that room a record takes. When a process dies, everything that it held lapses, though one payload alone may be to blame:
 * what lapsed once is handed out in small batches, what lapsed again alone, so that nobody is condemned for its neighbour (rule 13).
 */
export function suspicion(
  record: { readonly lapses: number; readonly leaseUntil: number | null },
  now: number,
): number {
  if (record.leaseUntil === null || record.leaseUntil > now) return 0;
  return record.lapses === 0 ? 1 : SUSPECT_ROOM;
}

/** Grants what is `queued` or `retry-scheduled` and due, or `processing` with a lapsed lease. `nextFence` is minted only by a grant. */
export function claim(record: DeliveryRecord, lease: Lease, now: number, nextFence: number): ClaimStep {
  const { id } = record;
  if (record.requestId === lease.requestId) return repeated(record, now);
  const seen = lapse(evidenceFirst(record, now) ?? record, now);
  if (isSettled(seen.state)) return { record: seen, verdict: { kind: 'settled', id, state: seen.state } };
  if (seen.state === 'unknown') return { record: seen, verdict: { kind: 'unknown', id } };
  if (seen.state === 'dispatching')
    return { record: seen, verdict: { kind: 'held', id, remainingMs: (seen.dispatchUntil ?? now) - now } };
  if (seen.state === 'processing') {
    const remainingMs = (seen.leaseUntil ?? 0) - now;
    if (remainingMs > 0) return { record: seen, verdict: { kind: 'held', id, remainingMs } };
    return takeOver(seen, lease, now, nextFence);
  }
  if (seen.dueAt > now) return { record: seen, verdict: { kind: 'later', id, dueInMs: seen.dueAt - now } };
  return grant(seen, lease, now, nextFence);
}

/** Rule 4: a repeat writes nothing, and grants only what is still as that request left it. */
function repeated(record: DeliveryRecord, now: number): ClaimStep {
  const { id, state, fence } = record;
  if (isSettled(state)) return { record, verdict: { kind: 'settled', id, state } };
  if (state === 'unknown') return { record, verdict: { kind: 'unknown', id } };
  const remainingMs = state === 'processing' ? (record.leaseUntil ?? 0) - now : 0;
  return {
    record,
    verdict: remainingMs > 0 ? { kind: 'granted', id, fence, record } : { kind: 'held', id, remainingMs: 0 },
  };
}

function takeOver(record: DeliveryRecord, lease: Lease, now: number, nextFence: number): ClaimStep {
  const lapses = record.lapses + 1;
  if (lapses < POISON_LAPSES) return grant({ ...record, lapses }, lease, now, nextFence);
  const reason = poison(lapses);
  if (openAttempts(record).length > 0) {
    const unknown = move(record, 'unknown', now, { lapses, dueAt: now, reason });
    return { record: unknown, verdict: { kind: 'unknown', id: record.id } };
  }
  return {
    record: move(record, 'dead', now, { lapses, reason }),
    verdict: { kind: 'settled', id: record.id, state: 'dead' },
  };
}

function grant(record: DeliveryRecord, lease: Lease, now: number, nextFence: number): ClaimStep {
  const granted = move(record, 'processing', now, {
    fence: Math.max(record.fence + 1, nextFence),
    owner: lease.owner,
    requestId: lease.requestId,
    leaseUntil: now + lease.leaseMs,
  });
  return { record: granted, verdict: { kind: 'granted', id: record.id, fence: granted.fence, record: granted } };
}

/** Moves the end of a lease; a lapsed one that nobody took yet counts as held. Never touches `dispatchUntil`. */
export function renew(record: DeliveryRecord, fence: number, leaseMs: number, now: number): Step<HoldVerdict> {
  if (record.fence !== fence || record.state !== 'processing') return { record, verdict: { kind: 'fenced' } };
  return { record: { ...record, leaseUntil: now + leaseMs, updatedAt: now }, verdict: { kind: 'ok' } };
}

/**
 * Gives unmarked work back. With a failure it counts, and at the cap the delivery is `failed` with that reason. What has expired waits no
 * longer: where nobody can mark it (its type or provider is in no config any more), no mark would ever say so.
 */
export function release(record: DeliveryRecord, request: ReleaseRequest, now: number): Step<HoldVerdict> {
  if (record.fence !== request.fence || record.state !== 'processing') return { record, verdict: { kind: 'fenced' } };
  const { failure, delayMs } = request;
  const failures = record.failures + (failure === null ? 0 : 1);
  const waiting = { ...record, failures, lapses: 0, reason: failure ?? request.reason ?? record.reason };
  if (failure !== null && failures >= record.maxAttempts)
    return over(move(waiting, openAttempts(record).length > 0 ? 'unknown' : 'failed', now, { dueAt: now }));
  // Whoever gives it back at once, because it stops, leaves that to the next.
  if (delayMs === 0) return { record: wait(waiting, now, 0), verdict: { kind: 'ok' } };
  const leftMs = (record.expiresAt ?? Infinity) - now;
  if (leftMs <= 0) return over(forbid(waiting, 'expired', now, waiting.reason));
  return { record: wait(waiting, now, Math.min(delayMs, leftMs)), verdict: { kind: 'ok' } };
}

function over(record: DeliveryRecord): Step<HoldVerdict> {
  return { record, verdict: { kind: 'settled', state: record.state } };
}
