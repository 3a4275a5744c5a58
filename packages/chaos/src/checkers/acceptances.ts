import type { Checker, CheckerContext } from './checker.ts';

/**
 * S1: one acceptance per delivery, and per line of generations; one more for each possible duplicate that was written down before it
 * could happen: a mark under a declaration that the policy allows, or a generation whose replay said so.
 */
export function acceptances(context: CheckerContext): Checker {
  const { extras, slots } = context;
  const ofDelivery = context.column('u8');
  const ofRecipient = context.column('u8');

  return {
    invariants: ['S1'],
    on: {
      provider({ at, outcome, deliveryId, provider, attempt }, slot) {
        if (outcome !== 'accepted') return;
        const recipient = slots.recipientOf(slot);
        const count = ofDelivery.add(slot, 1);
        if (recipient < 0) return;
        const inAll = ofRecipient.add(recipient, 1);
        if (inAll === 1) return;
        if (count <= 1 + extras.ofDelivery(slot) && inAll <= 1 + extras.ofRecipient(recipient)) return;
        const message = `message ${inAll} to this recipient (attempt ${attempt} at ${provider}), and no possible duplicate was declared before it`;
        context.report({ invariant: 'S1', at, slot, deliveryId, message });
      },
    },
  };
}
