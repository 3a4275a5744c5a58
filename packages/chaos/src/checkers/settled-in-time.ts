import { isSettled } from '@sendonce/core';
import type { Checker, CheckerContext } from './checker.ts';
import type { EndFacts, FinalDelivery } from './facts.ts';

/**
 * L2: all is settled within the bound after the heal point. L3: the same by one healthy core, while the rest stays broken. A run ends
 * when all is settled, when nothing is left to happen, or at its bound: so what is unsettled then stays so.
 */
export function settledInTime(context: CheckerContext): Checker {
  const open: { readonly delivery: FinalDelivery; readonly slot: number }[] = [];
  let settledAt = 0;
  let settledSlot = -1;

  function end({ liveness }: EndFacts): void {
    const { phase, healedAt, endedAt, boundMs, unfinished } = liveness;
    // It had no time to settle: that is a livelock, and L4 says so.
    if (liveness.outOfEvents !== undefined) return;
    const invariant = phase === 'core' ? 'L3' : 'L2';
    const report = (at: number, slot: number, deliveryId: string | null, message: string): void =>
      context.report({ invariant, at, slot, deliveryId, message });
    if (settledAt > healedAt + boundMs)
      report(
        settledAt,
        settledSlot,
        null,
        `settled ${settledAt - healedAt} ms after the heal point; the bound is ${boundMs} ms`,
      );
    const since = `${endedAt - healedAt} ms after the heal point`;
    for (const { delivery, slot } of open) report(endedAt, slot, delivery.id, `still ${delivery.state} ${since}`);
    for (const { notificationId, state } of unfinished)
      report(endedAt, -1, null, `notification ${notificationId} is still ${state} ${since}`);
  }

  return {
    invariants: ['L2', 'L3'],
    on: {
      settle({ at, verdict }, slot) {
        if (verdict.kind !== 'settled' || !isSettled(verdict.state)) return;
        settledAt = at;
        settledSlot = slot;
      },
    },
    final(delivery, slot) {
      if (!isSettled(delivery.state)) open.push({ delivery, slot });
    },
    end,
  };
}
