import type { Evidence, EvidenceVerdict } from '../../ports/ledger.ts';
import { arrive, forgottenAttempt, isAccepted, isOpen, learn, mayBe, openAttempts, withAttempt } from '../attempts.ts';
import { providerKey } from '../keys.ts';
import type { Attempt, DeliveryRecord } from '../delivery.ts';
import type { Step } from './claim.ts';
import { conclude } from './conclude.ts';
import { evidenceFirst } from './move.ts';

/** What a webhook or a lookup said about a delivery: belongs to one attempt, never makes the record worse than its best one. */
export function witness(record: DeliveryRecord, evidence: Evidence, now: number): Step<EvidenceVerdict> {
  const { id } = record;
  const attempt = attemptOf(record, evidence, now);
  const learned = attempt === null ? null : learnFrom(attempt, evidence);
  if (learned === null || learned === attempt) return { record, verdict: { kind: 'noted', id, state: record.state } };
  const known = withAttempt(record, learned);
  const after = evidenceFirst(known, now) ?? closed(known, evidence, now);
  return { record: after, verdict: { kind: after.state === record.state ? 'noted' : 'moved', id, state: after.state } };
}

/** By the provider's id; else the open attempt at this provider; else its last; else (it proves a send) one we do not know of. */
function attemptOf(record: DeliveryRecord, evidence: Evidence, now: number): Attempt | null {
  const { provider, providerMessageId } = evidence;
  const there = record.attempts.filter((attempt) => mayBe(attempt, provider));
  const named = there.find(
    (attempt) =>
      providerMessageId !== null &&
      attempt.outcome?.kind === 'accepted' &&
      attempt.outcome.providerMessageId === providerMessageId,
  );
  const likely = named ?? there.find(isOpen) ?? there.at(-1);
  if (likely !== undefined) return likely;
  if (evidence.kind === 'other' || evidence.kind === 'rejected') return null;
  return forgottenAttempt(record, { provider, key: providerKey(record.id, provider), fence: record.fence }, now);
}

function learnFrom(attempt: Attempt, evidence: Evidence): Attempt | null {
  const providerMessageId = evidence.providerMessageId ?? '';
  switch (evidence.kind) {
    case 'accepted':
      return isAccepted(attempt) ? attempt : learn(attempt, { kind: 'accepted', providerMessageId });
    case 'rejected':
      return learn(attempt, { kind: 'rejected', scope: 'message', reason: evidence.detail ?? 'rejected' });
    case 'delivered':
    case 'bounced':
    case 'undeliverable':
      return arrive(attempt, evidence.kind, providerMessageId);
    case 'other':
      return null;
  }
}

/** A rejection closed the last open attempt of a record that waits for exactly that. */
function closed(record: DeliveryRecord, evidence: Evidence, now: number): DeliveryRecord {
  const waits = record.state === 'unknown' || record.state === 'parked';
  if (!waits || openAttempts(record).length > 0) return record;
  return conclude(record, { kind: 'failed', reason: evidence.detail ?? 'rejected' }, now);
}
