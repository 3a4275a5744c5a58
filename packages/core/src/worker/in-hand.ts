import type { Granted } from '../stages/deliver.ts';
import type { Leases } from './leases.ts';
import type { Slots } from './slots.ts';

interface Hold {
  /** When it was granted. */
  readonly since: number;
  /** With a slot; `aside` without one, for its content takes its time; or with a slot and a mark, for it may be marked by now. */
  has: 'slot' | 'aside' | 'mark';
}

/** What is granted, and neither given back nor on its way: its lease, its slot and its mark are ours to end. */
export class InHand {
  readonly #leases: Leases;
  readonly #slots: Slots;
  readonly #marks: Slots;
  readonly #items = new Map<Granted, Hold>();
  readonly #aside = new Map<string, number>();

  constructor(leases: Leases, { slots, marks }: { readonly slots: Slots; readonly marks: Slots }) {
    this.#leases = leases;
    this.#slots = slots;
    this.#marks = marks;
  }

  /** Its slot is taken already. */
  hold(item: Granted, since: number): void {
    this.#leases.hold(item.record.id, item.fence);
    this.#items.set(item, { since, has: 'slot' });
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
      if (hold?.has !== 'slot') continue;
      hold.has = 'aside';
      this.#count(item, 1);
      count += 1;
    }
    this.#slots.give(count);
  }

  /** How many of these, from the first one on, may be marked now. What is set aside waits for slots; none once the signal has aborted. */
  async seat(items: readonly Granted[], signal: AbortSignal): Promise<number> {
    const most = await this.#takeIn(items, signal);
    // All of them or none: each has a slot, so there is room for all as soon as what has given its slot back is durable.
    const count = await this.#marks.takeBack({ least: most, most }, signal);
    this.#marks.give(count - this.#hand(items.slice(0, count), 'mark'));
    return count;
  }

  /** Notes what these have now, and says how many there are still: a fault beside them may have let them go while they waited. */
  #hand(items: readonly Granted[], has: 'slot' | 'mark'): number {
    let count = 0;
    for (const item of items) {
      const hold = this.#items.get(item);
      if (hold === undefined) continue;
      if (hold.has === 'aside') this.#count(item, -1);
      hold.has = has;
      count += 1;
    }
    return count;
  }

  async #takeIn(items: readonly Granted[], signal: AbortSignal): Promise<number> {
    const aside = items.filter((item) => this.#items.get(item)?.has === 'aside');
    if (aside.length === 0) return items.length;
    const count = await this.#slots.takeBack({ least: 1, most: aside.length }, signal);
    this.#slots.give(count - this.#hand(aside.slice(0, count), 'slot'));
    return count;
  }

  /** Ends what is still in hand of these: no lease is renewed, and no slot or mark kept, for what nobody works on. */
  letGo(items: readonly Granted[]): void {
    let slots = 0;
    let marks = 0;
    for (const item of items) {
      const hold = this.#items.get(item);
      if (hold === undefined) continue;
      this.gone(item);
      if (hold.has === 'aside') this.#count(item, -1);
      else slots += 1;
      if (hold.has === 'mark') marks += 1;
    }
    this.#slots.give(slots);
    this.#marks.give(marks);
  }

  /** It is on its way: its slot comes back with the answer, its mark when that is durable. */
  gone(item: Granted): void {
    this.#items.delete(item);
    this.#leases.drop(item.record.id, item.fence);
  }

  #count({ record: { type } }: Granted, by: number): void {
    this.#aside.set(type, this.aside(type) + by);
  }
}
