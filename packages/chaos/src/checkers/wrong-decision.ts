import {
  ANY_PROVIDER,
  type Attempt,
  type ClassPolicy,
  type DeliveryRecord,
  type ReconcileDecision,
} from '@sendonce/core';
import { openAttempts, steps } from '@sendonce/core/internal';
import type { ProviderFacts } from './context.ts';
import { longestWaitMs } from './wrong-next.ts';

/** What decides about a delivery whose outcome is unknown. */
export interface DecisionFacts {
  /** As the sweep handed it out. */
  readonly record: DeliveryRecord;
  /** When the decision took effect: later than it was made, so what is over by then may just have been possible. */
  readonly at: number;
  readonly policy: ClassPolicy;
  /** Of its channel. */
  readonly providers: readonly ProviderFacts[];
  readonly keyMarginMs: number;
  /** Some provider was asked about it since its latest mark. */
  readonly wasAsked: boolean;
  /** No process has another list of providers. */
  readonly isSameConfig: boolean;
}

type Decision<K extends ReconcileDecision['kind']> = Extract<ReconcileDecision, { kind: K }>;

/** A lookup that cannot tell is asked again within this. */
const LOOKUP_AGAIN_MS = 300_000;

/** What is wrong with a decision about an unknown outcome; null: its class says so. */
export function wrongDecision(decision: ReconcileDecision, facts: DecisionFacts): string | null {
  const open = openAttempts(facts.record);
  // What a store presumes after a loss of memory may have been anywhere.
  if (open.length === 0 || open.some(({ provider, presumed }) => presumed || provider === ANY_PROVIDER)) return null;
  switch (decision.kind) {
    case 'found':
    case 'narrow':
      return null;
    case 'wait':
      return wrongWait(decision, open, facts);
    case 'absent':
      return wrongAbsence(decision, open, facts);
    case 'replay':
      return isSpent(facts.record) ? 'is repeated, and no attempt is left' : tooLate(decision.delayMs, facts.policy);
    case 'declare':
    case 'assume-sent':
    case 'park':
      return stillPossible(open, facts) ?? wrongLastResort(decision, facts);
  }
}

/** There is something to wait for only where a provider can still say. */
function wrongWait({ delayMs }: Decision<'wait'>, open: readonly Attempt[], facts: DecisionFacts): string | null {
  const { policy, isSameConfig } = facts;
  if (!isSameConfig) return null;
  const lookups =
    policy.lookup === 'never' ? [] : open.flatMap(({ provider }) => factsOf(provider, facts)?.lookup ?? []);
  if (lookups.length === 0) return 'is left waiting, and nobody can be asked about it';
  const windowMs = Math.max(...open.map(({ sendDeadline, markedAt }) => sendDeadline - markedAt));
  const most = Math.max(LOOKUP_AGAIN_MS, windowMs + Math.max(...lookups.map(({ settleMs }) => settleMs)));
  const longest = policy.lookup === 'once' ? 0 : most;
  return delayMs <= longest ? null : `is left waiting for ${delayMs} ms, and ${longest} ms are enough`;
}

function wrongAbsence(
  { provider, next }: Decision<'absent'>,
  open: readonly Attempt[],
  facts: DecisionFacts,
): string | null {
  const lookup = factsOf(provider, facts)?.lookup ?? null;
  if (lookup?.kind !== 'authoritative' || !facts.wasAsked)
    return `is taken to be absent, and ${provider} has not said so`;
  const until = Math.max(
    ...open.filter((attempt) => attempt.provider === provider).map(({ sendDeadline }) => sendDeadline),
  );
  if (facts.at < until + lookup.settleMs) return `is taken to be absent before ${provider} shows all that it took`;
  return next.kind === 'retry' ? tooLate(next.delayMs, facts.policy) : 'is known to be absent, and is not tried again';
}

/** Before a last resort come the key and the lookup. */
function stillPossible(open: readonly Attempt[], facts: DecisionFacts): string | null {
  const { record, at, policy, wasAsked } = facts;
  for (const { provider, markedAt, sendDeadline } of policy.lookup === 'never' ? [] : open) {
    const lookup = factsOf(provider, facts)?.lookup ?? null;
    if (lookup === null || at >= markedAt + lookup.horizonMs) continue;
    if (!wasAsked) return `${provider} can be asked about it, and was not`;
    if (policy.lookup === 'once') continue;
    if (lookup.kind === 'authoritative' || at < sendDeadline + lookup.settleMs)
      return `${provider} can still be asked about it`;
  }
  return stopReason(record, at) === null && isReplayable(open, facts) ? 'it can be repeated with its key' : null;
}

function isReplayable(open: readonly Attempt[], { at, policy, keyMarginMs, ...facts }: DecisionFacts): boolean {
  const [first] = open;
  const windowMs = first === undefined ? null : (factsOf(first.provider, facts)?.keyWindowMs ?? null);
  if (first === undefined || windowMs === null || open.some(({ key }) => key !== first.key)) return false;
  if (at >= first.markedAt + windowMs - keyMarginMs) return false;
  return policy.replayForMs === 0 ? open.length < 2 : at < first.markedAt + policy.replayForMs;
}

function wrongLastResort(decision: Decision<'declare' | 'assume-sent' | 'park'>, facts: DecisionFacts): string | null {
  const { record, at, policy, providers, isSameConfig } = facts;
  const { onUnknown } = policy;
  const repeats = onUnknown === 'resend' || onUnknown === 'failover';
  switch (decision.kind) {
    case 'assume-sent':
      return onUnknown === 'assume-sent' ? null : `its class does not assume that it was sent`;
    case 'park':
      if (onUnknown === 'assume-sent') return 'its class assumes that it was sent';
      return repeats && stopReason(record, at) === null ? `its class has it repeated (${onUnknown})` : null;
    case 'declare': {
      // Its mark is S8's and S10's to judge.
      if (!repeats) return null;
      if (isSpent(record)) return 'no attempt is left';
      const due = onUnknown === 'failover' && providers.length > 1 ? 'failover' : 'resend';
      if (isSameConfig && decision.declaration !== due) return `its class has a ${due}`;
      return tooLate(decision.delayMs, policy);
    }
  }
}

/** Why no further attempt may begin; null: it may. */
function stopReason(record: DeliveryRecord, at: number): string | null {
  if (record.forbidden !== null) return record.forbidden;
  if (record.expiresAt !== null && at >= record.expiresAt) return 'expired';
  if (isSpent(record) || record.failures >= record.maxAttempts) return 'spent';
  return record.lapses >= steps.POISON_LAPSES ? 'poison' : null;
}

function isSpent({ charged, maxAttempts }: DeliveryRecord): boolean {
  return charged >= maxAttempts;
}

function tooLate(delayMs: number, policy: ClassPolicy): string | null {
  const most = longestWaitMs(policy);
  return delayMs <= Math.ceil(most)
    ? null
    : `is tried again after ${delayMs} ms, and its class waits ${most} ms at most`;
}

function factsOf(name: string, { providers }: Pick<DecisionFacts, 'providers'>): ProviderFacts | undefined {
  return providers.find((provider) => provider.name === name);
}
