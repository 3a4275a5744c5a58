import { openAttempts } from '../model/attempts.ts';
import { ANY_PROVIDER, type Attempt, type DeliveryRecord } from '../model/delivery.ts';
import { poison, POISON_LAPSES } from '../model/steps/claim.ts';
import type { ReconcileDecision } from '../ports/ledger.ts';
import type { Lookup, LookupAnswer, ProviderCapabilities } from '../ports/provider.ts';
import { nextProvider } from './failover.ts';
import type { ClassPolicy } from './policy.ts';
import { retryDelayMs } from './retry.ts';

/** Everything that decides about an `unknown` delivery. Times are the ledger's. */
export interface UnknownFacts {
  readonly record: DeliveryRecord;
  readonly nowMs: number;
  readonly epochChangedAt: number | null;
  readonly policy: ClassPolicy;
  /** The channel's providers in order of preference. */
  readonly order: readonly string[];
  /** Of the provider asked for; null when it is not configured any more. */
  readonly capabilities: (provider: string) => ProviderCapabilities | null;
  readonly keyMarginMs: number;
  readonly random: number;
}

/** Ask this provider about this attempt before deciding. */
export interface AskLookup {
  readonly kind: 'ask';
  readonly attempt: Attempt;
}

/** How long to wait before a lookup that could not answer is asked again: at first, and at most. */
const LOOKUP_RETRY_MS = 30_000;
const LONGEST_LOOKUP_RETRY_MS = 300_000;

/**
 * PROTOCOL section 2 step 9, section 3: replay with the same key while that is safe, else look it up, else the class decides. Never a
 * blind retry.
 */
export function decideUnknown(facts: UnknownFacts): ReconcileDecision | AskLookup {
  const open = openAttempts(facts.record);
  const [first] = open;
  if (first === undefined) return { kind: 'park', reason: facts.record.reason ?? 'no attempt tells what became of it' };
  const alone = soleProvider(facts, open);
  if (alone !== null) return { kind: 'narrow', provider: alone };
  const ask = lookupOf(facts, open);
  if (stopReason(facts) !== null) return ask ?? withoutNewAttempt(facts);
  if (mayReplay(facts, open, first)) return { kind: 'replay', provider: first.provider, delayMs: againInMs(facts) };
  return ask ?? lastResort(facts);
}

/** The decision once the lookup of `attempt`'s provider has answered. */
export function decideAfterLookup(facts: UnknownFacts, attempt: Attempt, answer: LookupAnswer): ReconcileDecision {
  switch (answer.kind) {
    case 'found':
      return { kind: 'found', attempt: attempt.n, providerMessageId: answer.providerMessageId };
    case 'absent':
      return whenAbsent(facts, attempt);
    case 'cannot-tell':
      return facts.policy.lookup === 'once' ? afterLookups(facts) : { kind: 'wait', delayMs: askAgainInMs(facts) };
  }
}

/** Why no further attempt may begin, or null. */
function stopReason({ record, nowMs }: UnknownFacts): string | null {
  if (record.forbidden !== null) return `${record.forbidden} while an attempt was open`;
  if (record.expiresAt !== null && nowMs >= record.expiresAt) return 'expired while an attempt was open';
  if (record.charged >= record.maxAttempts) return `attempts spent (${record.charged}) while one is open`;
  if (record.failures >= record.maxAttempts)
    return `${record.reason ?? 'its content cannot be made'}, while an attempt is open`;
  if (record.lapses >= POISON_LAPSES) return poison(record.lapses);
  return null;
}

/** The one provider at which a presumed attempt can have been: the channel has no other, and had none when the delivery was made. */
function soleProvider({ record, order }: UnknownFacts, open: readonly Attempt[]): string | null {
  const [only] = order;
  if (order.length !== 1 || only === undefined || record.provider !== only) return null;
  return open.some((attempt) => attempt.provider === ANY_PROVIDER) ? only : null;
}

/** Rule 9: every open attempt has this key, and the provider will remember it beyond the next dispatch window. */
function mayReplay(facts: UnknownFacts, open: readonly Attempt[], first: Attempt): boolean {
  const idempotency = facts.capabilities(first.provider)?.idempotency;
  if (idempotency === undefined || idempotency.kind === 'none') return false;
  if (open.some((attempt) => attempt.key !== first.key)) return false;
  if (facts.nowMs >= first.markedAt + idempotency.windowMs - facts.keyMarginMs) return false;
  // 0 means once: one replay after the first attempt, whenever that is.
  if (facts.policy.replayForMs === 0) return open.length < 2;
  return facts.nowMs < first.markedAt + facts.policy.replayForMs;
}

/** At once for the first time; then as a retry would, so that an outage is not hammered. */
function againInMs({ record, policy, random }: UnknownFacts): number {
  return record.attempts.length < 2 ? 0 : retryDelayMs(policy.retry, record.attempts.length - 1, random);
}

/**
 * Rarer the longer it has been unknown, by a quarter of that time, and never rarer than every five minutes: an outage of hours is not
 * hammered, and its end is noticed soon.
 */
function askAgainInMs({ record, nowMs }: UnknownFacts): number {
  const unknownForMs = nowMs - (record.attempts.at(-1)?.markedAt ?? nowMs);
  return Math.min(LONGEST_LOOKUP_RETRY_MS, Math.max(LOOKUP_RETRY_MS, Math.floor(unknownForMs / 4)));
}

/** The first open attempt whose provider can be asked, inside its horizon. */
function lookupOf(facts: UnknownFacts, open: readonly Attempt[]): AskLookup | null {
  if (facts.policy.lookup === 'never') return null;
  for (const attempt of open) {
    const lookup = lookupFor(facts, attempt.provider);
    if (lookup !== null && facts.nowMs < attempt.markedAt + lookup.horizonMs) return { kind: 'ask', attempt };
  }
  return null;
}

/** What a lookup can tell about an attempt that was there. Anywhere: only as much as the weakest of all providers can. */
function lookupFor(facts: UnknownFacts, provider: string): Omit<Lookup, 'find'> | null {
  const asked = (provider === ANY_PROVIDER ? facts.order : [provider]).map(
    (name) => facts.capabilities(name)?.lookup ?? 'none',
  );
  const lookups = asked.filter((lookup) => lookup !== 'none');
  if (lookups.length === 0 || lookups.length < asked.length) return null;
  return {
    kind: lookups.every(({ kind }) => kind === 'authoritative') ? 'authoritative' : 'positive-only',
    settleMs: Math.max(...lookups.map(({ settleMs }) => settleMs)),
    horizonMs: Math.min(...lookups.map(({ horizonMs }) => horizonMs)),
  };
}

/** Rule 10: how long "absent" still proves nothing, ms; <= 0 when it counts. */
function provesNothingYet(facts: UnknownFacts, last: Attempt, settleMs: number): number {
  return Math.max(last.sendDeadline, facts.epochChangedAt ?? 0) + settleMs - facts.nowMs;
}

function lastOf(open: readonly Attempt[], provider: string): Attempt {
  const there = open.filter((attempt) => attempt.provider === provider);
  return there.reduce((last, attempt) => (attempt.sendDeadline > last.sendDeadline ? attempt : last));
}

function whenAbsent(facts: UnknownFacts, attempt: Attempt): ReconcileDecision {
  const lookup = lookupFor(facts, attempt.provider);
  if (lookup === null) return afterLookups(facts);
  const waitMs = provesNothingYet(facts, lastOf(openAttempts(facts.record), attempt.provider), lookup.settleMs);
  if (waitMs > 0) return facts.policy.lookup === 'once' ? afterLookups(facts) : { kind: 'wait', delayMs: waitMs };
  if (lookup.kind === 'positive-only') return afterLookups(facts);
  const { provider } = attempt;
  const again = provider === ANY_PROVIDER ? facts.record.provider : provider;
  return {
    kind: 'absent',
    provider,
    next: { kind: 'retry', delayMs: 0, provider: again, reason: 'the provider knows of no such message' },
  };
}

function afterLookups(facts: UnknownFacts): ReconcileDecision {
  return stopReason(facts) === null ? lastResort(facts) : withoutNewAttempt(facts);
}

/** The column "neither" of the class table. */
function lastResort(facts: UnknownFacts): ReconcileDecision {
  const { record, policy, order } = facts;
  const last = record.attempts.at(-1)?.provider ?? ANY_PROVIDER;
  const current = last === ANY_PROVIDER ? record.provider : last;
  const delayMs = againInMs(facts);
  switch (policy.onUnknown) {
    case 'resend':
      return { kind: 'declare', declaration: 'resend', provider: current, delayMs };
    case 'failover': {
      const provider = nextProvider(order, current);
      return { kind: 'declare', declaration: provider === current ? 'resend' : 'failover', provider, delayMs };
    }
    case 'assume-sent':
    case 'park':
    case 'replay':
    case 'lookup':
      return withoutNewAttempt(facts);
  }
}

function withoutNewAttempt(facts: UnknownFacts): ReconcileDecision {
  const reason = stopReason(facts) ?? facts.record.reason ?? 'nothing can tell whether it was sent';
  return facts.policy.onUnknown === 'assume-sent' ? { kind: 'assume-sent', reason } : { kind: 'park', reason };
}
