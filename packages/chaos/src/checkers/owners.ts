import type { Checker, CheckerContext } from './checker.ts';

/** S4: between a mark and its outcome (or the end of its window, said by the sweeper) nobody else gets the delivery. */
export function owners(context: CheckerContext): Checker {
  const { attempts } = context;
  return {
    invariants: ['S4'],
    on: {
      claim({ at, owner, verdict }, slot) {
        if (verdict.kind !== 'granted' || !attempts.isInFlight(slot) || verdict.fence === attempts.lastFence(slot))
          return;
        const message = `${owner} was granted the delivery while attempt ${attempts.lastNumber(slot)} was marked and without an outcome`;
        context.report({ invariant: 'S4', at, slot, deliveryId: verdict.id, message });
      },
    },
  };
}
