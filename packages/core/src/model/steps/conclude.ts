import type { Next } from '../../ports/ledger.ts';
import { openAttempts } from '../attempts.ts';
import type { DeliveryRecord } from '../delivery.ts';
import { evidenceFirst, forbid, move } from './move.ts';

/**
 * What follows when something became known about an attempt. Rule 6 first (accepted wins), then rule 7 (while another attempt is
 * open nothing is concluded), then rule 8 (what was asked for meanwhile), then what the outcome's own settle would do.
 */
export function conclude(record: DeliveryRecord, next: Next, now: number): DeliveryRecord {
  const proven = evidenceFirst(record, now);
  if (proven !== null) return proven;
  if (openAttempts(record).length > 0) return stayUnknown(record, next, now);
  if (record.state === 'parked') return concludeParked(record, next, now);
  if (record.forbidden !== null) return forbid(record, record.forbidden, now, record.reason);
  switch (next.kind) {
    case 'failed':
      return move(record, 'failed', now, { reason: next.reason });
    case 'retry':
      return retry(record, next, now);
    case 'sent':
    case 'unknown':
      // No attempt is open and none accepted: the caller's claim is not borne out by the attempts, so it waits for evidence.
      return move(record, 'unknown', now, { dueAt: now, reason: 'no attempt bears the outcome out' });
  }
}

function stayUnknown(record: DeliveryRecord, next: Next, now: number): DeliveryRecord {
  if (record.state === 'parked') return record;
  const dueAt = next.kind === 'unknown' ? now + next.reconcileInMs : now;
  return move(record, 'unknown', now, { dueAt, reason: next.kind === 'sent' ? null : next.reason });
}

function retry(record: DeliveryRecord, next: Extract<Next, { kind: 'retry' }>, now: number): DeliveryRecord {
  if (record.charged >= record.maxAttempts)
    return move(record, 'dead', now, { reason: `attempts spent (${record.charged}): ${next.reason}` });
  if (record.expiresAt !== null && now >= record.expiresAt)
    return move(record, 'expired', now, { reason: next.reason });
  // Waiting past the expiry would only delay saying so.
  const dueAt = Math.min(now + next.delayMs, record.expiresAt ?? Infinity);
  return move(record, 'retry-scheduled', now, { dueAt, provider: next.provider, reason: next.reason });
}

/** Proof that a parked message never went out: a dead letter that is safe to redrive, or a permanent failure. */
function concludeParked(record: DeliveryRecord, next: Next, now: number): DeliveryRecord {
  switch (next.kind) {
    case 'failed':
      return move(record, 'failed', now, { reason: next.reason });
    case 'retry':
      return move(record, 'dead', now, { reason: `known not sent, after it was parked: ${next.reason}` });
    case 'sent':
    case 'unknown':
      return record;
  }
}
