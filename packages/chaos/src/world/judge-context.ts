import type { ClassPolicy } from '@sendonce/core';
import { policyFacts, type Addressee, type JudgeContext, type ProviderFacts } from '../checkers/context.ts';
import { isCallFault, recipientNumber } from '../faults/armed.ts';
import type { CallFault } from '../plan.ts';
import { bodyOf } from './body.ts';
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
  const facts = new Map([...policies].map(([type, policy]) => [type, policyFacts(policy)]));
  return {
    recipients: registry.reserved,
    isOpen: options.workload.known === null,
    indexOf: (deliveryId) => registry.firstNumberOf(deliveryId),
    policyOf: (recipient) => facts.get(typeOf(recipient)) ?? policyFacts(policyFor(typeOf(recipient))),
    addresseeOf: (recipient) => addresseeOf(world, recipient),
    providers: providerFacts(world),
    bodyOf,
    knobs: {
      transitMs: transitMs(world),
      progressMs: boundMs,
      turnsAfterHeal: 50 + 10 * Math.max(...[...policies.values()].map(({ maxAttempts }) => maxAttempts)),
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
  return providers.map(({ name, setup: { capabilities } }) => ({
    name,
    keyWindowMs: capabilities.idempotency.kind === 'none' ? null : capabilities.idempotency.windowMs,
  }));
}

/** The wire's own time, and the longest that faults of the plan together keep a send between its last check and its arrival. */
function transitMs({ options: { faults, knobs }, limits }: World): number {
  const holding = faults.filter(isCallFault).filter((fault) => fault.op === 'provider.send' && HOLDING.has(fault.do));
  return knobs.providerMostMs + 1 + longestHold(holding, limits.transitMs);
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
