import { kindOf } from '@sendonce/core';

const NONE: readonly number[] = [];

/**
 * Where in the columns a delivery has its place. Generation 0 of recipient n has slot n; later generations, and deliveries that nobody
 * asked for, get the slots behind.
 */
export class Slots {
  readonly #recipients: number;
  readonly #indexOf: (deliveryId: string) => number;
  readonly #others = new Map<string, number>();
  readonly #recipientOfOther: number[] = [];
  readonly #later = new Map<number, number[]>();

  constructor(recipients: number, indexOf: (deliveryId: string) => number) {
    this.#recipients = recipients;
    this.#indexOf = indexOf;
  }

  /** One more than the highest slot in use. */
  get size(): number {
    return this.#recipients + this.#recipientOfOther.length;
  }

  /** -1 for a notification. */
  of(id: string): number {
    if (this.#others.size > 0) {
      const other = this.#others.get(id);
      if (other !== undefined) return other;
    }
    const index = this.#indexOf(id);
    if (index >= 0 && index < this.#recipients) return index;
    return kindOf(id) === 'notification' ? -1 : this.#add(id, -1);
  }

  /** -1: nobody asked for it. */
  recipientOf(slot: number): number {
    if (slot < this.#recipients) return slot;
    return this.#recipientOfOther[slot - this.#recipients] ?? -1;
  }

  /** The slots of a recipient's generations 1, 2, ... */
  laterOf(recipient: number): readonly number[] {
    return this.#later.size === 0 ? NONE : (this.#later.get(recipient) ?? NONE);
  }

  /** Gives a delivery a slot of its own as a later generation of this recipient. A second call finds the same slot. */
  generation(id: string, recipient: number): number {
    return this.#others.get(id) ?? this.#add(id, recipient);
  }

  #add(id: string, recipient: number): number {
    const slot = this.size;
    this.#others.set(id, slot);
    this.#recipientOfOther.push(recipient);
    if (recipient >= 0) this.#later.set(recipient, [...(this.#later.get(recipient) ?? NONE), slot]);
    return slot;
  }
}
