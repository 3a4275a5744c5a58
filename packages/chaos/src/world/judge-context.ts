import type { ClassPolicy } from '@sendonce/core';
import { policyFacts, type Addressee, type JudgeContext, type ProviderFacts } from '../checkers/context.ts';
import { isCallFault } from '../faults/armed.ts';
import { bodyOf } from './body.ts';
import { requestedOf } from './requested.ts';
import type { World } from './world.ts';

/** PROTOCOL rule 13: five lapses in a row, and the claims that a restart may add. */
const POISON_CLAIMS = 8;

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

/** The wire's own time, and the longest that a fault of the plan keeps a send between its last check and its arrival. */
function transitMs({ options: { faults, knobs }, limits }: World): number {
  const held = faults.map((fault) =>
    isCallFault(fault) && fault.op === 'provider.send' ? (fault.ms ?? limits.transitMs) : 0,
  );
  return knobs.providerMostMs + 1 + Math.max(0, ...held);
}
