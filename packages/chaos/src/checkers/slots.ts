import { kindOf } from '@sendonce/core';

/**
 * Where in the columns a delivery has its place. Generation 0 of recipient n has slot n; later generations, and deliveries that nobody
 * asked for, get the slots behind.
 */
export class Slots {
  readonly #recipients: number;
  readonly #indexOf: (deliveryId: string) => number;
  readonly #others = new Map<string, number>();
  readonly #recipientOfOther: number[] = [];

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

  /** The slot of a delivery that is another generation of this recipient's. A second call finds the same slot. */
  generation(id: string, recipient: number): number {
    return this.#others.get(id) ?? this.#add(id, recipient);
  }

  #add(id: string, recipient: number): number {
    const slot = this.size;
    this.#others.set(id, slot);
    this.#recipientOfOther.push(recipient);
    return slot;
  }
}

/** Small numbers for names that come again and again: processes, providers. */
export class Names {
  readonly #numbers = new Map<string, number>();
  #lastName = '';
  #lastNumber = -1;

  /** 1 for the first name, 2 for the next, ... so that 0 stays "none" in a column. */
  of(name: string): number {
    if (name === this.#lastName) return this.#lastNumber;
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(name, number);
    }
    this.#lastName = name;
    this.#lastNumber = number;
    return number;
  }
}
