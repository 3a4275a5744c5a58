import { mix } from '../kernel/draw.ts';
import type { Checker, CheckerContext } from './checker.ts';
import type { EndFacts } from './facts.ts';

/** S11: the deliveries are the requested recipients, once each, and expanding a page again makes the same ones. */
export function children(context: CheckerContext): Checker {
  const { slots } = context;
  const made = context.column('u8');
  const found = context.column('u8');
  /** What each page was expanded to, by notification and page. */
  const pages = new Map<string, number>();
  let digest = 0;

  function missing(facts: EndFacts): void {
    const at = facts.liveness.endedAt;
    for (const recipient of facts.requested) {
      if (found.get(recipient) > 0 || facts.notMade(recipient) !== 'missing') continue;
      context.report({
        invariant: 'S11',
        at,
        slot: recipient,
        deliveryId: null,
        message: 'a requested recipient has no delivery',
      });
    }
  }

  return {
    invariants: ['S11'],
    made({ id, target }, slot, { at, request }, inserted) {
      digest = mix(digest ^ slot) + 1;
      if (!inserted) return;
      const again = made.get(slot) === 1;
      made.set(slot, 1);
      // Recipients that are learned as they come are looked up among those that their notification names.
      const isAsked =
        slots.recipientOf(slot) >= 0 &&
        (!context.isOpen || context.isAskedFor(request.notificationId, target) !== false);
      if (!again && isAsked) return;
      const message = again ? 'a delivery was made twice' : 'a delivery was made for a recipient that nobody asked for';
      context.report({ invariant: 'S11', at, slot, deliveryId: id, message });
    },
    on: {
      add({ at, request, verdict }) {
        const seen = digest;
        digest = 0;
        if (verdict.kind !== 'added' && verdict.kind !== 'repeated') return;
        const page = `${request.notificationId} ${request.page}`;
        const before = pages.get(page);
        if (before === undefined) pages.set(page, seen);
        else if (before !== seen)
          context.report({
            invariant: 'S11',
            at,
            slot: -1,
            deliveryId: null,
            message: `page ${request.page} of ${request.notificationId} was expanded to other recipients than before`,
          });
      },
      // What the store forgot may be made again.
      epoch: () => made.clear(),
    },
    final({ id, recipient, generation }, slot, at) {
      if (generation > 0 || recipient < 0) return;
      if (found.add(recipient, 1) === 2)
        context.report({
          invariant: 'S11',
          at,
          slot,
          deliveryId: id,
          message: 'a recipient has two deliveries of the first generation',
        });
    },
    end: missing,
  };
}
