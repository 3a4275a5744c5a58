import { openAttempts, provenState } from '../attempts.ts';
import { isSettled, TRANSITIONS, type DeliveryRecord, type DeliveryState, type Forbidden } from '../delivery.ts';
import { copyOf } from '../copy.ts';

/** A step tried a move that the table does not declare. The ledger refuses the write, counts it and answers `fenced`. */
export class RefusedMove extends Error {
  readonly from: DeliveryState;
  readonly to: DeliveryState;
  constructor(record: DeliveryRecord, to: DeliveryState) {
    super(`delivery ${record.id} may not move from ${record.state} to ${to}`);
    this.name = 'RefusedMove';
    this.from = record.state;
    this.to = to;
  }
}

/** The record in another state, with what every move does to lease, window and times. Same state: only the patch. */
export function move(
  record: DeliveryRecord,
  to: DeliveryState,
  now: number,
  patch: Partial<DeliveryRecord> = {},
): DeliveryRecord {
  if (to !== record.state && !TRANSITIONS[record.state].includes(to)) throw new RefusedMove(record, to);
  const moved = copyOf(record);
  moved.state = to;
  if (to !== 'processing') moved.leaseUntil = null;
  if (to !== 'processing' && to !== 'dispatching') moved.owner = null;
  if (to !== 'dispatching') moved.dispatchUntil = null;
  moved.updatedAt = now;
  moved.settledAt = isSettled(to) ? (record.settledAt ?? now) : null;
  return Object.assign(moved, patch);
}

/** PROTOCOL rule 6: whatever the state, an accepted attempt makes the record `sent` or better. Null: no evidence, go on. */
export function evidenceFirst(record: DeliveryRecord, now: number): DeliveryRecord | null {
  const proven = provenState(record);
  if (proven === null) return null;
  if (proven === record.state && !record.assumed) return record;
  return move(record, proven, now, { assumed: false, reason: null, forbidden: null });
}

/** Cancel, opt-out and expiry: final only while nothing is open, else the open attempt is left to evidence (rule 8). */
export function forbid(
  record: DeliveryRecord,
  as: Forbidden,
  now: number,
  reason: string | null = null,
): DeliveryRecord {
  if (openAttempts(record).length === 0) return move(record, as, now, { forbidden: null, reason });
  return move(record, 'unknown', now, { forbidden: as, dueAt: now, reason });
}

/** Back to waiting: `queued` if nothing was ever marked. */
export function wait(record: DeliveryRecord, now: number, delayMs: number): DeliveryRecord {
  const to = record.attempts.length === 0 && record.state === 'processing' ? 'queued' : 'retry-scheduled';
  return move(record, to, now, { dueAt: now + delayMs });
}
