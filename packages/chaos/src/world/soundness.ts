import { SendonceError, type ProviderCapabilities } from '@sendonce/core';
import { LOOKUP_LIMIT_MS } from '@sendonce/core/internal';
import type { Fault, SimulationSetup } from '../plan.ts';
import type { WorkloadSpec } from '../workload.ts';
import { providerOutlines } from './capabilities.ts';
import { leastHoldMs, type Knobs } from './knobs.ts';
import { runKnobs } from './run-knobs.ts';

/** Why no sender could be right in a world, and what is to blame. */
export interface Unsound {
  readonly part: 'ledger' | 'queue' | 'provider' | 'workers';
  readonly why: string;
}

type Rule = (knobs: Knobs, capabilities: ProviderCapabilities) => Unsound | null;

const RULES: readonly Rule[] = [
  function lease(knobs) {
    const { leaseMs, ledgerMostMs } = knobs;
    const least = leastHoldMs(knobs).leaseMs;
    if (leaseMs >= least) return null;
    const why = `a ledger call takes up to ${ledgerMostMs} ms each way, so that a lease of ${leaseMs} ms may end before its work has begun: leaseMs must be at least ${least}`;
    return { part: 'ledger', why };
  },
  function visibility(knobs) {
    const { visibilityMs, queueMostMs } = knobs;
    const least = leastHoldMs(knobs).visibilityMs;
    if (visibilityMs >= least) return null;
    const why = `a queue call takes up to ${queueMostMs} ms each way, so that a wake that is hidden for ${visibilityMs} ms may come again before it is acknowledged: visibilityMs must be at least ${least}`;
    return { part: 'queue', why };
  },
  function answer({ providerMostMs, sendTimeoutMs }, { lookup }) {
    const withinMs = Math.min(sendTimeoutMs, LOOKUP_LIMIT_MS);
    if (lookup === 'none' || 2 * providerMostMs < withinMs) return null;
    const why = `a lookup takes up to ${2 * providerMostMs} ms and is waited for only ${withinMs} ms, so that nobody may ever hear what became of a message: its providers must answer in less`;
    return { part: 'provider', why };
  },
  function settleTime({ providerMostMs }, { lookup }) {
    if (lookup === 'none' || 2 * providerMostMs <= lookup.settleMs) return null;
    const why = `a message takes up to ${providerMostMs} ms to its provider, whose lookups are to show it ${lookup.settleMs} ms after its send deadline at the latest: settleMs must be at least ${2 * providerMostMs}`;
    return { part: 'provider', why };
  },
  function keyMargin({ providerMostMs, dispatchMs, keyMarginMs }, { idempotency }) {
    const least = dispatchMs + providerMostMs;
    if (idempotency.kind === 'none' || keyMarginMs > least) return null;
    const why = `a repeat takes up to ${providerMostMs} ms to its provider, which may have forgotten the key by then: keyMarginMs, now ${keyMarginMs}, must be more than ${least}`;
    return { part: 'provider', why };
  },
];

/** Null: a right sender is right in this world, whatever breaks. */
export function unsoundness(
  setup: SimulationSetup,
  workload: WorkloadSpec | null,
  faults: readonly Fault[],
): Unsound | null {
  const knobs = runKnobs(setup, workload);
  const config = workload?.kind === 'config' ? workload.config : null;
  for (const { capabilities } of providerOutlines(config, ['email'], setup.provider, knobs))
    for (const rule of RULES) {
      const found = rule(knobs, capabilities);
      if (found !== null) return found;
    }
  const gone = goneForGood(faults);
  if (gone < setup.workers) return null;
  const why = `'gone' may end ${gone} workers for good, and there ${setup.workers === 1 ? 'is one' : `are ${setup.workers}`}: nobody would be left to do the work`;
  return { part: 'workers', why };
}

/** How many workers a plan may end without another to take their place. */
export function goneForGood(faults: readonly Fault[]): number {
  return faults.filter((fault) => fault.do === 'gone').length;
}

/** @throws SendonceError PLAN_INVALID for a world in which no sender could be right: a verdict on one would be none. */
export function checkSound(setup: SimulationSetup, workload: WorkloadSpec | null, faults: readonly Fault[]): void {
  const unsound = unsoundness(setup, workload, faults);
  if (unsound === null) return;
  throw new SendonceError('PLAN_INVALID', `no sender could be right in this world (${unsound.part}): ${unsound.why}`);
}
