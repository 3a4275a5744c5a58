import type { MessageContent } from '@sendonce/core';
import { changeable, frozenCopy, isThenable } from '@sendonce/core/internal';
import { hashText } from '../kernel/draw.ts';
import type { EventOf } from '../history.ts';
import type { Checker, CheckerContext, Finding } from './checker.ts';

/** The hash of a content; `none`: the user's function throws. */
type Made = { readonly kind: 'body'; readonly body: string } | { readonly kind: 'none' };
type MadeNowOrLater = Made | Promise<Made> | null;

/**
 * S7: nothing is delivered that was not asked for: to the recipient's address, over its channel, with the content that its type makes
 * for it. The harness makes that content once more from its own inputs; where it cannot, the one that the first mark froze counts.
 */
export function contents(context: CheckerContext): Checker {
  const { slots } = context;
  const frozen = context.column('u32');
  /** What content that came later than its message showed. */
  const late: Finding[] = [];
  /** What content that is awaited came to: an object that comes twice is the function's own, filled again and again. */
  const seen = new WeakSet<object>();
  let isShared = false;

  function make(deliveryId: string, slot: number): MadeNowOrLater {
    const recipient = slots.recipientOf(slot);
    const of = { deliveryId, generation: slots.generationOf(slot) };
    try {
      const content = context.contentOf(recipient, context.targetOf(recipient), of);
      if (content === null) return null;
      if (!isThenable(content)) return bodyOf(content);
      return Promise.resolve(content).then(awaited, () => ({ kind: 'none' }) as const);
    } catch {
      return { kind: 'none' };
    }
  }

  /** Calls overlap here and with those of the workers, which such a function does not stand: what it fills is no proof of anything. */
  function awaited(content: MessageContent): Made {
    for (const object of changeable(content)) {
      isShared ||= seen.has(object);
      seen.add(object);
    }
    return bodyOf(content);
  }

  /** What a ledger keeps of it: JSON. The harness's own content is that already. */
  function bodyOf(content: MessageContent): Made {
    if (typeof content !== 'object' || content === null) return { kind: 'none' };
    try {
      return { kind: 'body', body: context.bodyOf(context.isOpen ? frozenCopy(content, 'content') : content) };
    } catch {
      return { kind: 'none' };
    }
  }

  function isFrozenOtherwise(slot: number, body: string): boolean {
    const kept = frozen.get(slot);
    return kept !== 0 && kept !== hashText(body);
  }

  function why(made: Made, again: Made, body: string): string | null {
    if (made.kind === 'none') return again.kind === 'none' ? 'although no content can be made for it' : null;
    if (made.body === body) return null;
    // Content that differs from call to call is no mix-up: that the run is not the same twice is said elsewhere.
    return again.kind === 'body' && again.body === made.body ? 'with other content than was asked for' : null;
  }

  async function compareLater(first: Promise<Made>, event: EventOf<'provider'>, slot: number): Promise<void> {
    const made = await first;
    const again = await make(event.deliveryId, slot);
    const wrong = again === null ? null : why(made, again, event.body);
    if (wrong !== null) late.push(finding(event, slot, wrong));
  }

  function whyWrong(event: EventOf<'provider'>, slot: number): string | null {
    const { deliveryId, body } = event;
    const made = make(deliveryId, slot);
    if (made !== null && !(made instanceof Promise)) {
      if (made.kind === 'body' && made.body === body) return null;
      const again = make(deliveryId, slot);
      const wrong = again === null || again instanceof Promise ? null : why(made, again, body);
      if (wrong !== null) return wrong;
    } else if (made !== null) void compareLater(made, event, slot);
    return isFrozenOtherwise(slot, body) ? 'with other content than the mark had frozen' : null;
  }

  function finding({ at, deliveryId, provider }: EventOf<'provider'>, slot: number, wrong: string): Finding {
    return { invariant: 'S7', at, slot, deliveryId, message: `${provider} took a message ${wrong}` };
  }

  function accepted(event: EventOf<'provider'>, slot: number): string | null {
    const recipient = slots.recipientOf(slot);
    if (recipient < 0) return 'that nobody asked for';
    const { to, channel } = context.targetOf(recipient);
    if (event.to !== to) return 'to another address than was asked for';
    if (event.channel !== channel) return `over ${event.channel}, and it was asked for over ${channel}`;
    return whyWrong(event, slot);
  }

  return {
    invariants: ['S7'],
    on: {
      mark({ verdict }, slot) {
        // Known recipients have content that the harness itself wrote, and can make again at any time.
        if (context.isOpen && verdict.kind === 'go' && frozen.get(slot) === 0)
          frozen.set(slot, hashText(context.bodyOf(verdict.message)));
      },
      provider(event, slot) {
        if (event.outcome !== 'accepted') return;
        const wrong = accepted(event, slot);
        if (wrong !== null) context.report(finding(event, slot, wrong));
      },
    },
    end() {
      if (!isShared) for (const each of late) context.report(each);
    },
  };
}
