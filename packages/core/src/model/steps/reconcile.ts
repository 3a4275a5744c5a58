import type { ReconcileDecision, ReconcileRequest, ReconcileVerdict } from '../../ports/ledger.ts';
import { isOpen, learn, withAttempt } from '../attempts.ts';
import { ANY_PROVIDER, type DeliveryRecord } from '../delivery.ts';
import { providerKey } from '../keys.ts';
import type { Step } from './claim.ts';
import { conclude } from './conclude.ts';
import { evidenceFirst, move } from './move.ts';

/** Applies a reconciler's decision to what is still `unknown` under the fence that it read. */
export function reconcile(record: DeliveryRecord, request: ReconcileRequest, now: number): Step<ReconcileVerdict> {
  const { id } = record;
  if (record.state !== 'unknown' || record.fence !== request.fence)
    return { record, verdict: { kind: 'fenced', id, state: record.state } };
  const after = evidenceFirst(record, now) ?? decide(record, request.decision, now);
  return { record: after, verdict: { kind: 'moved', id, state: after.state } };
}

function decide(record: DeliveryRecord, decision: ReconcileDecision, now: number): DeliveryRecord {
  switch (decision.kind) {
    case 'found':
      return found(record, decision, now);
    case 'absent':
      return absent(record, decision, now);
    case 'replay':
      if (record.forbidden !== null) return leaveToEvidence(record, now);
      return again(record, decision.provider, now, decision.delayMs);
    case 'declare':
      if (record.forbidden !== null) return leaveToEvidence(record, now);
      return again(declare(record, decision, now), decision.provider, now, decision.delayMs);
    case 'narrow':
      return narrow(record, decision.provider, now);
    case 'assume-sent':
      return move(record, 'sent', now, { assumed: true, reason: decision.reason });
    case 'park':
      return move(record, 'parked', now, { reason: decision.reason });
    case 'wait':
      return { ...record, dueAt: now + decision.delayMs };
  }
}

/** Rule 8: asked to stop while an attempt was open, so there is no further attempt. */
function leaveToEvidence(record: DeliveryRecord, now: number): DeliveryRecord {
  return move(record, 'parked', now, { reason: `${record.forbidden ?? 'stopped'} while an attempt was open` });
}

function again(record: DeliveryRecord, provider: string, now: number, delayMs: number): DeliveryRecord {
  return move(record, 'retry-scheduled', now, { provider, dueAt: now + delayMs });
}

/** Written before the mark that it allows: the possible duplicate is on record before it can happen. */
function declare(
  record: DeliveryRecord,
  decision: Extract<ReconcileDecision, { kind: 'declare' }>,
  now: number,
): DeliveryRecord {
  const { declaration: kind, provider } = decision;
  return {
    ...record,
    declarations: [...record.declarations, { kind, afterAttempt: record.attempts.length, provider, at: now }],
  };
}

function found(
  record: DeliveryRecord,
  decision: Extract<ReconcileDecision, { kind: 'found' }>,
  now: number,
): DeliveryRecord {
  const attempt = record.attempts.find((each) => each.n === decision.attempt);
  if (attempt === undefined) return record;
  const learned = withAttempt(
    record,
    learn(attempt, { kind: 'accepted', providerMessageId: decision.providerMessageId }),
  );
  return conclude(learned, { kind: 'sent' }, now);
}

/** The channel has this provider alone, so a presumed attempt can only have been there. */
function narrow(record: DeliveryRecord, provider: string, now: number): DeliveryRecord {
  const key = providerKey(record.id, provider);
  const attempts = record.attempts.map((attempt) =>
    attempt.provider === ANY_PROVIDER ? { ...attempt, provider, key } : attempt,
  );
  return { ...record, attempts, dueAt: now };
}

/** Rule 10: a counted "not found" closes what it covers; other providers' attempts stay open. */
function absent(
  record: DeliveryRecord,
  decision: Extract<ReconcileDecision, { kind: 'absent' }>,
  now: number,
): DeliveryRecord {
  let closed = record;
  for (const attempt of record.attempts) {
    if (!isOpen(attempt) || attempt.provider !== decision.provider) continue;
    // learn() keeps a definite outcome; an unknown one gives way to this proof.
    closed = withAttempt(closed, learn(attempt, { kind: 'not-sent', reason: 'the provider knows of no such message' }));
  }
  return conclude(closed, decision.next, now);
}
