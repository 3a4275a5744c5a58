import assert from 'node:assert/strict';
import {
  DELIVERY_STATES,
  isSettled,
  TRANSITIONS,
  type Attempt,
  type DeliveryRecord,
  type DeliveryState,
} from '../../model/delivery.ts';
import { isDefinite } from '../../model/outcome.ts';
import type { Counts } from '../../ports/ledger.ts';

const PROVEN: ReadonlySet<DeliveryState> = new Set(['sent', 'delivered', 'bounced', 'undeliverable']);
const CONCLUDED: ReadonlySet<DeliveryState> = new Set(['failed', 'dead', 'expired', 'cancelled', 'suppressed']);

const isOpen = (attempt: Attempt): boolean => !isDefinite(attempt.outcome);
const isAccepted = (attempt: Attempt): boolean => attempt.outcome?.kind === 'accepted';

/** What holds of a record at every moment. */
export function checkRecord(record: DeliveryRecord): void {
  const { state, attempts } = record;
  const hasProof = attempts.some(isAccepted);
  assert.ok(!hasProof || PROVEN.has(state), `an attempt was accepted, yet it is ${state} (rule 6)`);
  assert.ok(hasProof || record.assumed || !PROVEN.has(state), `no attempt was accepted, yet it is ${state}`);
  const hasOpen = attempts.some(isOpen);
  assert.ok(!hasOpen || !CONCLUDED.has(state), `an attempt is open, yet it is ${state} (rule 7)`);
  assert.equal(
    record.charged,
    attempts.filter(({ charged }) => charged).length,
    'charged marks are miscounted (rule 13)',
  );
  assert.equal(record.leaseUntil !== null, state === 'processing', `a lease while ${state}`);
  assert.equal(record.dispatchUntil !== null, state === 'dispatching', `a dispatch window while ${state}`);
  const hasHolder = state === 'processing' || state === 'dispatching';
  assert.equal(record.owner !== null, hasHolder, `the owner is ${record.owner} while ${state}`);
  assert.equal(record.settledAt !== null, isSettled(state), `settledAt is ${record.settledAt} while ${state}`);
  assert.deepEqual(
    attempts.map(({ n }) => n),
    attempts.map((_, i) => i + 1),
    'attempts are not numbered 1, 2, ...',
  );
}

/** What holds between a record and what it was one call before. */
export function checkStep(before: DeliveryRecord, after: DeliveryRecord, keyWindowMs: number): void {
  assert.ok(isReachable(before.state, after.state), `moved from ${before.state} to ${after.state}`);
  assert.ok(after.fence >= before.fence, `the fence fell from ${before.fence} to ${after.fence} (rule 3)`);
  const isTaken = after.state === 'processing' && after.fence !== before.fence;
  if (isTaken && before.state === 'processing')
    assert.ok((before.leaseUntil ?? 0) <= after.updatedAt, 'granted while somebody else held it');
  for (const [i, old] of before.attempts.entries()) checkAttempt(old, after.attempts[i]);
  const begun = after.attempts.slice(before.attempts.length);
  assert.ok(begun.length <= 1, 'more than one attempt at once');
  for (const attempt of begun) checkBegun(before, after, attempt, keyWindowMs);
}

function checkAttempt(old: Attempt, now: Attempt | undefined): void {
  assert.ok(now !== undefined, `attempt ${old.n} is gone`);
  const identity = ({ n, provider, key, fence, markedAt, sendDeadline }: Attempt) => [
    n,
    provider,
    key,
    fence,
    markedAt,
    sendDeadline,
  ];
  assert.deepEqual(identity(now), identity(old), `attempt ${old.n} was rewritten`);
  if (isDefinite(old.outcome) && !isAccepted(now))
    assert.deepEqual(now.outcome, old.outcome, 'a definite outcome was changed');
  assert.ok(!isAccepted(old) || isAccepted(now), 'an acceptance was forgotten');
}

/** Rules 2, 6 and 9: when an attempt may begin. */
function checkBegun(before: DeliveryRecord, after: DeliveryRecord, attempt: Attempt, keyWindowMs: number): void {
  assert.equal(before.state, 'processing', `marked while ${before.state}`);
  assert.equal(attempt.fence, before.fence, 'marked under another fence (rule 3)');
  assert.ok(!before.attempts.some(isAccepted), 'marked after an acceptance (rule 6)');
  assert.equal(before.forbidden, null, `marked although ${before.forbidden}`);
  assert.ok(before.expiresAt === null || attempt.markedAt < before.expiresAt, 'marked after the expiry');
  const [first, ...rest] = before.attempts.filter(isOpen);
  if (first === undefined) return;
  const isDeclared = after.declarations.some(({ afterAttempt }) => afterAttempt === before.attempts.length);
  const isSameKey = [first, ...rest].every(({ key }) => key === attempt.key);
  const isInWindow = attempt.markedAt < first.markedAt + keyWindowMs;
  assert.ok(
    isDeclared || (isSameKey && isInWindow),
    'marked beside an open attempt without a live key or a declaration (rules 2, 9)',
  );
}

/** One call may make two moves: a settle, and an event that was waiting for it. */
function isReachable(from: DeliveryState, to: DeliveryState): boolean {
  return from === to || TRANSITIONS[from].some((via) => via === to || TRANSITIONS[via].includes(to));
}

export function checkCounts(counts: Counts, records: readonly DeliveryRecord[]): void {
  for (const state of DELIVERY_STATES)
    assert.equal(
      counts.deliveries[state],
      records.filter((record) => record.state === state).length,
      `the count of ${state}`,
    );
  assert.equal(counts.assumed, records.filter(({ assumed }) => assumed).length, 'the count of what is assumed');
  assert.equal(counts.refusedMoves, 0, 'a step tried a move that is not declared');
}
