import type { Attempts } from './attempts.ts';
import type { Causes } from './causes.ts';
import { policyFacts, type JudgeContext } from './context.ts';
import type { Handlers } from './handlers.ts';
import type { Slots } from './slots.ts';

export interface ExtrasBooks {
  readonly slots: Slots;
  readonly attempts: Attempts;
  readonly causes: Causes;
}

/**
 * How many messages beyond the first were declared before they could happen: by marks under a declaration that a fault gave cause for,
 * and by replays that a person asked for.
 */
export class Extras {
  readonly on: Handlers = {
    reconcile: ({ request, verdict }, slot) => {
      if (verdict.kind === 'moved' && request.decision.kind === 'declare' && !this.#causes.isExcused(slot))
        this.#causeless.add(slot);
    },
    replay: ({ process, request, verdict }, slot) => {
      if (this.#causes.isOwnProcess(process) && !request.automatic) return;
      if (verdict.kind !== 'replayed' || !(verdict.possibleDuplicate || request.forced)) return;
      const recipient = this.#slots.recipientOf(slot);
      this.#replays.set(recipient, (this.#replays.get(recipient) ?? 0) + 1);
    },
  };
  readonly #policyOf: JudgeContext['policyOf'];
  readonly #slots: Slots;
  readonly #attempts: Attempts;
  readonly #causes: Causes;
  /** Declared though nothing can have hidden an outcome. */
  readonly #causeless = new Set<number>();
  readonly #replays = new Map<number, number>();

  constructor(context: JudgeContext, { slots, attempts, causes }: ExtrasBooks) {
    this.#policyOf = (recipient) => context.policyOf(recipient);
    this.#slots = slots;
    this.#attempts = attempts;
    this.#causes = causes;
  }

  /** 0 where the policy allows no declaration or nothing gave cause for one, whatever was written down. */
  ofDelivery(slot: number): number {
    const extras = this.#attempts.extras(slot);
    if (extras === 0 || this.#causeless.has(slot)) return 0;
    const { resend, failover } = policyFacts(this.#policyOf(this.#slots.recipientOf(slot)));
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
