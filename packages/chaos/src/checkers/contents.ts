import { hashText } from '../kernel/draw.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** S7: nothing is delivered that was not asked for; it arrives at the frozen target, with the content that the first mark froze. */
export function contents(context: CheckerContext): Checker {
  const { slots } = context;
  const target = context.column('u32');
  const frozen = context.column('u32');

  return {
    invariants: ['S7'],
    made(delivery, slot) {
      if (target.get(slot) === 0) target.set(slot, hashText(delivery.target.to));
    },
    on: {
      replay({ verdict }, slot) {
        if (verdict.kind === 'replayed') target.set(slots.of(verdict.id), target.get(slot));
      },
      mark({ verdict }, slot) {
        if (verdict.kind === 'go' && frozen.get(slot) === 0)
          frozen.set(slot, hashText(context.bodyOf(verdict.message)));
      },
      provider({ at, outcome, deliveryId, provider, to, body }, slot) {
        if (outcome !== 'accepted') return;
        const report = (message: string): void => context.report({ invariant: 'S7', at, slot, deliveryId, message });
        if (slots.recipientOf(slot) < 0) return report(`${provider} took a message that nobody asked for`);
        const asked = target.get(slot);
        if (asked !== 0 && asked !== hashText(to))
          return report(`${provider} took a message to another address than the frozen one`);
        const kept = frozen.get(slot);
        if (kept !== 0 && kept !== hashText(body))
          report(`${provider} took other content than the mark had frozen for this delivery`);
      },
    },
  };
}
