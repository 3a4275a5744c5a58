import type { Attempt, DeliveryRecord } from '../model/delivery.ts';
import type { Outcome } from '../model/outcome.ts';
import { nextProvider } from '../policy/failover.ts';
import type { ClassPolicy } from '../policy/policy.ts';
import { retryDelayMs } from '../policy/retry.ts';
import type { Next } from '../ports/ledger.ts';

export interface SettleFacts {
  /** As granted: its attempts are those before this one. */
  readonly record: DeliveryRecord;
  readonly provider: string;
  /** The channel's providers in order of preference. */
  readonly order: readonly string[];
  readonly policy: ClassPolicy;
  /** Uniform in [0, 1). */
  readonly random: number;
}

export interface Settlement {
  readonly next: Next;
  readonly refund: boolean;
}

/** A provider that defers and names no wait (`Retry-After: 0`) is not asked in a loop: a deferral is never charged, so nothing else would end it. */
const LEAST_DEFERRAL_MS = 1_000;
/**
 * A deferral in a row waits twice as long as the one before, up to this share of the delivery's life. However short the waits that a
 * provider names, a delivery that is never taken ends in a few dozen attempts, each of which its record keeps.
 */
const DEFERRAL_SHARE = 1 / 24;

/** DESIGN section 6: what follows an outcome while no other attempt is open. Pure; the ledger has the last word (rules 6 and 7). */
export function settle(outcome: Outcome, facts: SettleFacts): Settlement {
  switch (outcome.kind) {
    case 'accepted':
      return { next: { kind: 'sent' }, refund: false };
    case 'rejected':
      if (outcome.scope !== 'provider') return { next: { kind: 'failed', reason: outcome.reason }, refund: false };
      return { next: elsewhere(facts, outcome.reason), refund: false };
    case 'deferred':
      return { next: later(facts, deferralMs(facts, outcome.retryAfterMs ?? null), outcome.reason), refund: true };
    case 'not-sent':
      return {
        next: facts.policy.failoverOnNotSent
          ? elsewhere(facts, outcome.reason)
          : later(facts, backOffMs(facts), outcome.reason),
        refund: false,
      };
    case 'unknown':
      return { next: { kind: 'unknown', reconcileInMs: 0, reason: outcome.reason }, refund: false };
  }
}

/** The first deferral waits as long as the provider asks; from the second in a row on, at least as long as the class would wait. */
function deferralMs({ record, policy, random }: SettleFacts, retryAfterMs: number | null): number {
  const tries = deferredInARow(record.attempts) + 1;
  const backOff = retryDelayMs(policy.retry, tries, random);
  if (tries === 1) return Math.max(retryAfterMs ?? backOff, LEAST_DEFERRAL_MS);
  const lifeMs = record.expiresAt === null ? Infinity : record.expiresAt - record.createdAt;
  const growing = Math.min(LEAST_DEFERRAL_MS * 2 ** (tries - 1), lifeMs * DEFERRAL_SHARE);
  return Math.ceil(Math.max(retryAfterMs ?? 0, backOff, growing, LEAST_DEFERRAL_MS));
}

/** Deferrals since anything else happened; the one being settled is not among them. */
function deferredInARow(attempts: readonly Attempt[]): number {
  let count = 0;
  while (attempts[attempts.length - 1 - count]?.outcome?.kind === 'deferred') count += 1;
  return count;
}

/** The next provider: at once until each has had its turn, then with back-off, so that two dead providers do not play ping-pong. */
function elsewhere(facts: SettleFacts, reason: string): Next {
  const tries = facts.record.attempts.length + 1;
  const delayMs = tries < facts.order.length ? 0 : backOffMs(facts);
  return { kind: 'retry', delayMs, provider: nextProvider(facts.order, facts.provider), reason };
}

function later(facts: SettleFacts, delayMs: number, reason: string): Next {
  return { kind: 'retry', delayMs, provider: facts.provider, reason };
}

function backOffMs(facts: SettleFacts): number {
  return retryDelayMs(facts.policy.retry, facts.record.attempts.length + 1, facts.random);
}
