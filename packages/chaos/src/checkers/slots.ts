import { kindOf } from '@sendonce/core';

const NONE: readonly number[] = [];

/**
 * Where in the columns a delivery has its place. Generation 0 of recipient n has slot n; later generations, and deliveries that nobody
 * asked for, get the slots behind. Where recipients are learned only as they come, nobody knows what is behind: recipients beyond the
 * first `recipients` have every second number there, and the others get the slots between.
 */
export class Slots {
  readonly #recipients: number;
  readonly #indexOf: (deliveryId: string) => number;
  readonly #isOpen: boolean;
  readonly #others = new Map<string, number>();
  readonly #recipientOfOther: number[] = [];
  readonly #later = new Map<number, number[]>();

  constructor(recipients: number, indexOf: (deliveryId: string) => number, isOpen: boolean = false) {
    this.#recipients = recipients;
    this.#isOpen = isOpen;
    this.#indexOf = indexOf;
  }

  /** Where the next slot behind the recipients is. */
  get size(): number {
    return this.#slotOfOther(this.#recipientOfOther.length);
  }

  /** -1 for a notification. */
  of(id: string): number {
    if (this.#others.size > 0) {
      const other = this.#others.get(id);
      if (other !== undefined) return other;
    }
    const index = this.#indexOf(id);
    if (index >= 0 && (index < this.#recipients || this.#isOpen)) return index;
    return kindOf(id) === 'notification' ? -1 : this.#add(id, -1);
  }

  /** -1: nobody asked for it. */
  recipientOf(slot: number): number {
    const behind = slot - this.#recipients;
    if (behind < 0) return slot;
    if (!this.#isOpen) return this.#recipientOfOther[behind] ?? -1;
    return behind % 2 === 0 ? slot : (this.#recipientOfOther[(behind - 1) / 2] ?? -1);
  }

  /** 0 for a recipient's first delivery. */
  generationOf(slot: number): number {
    const recipient = this.recipientOf(slot);
    return recipient === slot ? 0 : this.laterOf(recipient).indexOf(slot) + 1;
  }

  /** The slots of a recipient's generations 1, 2, ... */
  laterOf(recipient: number): readonly number[] {
    return this.#later.size === 0 ? NONE : (this.#later.get(recipient) ?? NONE);
  }

  /** Gives a delivery a slot of its own as a later generation of this recipient. A second call finds the same slot. */
  generation(id: string, recipient: number): number {
    return this.#others.get(id) ?? this.#add(id, recipient);
  }

  #slotOfOther(nth: number): number {
    return this.#recipients + (this.#isOpen ? 2 * nth + 1 : nth);
  }

  #add(id: string, recipient: number): number {
    const slot = this.#slotOfOther(this.#recipientOfOther.length);
    this.#others.set(id, slot);
    this.#recipientOfOther.push(recipient);
    if (recipient >= 0) this.#later.set(recipient, [...(this.#later.get(recipient) ?? NONE), slot]);
    return slot;
  }
}
