import { isSettled } from '@sendonce/core';
import type { Checker, CheckerContext } from './checker.ts';
import type { EndFacts, FinalDelivery } from './facts.ts';

/** L4: no endless circle. After the heal point a delivery is claimed and reconciled a bounded number of times, and a run comes to its end. */
export function livelock(context: CheckerContext): Checker {
  const turns = context.column('u16');
  const { turnsAfterHeal } = context.knobs;
  let healed = false;
  const open: { readonly delivery: FinalDelivery; readonly slot: number }[] = [];

  function turn(at: number, slot: number, deliveryId: string): void {
    if (!healed || slot < 0 || turns.add(slot, 1) !== turnsAfterHeal + 1) return;
    const message = `taken up ${turnsAfterHeal + 1} times since the heal point without an end`;
    context.report({ invariant: 'L4', at, slot, deliveryId, message });
  }

  function end({ liveness: { outOfEvents, endedAt, unfinished } }: EndFacts): void {
    if (outOfEvents === undefined) return;
    const [first] = open;
    const state = first === undefined ? '' : `, this is still ${first.delivery.state}`;
    const rest = `${open.length} deliveries and ${unfinished.length} notifications are not settled`;
    const message = `the run goes round in circles: ended after ${outOfEvents} events and ${Math.round(endedAt / 1_000)} s${state}; ${rest}`;
    context.report({
      invariant: 'L4',
      at: endedAt,
      slot: first?.slot ?? -1,
      deliveryId: first?.delivery.id ?? null,
      message,
    });
  }

  return {
    invariants: ['L4'],
    on: {
      heal() {
        healed = true;
      },
      claim({ at, verdict }, slot) {
        if (verdict.kind === 'granted') turn(at, slot, verdict.id);
      },
      reconcile({ at, request, verdict }, slot) {
        if (verdict.kind === 'moved') turn(at, slot, request.id);
      },
    },
    final(delivery, slot) {
      if (!isSettled(delivery.state)) open.push({ delivery, slot });
    },
    end,
  };
}
