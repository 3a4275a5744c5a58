import { forgottenAttempt, learn, withAttempt } from '../attempts.ts';
import { ANY_PROVIDER, isSettled, type DeliveryRecord } from '../delivery.ts';
import { evidenceFirst, move } from './move.ts';

/** Rule 1: `dispatching` past its window is `unknown`, never a second send by itself. Anything else is returned as it is. */
export function lapse(record: DeliveryRecord, now: number): DeliveryRecord {
  if (record.state !== 'dispatching' || (record.dispatchUntil ?? Infinity) > now) return record;
  const proven = evidenceFirst(record, now);
  if (proven !== null) return proven;
  const last = record.attempts.at(-1);
  const reason = 'no outcome inside the dispatch window';
  const known = last === undefined ? record : withAttempt(record, learn(last, { kind: 'unknown', reason }));
  return move(known, 'unknown', now, { dueAt: now, reason });
}

/**
 * Rule 12: the store lost its memory, so whatever a record was doing, an attempt may have been marked and accepted since. It counts as
 * `unknown` with one open attempt that may have been anywhere: failing over takes milliseconds, so the last write that survived does
 * not say where the lost ones went. It is dated by that write: no earlier can the lost mark be, so a key window counted from it closes
 * early, not late.
 */
export function presume(record: DeliveryRecord, now: number): DeliveryRecord {
  if (isSettled(record.state)) return record;
  const { fence } = record;
  const attempt = {
    ...forgottenAttempt(record, { provider: ANY_PROVIDER, key: '', fence }, now),
    markedAt: record.updatedAt,
  };
  const reason = 'the store lost its memory: it may have been sent';
  return move({ ...record, attempts: [...record.attempts, attempt] }, 'unknown', now, { dueAt: now, reason });
}
