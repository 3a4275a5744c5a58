import type { Granted } from '../stages/deliver.ts';
import type { Leases } from './leases.ts';
import type { Slots } from './slots.ts';

interface Hold {
  /** When it was granted. */
  readonly since: number;
  /** Without a slot it is set aside: its content takes its time. */
  hasSlot: boolean;
}

/** What is granted, and neither given back nor on its way: its lease and, unless it is set aside, its slot are ours to end. */
export class InHand {
  readonly #leases: Leases;
  readonly #slots: Slots;
  readonly #items = new Map<Granted, Hold>();
  readonly #aside = new Map<string, number>();

  constructor(leases: Leases, slots: Slots) {
    this.#leases = leases;
    this.#slots = slots;
  }

  /** Its slot is taken already. */
  hold(item: Granted, since: number): void {
    this.#leases.hold(item.record.id, item.fence);
    this.#items.set(item, { since, hasSlot: true });
  }

  has(item: Granted): boolean {
    return this.#items.has(item);
  }

  /** How many of this type are set aside. */
  aside(type: string): number {
    return this.#aside.get(type) ?? 0;
  }

  get size(): number {
    return this.#items.size;
  }

  /** When the oldest of them was granted; Infinity: there is none. */
  get oldest(): number {
    let least = Infinity;
    for (const { since } of this.#items.values()) least = Math.min(least, since);
    return least;
  }

  /** Gives their slots to others, and keeps their leases. */
  setAside(items: readonly Granted[]): void {
    let count = 0;
    for (const item of items) {
      const hold = this.#items.get(item);
      if (hold?.hasSlot !== true) continue;
      hold.hasSlot = false;
      this.#count(item, 1);
      count += 1;
    }
    this.#slots.give(count);
  }

  /** How many of these, from the first one on, have slots now. What is set aside waits for some; none once the signal has aborted. */
  async seat(items: readonly Granted[], signal: AbortSignal): Promise<number> {
    const aside = items.filter((item) => this.#items.get(item)?.hasSlot === false);
    if (aside.length === 0) return items.length;
    const count = await this.#slots.takeBack(aside.length, signal);
    for (const item of aside.slice(0, count)) {
      this.#items.get(item)!.hasSlot = true;
      this.#count(item, -1);
    }
    return count;
  }

  /** Ends what is still in hand of these: no lease is renewed, and no slot kept, for what nobody works on. */
  letGo(items: readonly Granted[]): void {
    let count = 0;
    for (const item of items) {
      const hold = this.#items.get(item);
      if (hold === undefined) continue;
      this.gone(item);
      if (hold.hasSlot) count += 1;
      else this.#count(item, -1);
    }
    this.#slots.give(count);
  }

  /** It is on its way: its slot comes back with its outcome. */
  gone(item: Granted): void {
    this.#items.delete(item);
    this.#leases.drop(item.record.id, item.fence);
  }

  #count({ record: { type } }: Granted, by: number): void {
    this.#aside.set(type, this.aside(type) + by);
  }
}
