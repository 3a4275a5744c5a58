import { providerKey } from '../keys.ts';
import { forgottenAttempt, learn, withAttempt } from '../attempts.ts';
import type { DeliveryRecord } from '../delivery.ts';
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
 * Rule 12: the store lost its memory, so a record that looks unmarked may have been marked and sent. It counts as `unknown` with
 * one open attempt, dated by the last write that survived: no earlier than that can the lost mark be, so a key window counted from
 * it closes early, not late.
 */
export function presume(record: DeliveryRecord, now: number): DeliveryRecord {
  if (record.state !== 'queued' && record.state !== 'processing' && record.state !== 'retry-scheduled') return record;
  const { provider, fence } = record;
  const forgotten = forgottenAttempt(record, { provider, key: providerKey(record.id, provider), fence }, now);
  const attempt = { ...forgotten, markedAt: record.updatedAt };
  const reason = 'the store lost its memory: it may have been sent';
  return move({ ...record, attempts: [...record.attempts, attempt] }, 'unknown', now, { dueAt: now, reason });
}
