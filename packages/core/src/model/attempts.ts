import { ANY_PROVIDER, type ArrivalKind, type Attempt, type DeliveryRecord, type DeliveryState } from './delivery.ts';
import { copyOf } from './copy.ts';
import { isDefinite, type Outcome } from './outcome.ts';

/** Open from its mark until a definite outcome: its message may be on the way. */
export function isOpen(attempt: Attempt): boolean {
  return !isDefinite(attempt.outcome);
}

export function openAttempts(record: DeliveryRecord): readonly Attempt[] {
  // Nearly every delivery has at most one attempt: no array is made for those.
  if (record.attempts.length === 0) return NONE;
  return record.attempts.every(isOpen) ? record.attempts : record.attempts.filter(isOpen);
}
const NONE: readonly Attempt[] = [];

/** Whether it was, or may have been, at this provider. */
export function mayBe(attempt: Attempt, provider: string): boolean {
  return attempt.provider === provider || attempt.provider === ANY_PROVIDER;
}

export function isAccepted(attempt: Attempt): boolean {
  return attempt.outcome?.kind === 'accepted';
}

export function acceptedCount(record: DeliveryRecord): number {
  let count = 0;
  for (const attempt of record.attempts) if (isAccepted(attempt)) count += 1;
  return count;
}

/**
 * The attempt with one more thing known about it. Accepted beats every other outcome (a lookup's "absent" may be wrong, a second
 * answer may be late); a definite outcome beats an unknown one; otherwise the first stands.
 */
export function learn(attempt: Attempt, outcome: Outcome, refund = false): Attempt {
  const known = attempt.outcome;
  if (known?.kind === 'accepted') return attempt;
  if (isDefinite(known) && outcome.kind !== 'accepted') return attempt;
  if (known !== null && outcome.kind === 'unknown') return attempt;
  return { ...attempt, outcome, charged: attempt.charged && !refund };
}

/** Arrival evidence proves acceptance. For one provider message a bounce beats `delivered`, in whichever order they come. */
export function arrive(attempt: Attempt, arrival: ArrivalKind, providerMessageId: string): Attempt {
  const accepted = isAccepted(attempt) ? attempt : learn(attempt, { kind: 'accepted', providerMessageId });
  const keep = attempt.arrival !== null && (arrival === 'delivered' || attempt.arrival === arrival);
  return keep ? accepted : { ...accepted, arrival };
}

/** The record with this attempt in the place of the one with its number, or added. */
export function withAttempt(record: DeliveryRecord, attempt: Attempt): DeliveryRecord {
  const attempts = record.attempts.some((each) => each.n === attempt.n)
    ? record.attempts.map((each) => (each.n === attempt.n ? attempt : each))
    : [...record.attempts, attempt];
  let charged = 0;
  for (const each of attempts) if (each.charged) charged += 1;
  return Object.assign(copyOf(record), { attempts, charged });
}

/** An attempt that stands for one which the store does not know (any more). It is never charged: no mark of it is on record. */
export function forgottenAttempt(
  record: DeliveryRecord,
  of: Pick<Attempt, 'provider' | 'key' | 'fence'>,
  now: number,
): Attempt {
  return {
    ...of,
    n: record.attempts.length + 1,
    markedAt: now,
    sendDeadline: now,
    outcome: null,
    arrival: null,
    charged: false,
    presumed: true,
  };
}

const RANK: Readonly<Record<'delivered' | 'sent' | 'bounced' | 'undeliverable', number>> = {
  delivered: 3,
  sent: 2,
  bounced: 1,
  undeliverable: 1,
};

/** What the accepted attempts say together: the best one. Null when none is accepted. */
export function provenState(record: DeliveryRecord): Extract<DeliveryState, 'sent' | ArrivalKind> | null {
  let best: Extract<DeliveryState, 'sent' | ArrivalKind> | null = null;
  for (const attempt of record.attempts) {
    if (!isAccepted(attempt)) continue;
    const state = attempt.arrival ?? 'sent';
    if (best === null || RANK[state] > RANK[best]) best = state;
  }
  return best;
}

/** The provider's id of the accepted message shown by the record; null when none is. */
export function providerMessageId(record: DeliveryRecord): string | null {
  for (const attempt of record.attempts)
    if (attempt.outcome?.kind === 'accepted') return attempt.outcome.providerMessageId;
  return null;
}
