import { isDeadLetter } from '@sendonce/core';
import type { Checker, CheckerContext } from './checker.ts';
import type { EndFacts } from './facts.ts';

/** S13: what is dead, failed or parked is a dead letter with a reason, and nothing else is. */
export function deadLetters(context: CheckerContext): Checker {
  const found = new Map<string, { readonly slot: number; readonly reason: string | null }>();

  function end({ deadLetters: shown, failedNotifications, liveness }: EndFacts): void {
    const at = liveness.endedAt;
    const due = new Map(found);
    for (const { notificationId, reason } of failedNotifications) due.set(notificationId, { slot: -1, reason });
    for (const [id, { slot, reason }] of due) {
      const report = (message: string): void =>
        context.report({ invariant: 'S13', at, slot, deliveryId: slot < 0 ? null : id, message });
      if (!shown.has(id)) report(`${id} gave up, and no dead letter shows it`);
      else if (reason === null || reason === '') report(`${id} gave up without a reason`);
    }
    for (const id of shown) {
      if (due.has(id)) continue;
      const slot = context.slots.of(id);
      context.report({
        invariant: 'S13',
        at,
        slot,
        deliveryId: slot < 0 ? null : id,
        message: `${id} is shown as a dead letter, and it did not give up`,
      });
    }
  }

  return {
    invariants: ['S13'],
    on: {},
    final({ id, state, reason }, slot) {
      if (isDeadLetter(state)) found.set(id, { slot, reason });
    },
    end,
  };
}
