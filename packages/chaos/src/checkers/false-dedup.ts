import { hashText, mix } from '../kernel/draw.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** S12: different things never collapse: two targets into one delivery, two generations into one, two deliveries into one key. */
export function falseDedup(context: CheckerContext): Checker {
  const { attempts } = context;
  const identity = context.column('u32');

  return {
    invariants: ['S12'],
    made({ id, target }, slot, { at }) {
      const { recipientId, channel, destinationId } = target;
      let hash = mix(hashText(recipientId) ^ channel.length ^ (channel.charCodeAt(0) << 8));
      if (destinationId !== '') hash = mix(hash + hashText(destinationId));
      const before = identity.get(slot);
      if (before === 0) identity.set(slot, hash);
      else if (before !== hash)
        context.report({
          invariant: 'S12',
          at,
          slot,
          deliveryId: id,
          message: 'two different targets became one delivery',
        });
    },
    on: {
      replay({ at, request, verdict }, slot) {
        if (verdict.kind === 'replayed' && verdict.id === request.id)
          context.report({
            invariant: 'S12',
            at,
            slot,
            deliveryId: request.id,
            message: 'a replay was given the delivery that it replaces',
          });
      },
      provider({ at, outcome, provider, deliveryId }, slot) {
        if (outcome !== 'same' || attempts.wasAcceptedAt(slot, provider)) return;
        const message = `${provider} took this message for one that it had, and had none of this delivery: its key is another delivery's`;
        context.report({ invariant: 'S12', at, slot, deliveryId, message });
      },
    },
  };
}
