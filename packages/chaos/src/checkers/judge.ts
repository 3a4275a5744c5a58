import type { Observer } from '../history.ts';
import type { RunResult, Tally, Violation } from '../result.ts';
import { Counter, type Beliefs } from '../tally.ts';
import { CHECKERS } from './all.ts';
import { Attempts } from './attempts.ts';
import { Causes } from './causes.ts';
import { Column } from './column.ts';
import type { Checker, CheckerContext } from './checker.ts';
import type { JudgeContext } from './context.ts';
import { Dispatcher } from './dispatcher.ts';
import { Extras } from './extras.ts';
import type { EndFacts } from './facts.ts';
import { Findings } from './findings.ts';
import { Slots } from './slots.ts';
import { SlowWays } from './slow-ways.ts';
import { States, type SeenMove } from './states.ts';

export interface Judgement {
  readonly violations: readonly Violation[];
  readonly requested: number;
  readonly tally: Tally;
  readonly notSent: RunResult['notSent'];
  readonly unsealed: RunResult['unsealed'];
  /** How many events the history had. */
  readonly events: number;
  /** Declared state transitions that the history shows, for coverage. */
  readonly moves: readonly SeenMove[];
}

export interface Judge {
  readonly observer: Observer;
  /** What was found so far; a search may stop at the first. */
  readonly violations: readonly Violation[];
  /** Ends the judging. Call it once. */
  finish(facts: EndFacts): Judgement;
}

export interface JudgeOptions {
  /** Leaves out the checkers of these invariants: how a test shows what each of them is for. @defaultValue [] */
  readonly without?: readonly string[];
}

/** Watches one run, and says in the end what it came to. */
export function createJudge(context: JudgeContext, { without = [] }: JudgeOptions = {}): Judge {
  const slots = new Slots(context.recipients, (id) => context.indexOf(id), context.isOpen);
  const attempts = new Attempts(slots);
  const slowWays = new SlowWays(context, slots, attempts);
  const causes = new Causes(context, { slots, attempts, slowWays });
  const extras = new Extras(context, { slots, attempts, causes });
  const findings = new Findings(slots);
  const states = new States(slots, attempts, (slot, deliveryId, at, from, to) => {
    if (!without.includes('S5'))
      findings.report({ invariant: 'S5', at, slot, deliveryId, message: `went from ${from} back to ${to}` });
  });
  const shared: CheckerContext = {
    // Not a spread: the world may be a class.
    recipients: context.recipients,
    isOpen: context.isOpen,
    providers: context.providers,
    knobs: context.knobs,
    indexOf: (id) => context.indexOf(id),
    policyOf: (recipient) => context.policyOf(recipient),
    addresseeOf: (recipient) => context.addresseeOf(recipient),
    targetOf: (recipient) => context.targetOf(recipient),
    contentOf: (recipient, target, of) => context.contentOf(recipient, target, of),
    addressProblemOf: (target) => context.addressProblemOf(target),
    isAskedFor: (notificationId, target) => context.isAskedFor(notificationId, target),
    failsToRoute: (notificationId) => context.failsToRoute(notificationId),
    bodyOf: (content) => context.bodyOf(content),
    slots,
    attempts,
    causes,
    extras,
    states,
    column: (kind) => new Column(kind, context.recipients),
    report: (finding) => findings.report(finding),
  };
  const checkers = CHECKERS.map((checker) => checker(shared)).filter(
    ({ invariants }) => !invariants.some((id) => without.includes(id)),
  );
  const observer = new Dispatcher(slots, [...checkers, causes, slowWays, states, extras, attempts]);
  const counter = new Counter(context.recipients, beliefs(context, { slots, extras, states, findings }));

  function finish(facts: EndFacts): Judgement {
    const { endedAt } = facts.liveness;
    readDeliveries(facts, { slots, checkers, counter });
    for (const { end } of checkers) end?.(facts);
    const { requested, tally, misfits, notSent } = counter.finish(facts);
    if (!without.includes('END')) for (const misfit of misfits) findings.misfit(misfit, endedAt);
    const { violations } = findings;
    return {
      violations,
      requested,
      tally,
      notSent,
      unsealed: facts.unsealed,
      events: observer.events,
      moves: states.moves(),
    };
  }

  return { observer, violations: findings.violations, finish };
}

interface Books {
  readonly slots: Slots;
  readonly extras: Extras;
  readonly states: States;
  readonly findings: Findings;
}

function beliefs(context: JudgeContext, { slots, extras, states, findings }: Books): Beliefs {
  return {
    // What S1 called undeclared stays so, even if it was declared afterwards.
    declaredExtras(recipient) {
      const declared = extras.ofRecipient(recipient);
      return declared > 0 && findings.hasFor('S1', [recipient, ...slots.laterOf(recipient)]) ? 0 : declared;
    },
    everUnknown: (recipient) =>
      states.everUnknown(recipient) || slots.laterOf(recipient).some((slot) => states.everUnknown(slot)),
    mayAssume: (recipient) => context.policyOf(recipient).onUnknown === 'assume-sent',
    storeForgot: () => states.epochs > 0,
  };
}

interface Readers {
  readonly slots: Slots;
  readonly checkers: readonly Checker[];
  readonly counter: Counter;
}

function readDeliveries({ deliveries, liveness }: EndFacts, { slots, checkers, counter }: Readers): void {
  const finals = checkers.flatMap(({ final }) => final ?? []);
  for (const delivery of deliveries) {
    const { id, recipient, generation } = delivery;
    const slot = generation > 0 && recipient >= 0 ? slots.generation(id, recipient) : slots.of(id);
    for (const final of finals) final(delivery, slot, liveness.endedAt);
    counter.delivery(delivery);
  }
}
