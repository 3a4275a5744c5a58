import { isSettled } from '@sendonce/core';
import type { Checker, CheckerContext } from './context.ts';
import type { EndFacts } from './facts.ts';

/** L7: a poison delivery is settled after a bounded number of claims. That it delays nobody else is L2's to say. */
export function poison(context: CheckerContext): Checker {
  const { poisonClaims } = context.knobs;
  const claims = context.column('u16');
  const open = new Set<number>();

  function end({ liveness }: EndFacts): void {
    for (const slot of liveness.poison) {
      const count = claims.get(slot);
      if (count <= poisonClaims) continue;
      const ended = open.has(slot) ? 'and is not settled' : 'before it was settled';
      const message = `a poison delivery was claimed ${count} times ${ended}; the bound is ${poisonClaims}`;
      context.report({ invariant: 'L7', at: liveness.endedAt, slot, deliveryId: null, message });
    }
  }

  return {
    invariants: ['L7'],
    on: {
      claim({ verdict }, slot) {
        if (verdict.kind === 'granted') claims.add(slot, 1);
      },
    },
    final({ state }, slot) {
      if (!isSettled(state)) open.add(slot);
    },
    end,
  };
}
