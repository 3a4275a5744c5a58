import type { Counts } from '@sendonce/core';
import type { JudgeContext } from './checkers/context.ts';
import type { EndFacts } from './checkers/facts.ts';
import type { CountedKill } from './faults/acceptance-kills.ts';
import type { Observer } from './history.ts';
import { hashText } from './kernel/draw.ts';
import type { RunEnd } from './kernel/kernel.ts';
import { calmCompiler } from './kernel/compiler.ts';
import { poison } from './kernel/poison.ts';
import type { Fault, SimulationSetup } from './plan.ts';
import type { SenderFactory } from './senders/sender.ts';
import type { WorkloadSpec } from './workload.ts';
import { makeWorkload } from './workload/make-workload.ts';
import type { Crash } from './world/crew.ts';
import { endFacts } from './world/end-facts.ts';
import { judgeContext } from './world/judge-context.ts';
import { runKnobs } from './world/run-knobs.ts';
import { checkSound } from './world/soundness.ts';
import { SiteLog, type SiteCount } from './world/site-log.ts';
import { World } from './world/world.ts';

export interface RunOptions {
  readonly setup: SimulationSetup;
  readonly seed: string;
  readonly faults: readonly Fault[];
  /** @defaultValue made from the seed */
  readonly workload?: WorkloadSpec | null;
  /** What works in place of the real worker. @defaultValue the real worker */
  readonly sender?: SenderFactory | null;
  /** Who watches: made when the world is known, before anything happens. @defaultValue nobody */
  readonly observe?: (context: JudgeContext) => readonly Observer[];
  /**
   * Asked every few thousand events, with how many messages were accepted so far; true ends the run, which then throws RunAborted. What it
   * does changes nothing in the run. @defaultValue never
   */
  readonly isAborted?: (accepted: number) => boolean;
  /** Count where faults could have been addressed; costs time. @defaultValue false */
  readonly listSites?: boolean;
}

/** What one run came to, before anybody judged it. */
export interface RawRun {
  /** `done`: everything settled and nothing is on the wire. Else the run was ended at a bound, and something is stuck. */
  readonly end: RunEnd;
  /** By index of the plan. */
  readonly fired: readonly boolean[];
  /** Kills that were addressed by a count, with the calls that they turned out to be. */
  readonly kills: readonly CountedKill[];
  /** Processes that ended by throwing. */
  readonly crashes: readonly Crash[];
  readonly counts: Counts;
  readonly facts: EndFacts;
  /** Requests that reached a provider, whatever became of them, and messages that were taken. */
  readonly asked: number;
  readonly messages: number;
  /** When something last happened, virtual ms. */
  readonly virtualMs: number;
  /** Entries that the kernel fired. */
  readonly events: number;
  /** Null unless asked for. */
  readonly sites: readonly SiteCount[] | null;
  /** What a notification was published as, `type key`; null: nobody published it. */
  publicationOf(notificationId: string): string | null;
  /** The address that recipient `number` asked for; null when nobody knows it. */
  addressOf(number: number): string | null;
  /** Who recipient `number` is to the user, where the user's own config or list says so; null: nobody but the seed made them up. */
  idOf(number: number): string | null;
  /** The recipient's number of a delivery of any generation; -1: nobody asked for it. */
  recipientOf(deliveryId: string): number;
}

/** A run was ended from outside: nothing is known about it. */
export class RunAborted extends Error {}

/**
 * Runs the real core code once, over simulated ports in virtual time. The same options give the same run, event by event.
 * @throws SendonceError DETERMINISM_VIOLATION when the user's code looked at the real world; PLAN_INVALID for knobs and classes that
 * are none, and for a world in which no sender could be right; and whatever publishing threw that is not the store's fault (DATA_INVALID, KEY_MISSING, ...); RunAborted.
 */
export async function runOnce(options: RunOptions): Promise<RawRun> {
  calmCompiler();
  const { setup, seed, faults, workload: spec = null, sender = null } = options;
  checkSound(setup, spec, faults);
  const knobs = runKnobs(setup, spec);
  const workload = makeWorkload(spec, setup, hashText(seed), knobs);
  const world = new World({ setup, seed, faults, workload, knobs, sender });
  const sites = options.listSites === true ? new SiteLog(world.registry) : null;
  const restore = poison();
  try {
    if (sites !== null) world.watchCalls((call) => sites.look(call));
    const observers = options.observe?.(judgeContext(world)) ?? [];
    const end = await world.run(observers, () => options.isAborted?.(world.mailbox.size) === true);
    if (end === 'aborted') throw new RunAborted();
    return await rawRun(world, end, sites);
  } finally {
    restore();
  }
}

async function rawRun(world: World, end: RunEnd, sites: SiteLog | null): Promise<RawRun> {
  const { registry, network, crew, kernel, options } = world;
  return {
    end,
    fired: network.fired,
    kills: network.acceptances.kills,
    crashes: crew.crashes,
    counts: await world.store.ledger.count(),
    facts: await factsOf(world, end),
    asked: world.asked,
    messages: world.mailbox.size,
    virtualMs: world.lastWorkAt,
    events: kernel.events,
    sites: sites?.list() ?? null,
    publicationOf: (notificationId) => publicationOf(world, notificationId),
    addressOf: (number) => registry.learnedOf(number)?.target.to ?? options.workload.known?.targetOf(number).to ?? null,
    idOf(number) {
      const learned = registry.learnedOf(number);
      if (learned === null) return options.workload.known?.targetOf(number).id ?? null;
      // Whoever has no address has no id either: the notification is all that a person can look for.
      return learned.target.recipientId || publicationOf(world, learned.notificationId);
    },
    recipientOf(deliveryId) {
      const slot = registry.slotOfDelivery(deliveryId);
      return slot < 0 ? -1 : registry.numberOf(slot);
    },
  };
}

async function factsOf(world: World, end: RunEnd): Promise<EndFacts> {
  const facts = await endFacts(world);
  if (end !== 'events') return facts;
  return { ...facts, liveness: { ...facts.liveness, outOfEvents: world.kernel.events } };
}

function publicationOf({ registry, options: { workload } }: World, notificationId: string): string | null {
  const index = registry.publicationOf(notificationId);
  if (index === null) return null;
  const { type, key } = workload.publication(index);
  return `${type} ${key}`;
}
