import type { ClassPolicy } from '@sendonce/core';
import { steps } from '@sendonce/core/internal';
import { type Addressee, type JudgeContext, type JudgeKnobs, type ProviderFacts } from '../checkers/context.ts';
import { isCallFault, recipientNumber } from '../faults/armed.ts';
import { faultKind } from '../faults/index.ts';
import { holdMs } from '../faults/lengths.ts';
import type { CallFault } from '../plan.ts';
import { askedOf } from './asked.ts';
import { bodyOf } from './body.ts';
import { turnsOf } from './event-bound.ts';
import { requestedOf } from './requested.ts';
import type { World } from './world.ts';

/** PROTOCOL rule 13: five lapses in a row, and the claims that a restart may add. */
const POISON_CLAIMS = 8;

/** Kinds of fault that keep a request from arriving. */
const HOLDING: ReadonlySet<string> = new Set(['slow', 'pause']);

/** What the judge of a run has to know about its world. */
export function judgeContext(world: World): JudgeContext {
  const { registry, options, boundMs } = world;
  const policies = new Map(Object.keys(options.workload.notifications).map((type) => [type, world.policy(type)]));
  const typeOf = (recipient: number): string =>
    options.workload.publication(registry.learnedOf(recipient)?.publication ?? 0).type;
  const policyFor = (type: string): ClassPolicy => policies.get(type) ?? world.policy(type);
  return {
    recipients: registry.reserved,
    isOpen: options.workload.known === null,
    indexOf: (deliveryId) => registry.firstNumberOf(deliveryId),
    policyOf: (recipient) => policyFor(typeOf(recipient)),
    addresseeOf: (recipient) => addresseeOf(world, recipient),
    providers: providerFacts(world),
    ...askedOf(world),
    bodyOf,
    knobs: {
      ...waysMs(world),
      keyMarginMs: options.knobs.keyMarginMs,
      progressMs: boundMs,
      takeUpMs: takeUpMs(world),
      recoverMs: recoverMs(world),
      turnsAfterHeal: turnsOf(world.policies),
      concurrency: options.setup.concurrency,
      poisonClaims: POISON_CLAIMS,
    },
  };
}

function addresseeOf(world: World, recipient: number): Addressee {
  const { registry, options } = world;
  const { notificationId, tenant, type, recipientId, channel } = requestedOf(recipient, options.workload, registry);
  const topic = world.policy(type).optOut === 'never' ? null : (options.workload.notifications[type]?.topic ?? type);
  return { notificationId, tenant, recipientId, channel, topic };
}

function providerFacts({ providers }: World): readonly ProviderFacts[] {
  return providers.map(({ name, setup: { capabilities, channel } }) => ({
    name,
    channel,
    keyWindowMs: capabilities.idempotency.kind === 'none' ? null : capabilities.idempotency.windowMs,
    lookup: capabilities.lookup === 'none' ? null : capabilities.lookup,
  }));
}

/** Each of a worker's waits between two looks, twice: work may come right after one. */
function takeUpMs({ options: { knobs } }: World): number {
  const { pollMs, waitMs, sweepMs, lateMs, restartMs } = knobs;
  return 2 * (pollMs + waitMs + sweepMs + lateMs + restartMs);
}

/** As long as a poison item may lapse, and every other thing that a process can leave behind. */
function recoverMs(world: World): number {
  const { leaseMs, restartMs, visibilityMs, dispatchMs, strayAfterMs, ledgerTimeoutMs } = world.options.knobs;
  const lapsesMs = steps.POISON_LAPSES * (leaseMs + restartMs);
  return takeUpMs(world) + lapsesMs + visibilityMs + dispatchMs + strayAfterMs + 10 * ledgerTimeoutMs;
}

/** How long calls are on their way; what a fault made late may have been on either way. */
function waysMs(
  world: World,
): Pick<JudgeKnobs, 'transitMs' | 'afterglowMs' | 'ledgerWayMs' | 'providerWayMs' | 'sendTimeoutMs'> {
  const { ledgerMostMs, providerMostMs, sendTimeoutMs } = world.options.knobs;
  const sendMs = transitMs(world);
  return {
    transitMs: sendMs,
    afterglowMs: Math.max(sendMs, ledgerMostMs + 1),
    ledgerWayMs: ledgerMostMs,
    providerWayMs: providerMostMs,
    sendTimeoutMs,
  };
}

/** The wire's own time, and the longest that faults of the plan together keep a send between its last check and its arrival. */
function transitMs({ options: { faults, knobs }, limits }: World): number {
  const ofSends = faults.filter(isCallFault).filter(({ op }) => op === 'provider.send');
  const holding = ofSends.filter((fault) => HOLDING.has(fault.do));
  const acting = ofSends.filter((fault) => faultKind(fault.do, fault.op)?.component === 'operator');
  return (
    knobs.providerMostMs + 1 + longestHold(holding, limits.transitMs) + Math.min(acting.length, 1) * holdMs(limits)
  );
}

/**
 * The longest that one send can be held: faults at the same time of the same entity add up, and a send has one recipient, one worker and
 * one provider. A pause stops a whole process, so any of them may hold any send.
 */
export function longestHold(faults: readonly CallFault[], presetMs: number): number {
  let pausedMs = 0;
  /** Sums by kind of entity, entity and time. */
  const sums = new Map<string, Map<string, number>>();
  for (const { do: name, entity, nth, ms = presetMs } of faults) {
    if (name === 'pause') pausedMs += ms;
    else {
      const kind = recipientNumber(entity) === null ? entity.replace(/\d+$/, '') : 'r';
      const ofKind = sums.get(kind) ?? new Map<string, number>();
      ofKind.set(`${entity} ${nth}`, (ofKind.get(`${entity} ${nth}`) ?? 0) + ms);
      sums.set(kind, ofKind);
    }
  }
  return [...sums.values()].reduce((sum, ofKind) => sum + Math.max(...ofKind.values()), pausedMs);
}
