import type { Checker, CheckerContext } from './checker.ts';

/** L5: no lease is older than twice itself: when one has run out, somebody takes over. */
export function leases(context: CheckerContext): Checker {
  return {
    invariants: ['L5'],
    on: {},
    end({ liveness: { leases: held, endedAt } }) {
      for (const { id, leaseUntil, leaseMs } of held) {
        if (endedAt - leaseUntil <= leaseMs) continue;
        const slot = context.slots.of(id);
        const message = `leased for ${leaseMs} ms until ${leaseUntil}, and nobody has taken over by ${endedAt}`;
        context.report({ invariant: 'L5', at: endedAt, slot, deliveryId: slot < 0 ? null : id, message });
      }
    },
  };
}
