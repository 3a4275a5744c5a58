import type { Attempts } from './attempts.ts';
import type { JudgeContext } from './context.ts';
import type { Handlers } from './handlers.ts';
import type { Slots } from './slots.ts';

/** How many messages beyond the first were declared before they could happen: by marks under a declaration, and by replays. */
export class Extras {
  readonly on: Handlers = {
    replay: ({ request, verdict }, slot) => {
      if (verdict.kind !== 'replayed' || !(verdict.possibleDuplicate || request.forced)) return;
      const recipient = this.#slots.recipientOf(slot);
      this.#replays.set(recipient, (this.#replays.get(recipient) ?? 0) + 1);
    },
  };
  readonly #policyOf: JudgeContext['policyOf'];
  readonly #slots: Slots;
  readonly #attempts: Attempts;
  readonly #replays = new Map<number, number>();

  constructor(context: JudgeContext, slots: Slots, attempts: Attempts) {
    this.#policyOf = (recipient) => context.policyOf(recipient);
    this.#slots = slots;
    this.#attempts = attempts;
  }

  /** 0 where the policy allows no declaration, whatever was written down. */
  ofDelivery(slot: number): number {
    const extras = this.#attempts.extras(slot);
    if (extras === 0) return 0;
    const { resend, failover } = this.#policyOf(this.#slots.recipientOf(slot));
    return resend || failover ? extras : 0;
  }

  /** Over all generations, and the generations themselves. */
  ofRecipient(recipient: number): number {
    let extras = this.ofDelivery(recipient);
    if (this.#replays.size > 0) extras += this.#replays.get(recipient) ?? 0;
    for (const slot of this.#slots.laterOf(recipient)) extras += this.ofDelivery(slot);
    return extras;
  }
}
