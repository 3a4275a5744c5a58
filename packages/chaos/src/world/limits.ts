import { CLASS_POLICIES, type ClassPolicy, type NotifierConfig, type ProviderCapabilities } from '@sendonce/core';
import { PATIENCE, steps } from '@sendonce/core/internal';
import type { Limits } from '../faults/kind.ts';
import type { SimulationSetup } from '../plan.ts';
import type { WorkloadSpec } from '../workload.ts';
import { providerOutlines } from './capabilities.ts';
import type { Knobs } from './knobs.ts';
import { runKnobs } from './run-knobs.ts';

const HOUR_MS = 3_600_000;

/**
 * How long a message may be between its sender's last check and the provider before a promise is void: with a key what the key margin
 * leaves beyond the dispatch window, with a lookup half of the settle time, else for ever (an hour will do).
 */
export function transitMs(capabilities: readonly ProviderCapabilities[], knobs: Knobs): number {
  const wireMs = 2 * knobs.providerMostMs + 1;
  const each = capabilities.map(({ idempotency, lookup }) => {
    if (idempotency.kind !== 'none') return knobs.keyMarginMs - knobs.dispatchMs - wireMs;
    return lookup === 'none' ? HOUR_MS : Math.floor(lookup.settleMs / 2) - wireMs;
  });
  return Math.max(1, Math.min(HOUR_MS, ...each));
}

export function limitsOf(capabilities: readonly ProviderCapabilities[], knobs: Knobs): Limits {
  return { knobs, transitMs: transitMs(capabilities, knobs) };
}

/** What faults may do in a world: the knobs and what the providers can do, the user's own where there is a config. */
export function limitsIn(setup: SimulationSetup, workload: WorkloadSpec | null): Limits {
  const knobs = runKnobs(setup, workload);
  const config = workload?.kind === 'config' ? workload.config : null;
  const outlines = providerOutlines(config, ['email'], setup.provider, knobs);
  return limitsOf(
    outlines.map(({ capabilities }) => capabilities),
    knobs,
  );
}

export function policyOf(
  type: NotifierConfig['notifications'][string],
  classes: Partial<Record<string, Partial<ClassPolicy>>> = {},
): ClassPolicy {
  const own = Object.fromEntries(
    Object.entries(type).filter(([name, value]) => name in CLASS_POLICIES.document && value !== undefined),
  );
  return { ...CLASS_POLICIES[type.class], ...classes[type.class], ...own };
}

/** Everything settles within this after the heal point: each wait that can still lie ahead of a delivery, once, and some slack. */
export function settleBoundMs(
  policies: readonly ClassPolicy[],
  capabilities: readonly ProviderCapabilities[],
  knobs: Knobs,
): number {
  const {
    leaseMs,
    dispatchMs,
    visibilityMs,
    lateMs,
    restartMs,
    sweepMs,
    waitMs,
    pollMs,
    strayAfterMs,
    ledgerTimeoutMs,
  } = knobs;
  const attemptsMs = Math.max(...policies.map((policy) => waitsMs(policy) + policy.maxAttempts * dispatchMs));
  const lookupMs = Math.max(0, ...capabilities.map(({ lookup }) => (lookup === 'none' ? 0 : lookup.settleMs)));
  const poisonMs = steps.POISON_LAPSES * (leaseMs + restartMs);
  const storeMs = dispatchMs + visibilityMs + strayAfterMs + 12 * ledgerTimeoutMs;
  const rhythmMs = PATIENCE * lateMs + 10 * (sweepMs + waitMs + pollMs);
  return 2 * (attemptsMs + lookupMs + poisonMs + storeMs + rhythmMs) + knobs.keyMarginMs;
}

/** All waits between the attempts of one delivery. */
function waitsMs({ retry, maxAttempts }: ClassPolicy): number {
  let sumMs = 0;
  for (let tries = 1; tries <= maxAttempts; tries++) {
    if ('schedule' in retry) sumMs += retry.schedule[Math.min(tries, retry.schedule.length) - 1] ?? 0;
    else sumMs += Math.min(retry.maxMs, retry.baseMs * retry.factor ** (tries - 1));
  }
  return sumMs;
}
