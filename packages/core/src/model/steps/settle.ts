import type { SettleRequest, SettleVerdict } from '../../ports/ledger.ts';
import { acceptedCount, forgottenAttempt, isAccepted, learn, openAttempts, mayBe, withAttempt } from '../attempts.ts';
import type { Attempt, DeliveryRecord } from '../delivery.ts';
import type { Step } from './claim.ts';
import { conclude } from './conclude.ts';
import { evidenceFirst } from './move.ts';

/** Writes what became of one attempt, and what follows for the record if this settle still speaks for it. */
export function settle(record: DeliveryRecord, request: SettleRequest, now: number): Step<SettleVerdict> {
  const { id } = record;
  const before = attemptOf(record, request, now);
  if (before === null) return { record, verdict: { kind: 'evidence', id, state: record.state, duplicate: false } };
  const learned = withAttempt(record, learn(before, request.outcome, request.refund));
  const duplicate = !isAccepted(before) && request.outcome.kind === 'accepted' && acceptedCount(learned) > 1;
  const current = record.state === 'dispatching' && record.fence === request.fence;
  const after = current ? conclude(learned, request.next, now) : asEvidence(learned, request, now);
  return { record: after, verdict: { kind: current ? 'settled' : 'evidence', id, state: after.state, duplicate } };
}

/**
 * The attempt that an outcome speaks for. It is named by number, fence and key, since a store that lost its memory numbers again. An
 * acceptance of an attempt that the store forgot (rule 12) speaks for the presumed one, or for a new entry; a lesser outcome of one
 * is worth nothing.
 */
function attemptOf(record: DeliveryRecord, request: SettleRequest, now: number): Attempt | null {
  const { attempt: n, fence, key, provider, outcome } = request;
  const exact = record.attempts.find((each) => each.n === n && each.fence === fence && each.key === key);
  if (exact !== undefined) return exact;
  if (outcome.kind !== 'accepted') return null;
  const repeated = record.attempts.find(
    (each) =>
      each.outcome?.kind === 'accepted' &&
      each.key === key &&
      each.outcome.providerMessageId === outcome.providerMessageId,
  );
  const presumed = record.attempts.find((each) => each.presumed && !isAccepted(each) && mayBe(each, provider));
  return (
    repeated ?? (presumed && { ...presumed, provider, key }) ?? forgottenAttempt(record, { provider, key, fence }, now)
  );
}

/** Rules 6 and 7 for an outcome that comes too late to settle: it closes its own attempt, and only that. */
function asEvidence(record: DeliveryRecord, request: SettleRequest, now: number): DeliveryRecord {
  const proven = evidenceFirst(record, now);
  if (proven !== null) return proven;
  const waits = record.state === 'unknown' || record.state === 'parked';
  return waits && openAttempts(record).length === 0 ? conclude(record, request.next, now) : record;
}
