import type { AddRequest, NewDelivery, Target } from '@sendonce/core';
import { Column } from '../checkers/column.ts';
import { hashText } from '../kernel/draw.ts';
import type { Workload } from '../workload.ts';
import { TextTable } from './text-table.ts';

/** Recipients of one learned notification are numbered from a multiple of this. */
const NUMBERS_PER_NOTIFICATION = 100;
/** Later notifications, and later recipients of one, share what is behind: it would be mostly holes. */
const NUMBERED_NOTIFICATIONS = 10_000;

/** A recipient that nobody knew beforehand. */
export interface Learned {
  readonly notificationId: string;
  /** Index of its publication. */
  readonly publication: number;
  readonly target: Target;
}

/**
 * Who is who: each requested recipient (of one notification, on one channel) has a *number*, which plans and reports call `r17`, and a
 * dense *slot* for arrays. A delivery id leads to its slot.
 */
export class Registry {
  /** Requested recipients. */
  size = 0;
  readonly #learned: Learned[] = [];
  readonly #isDense: boolean;
  readonly #isKnown: boolean;
  readonly #numbers: number[] = [];
  readonly #slots = new Map<number, number>();
  /** Hash of the address that was asked for, by slot; 0: not asked for yet. */
  readonly #addresses: Column;
  /** Sends that named a delivery of this recipient, by slot. */
  readonly #sends: Column;
  readonly #deliveries: TextTable;
  /** Ids of deliberate repeats. */
  readonly #generations = new TextTable(0);
  readonly #byAddress = new Map<number, number>();
  readonly #notifications = new Map<string, { index: number; count: number }>();
  /** One more than the highest number that is set apart; learned recipients beyond have every second number from here. */
  readonly reserved: number;
  #spill: number;

  constructor(workload: Workload) {
    const numbers = workload.known?.numbers ?? [];
    this.#isKnown = workload.known !== null;
    this.#isDense = this.#isKnown && numbers.every((number, at) => number === at);
    this.#deliveries = new TextTable(numbers.length);
    this.reserved = this.#isKnown
      ? numbers.reduce((most, number) => Math.max(most, number), -1) + 1
      : Math.min(workload.publications, NUMBERED_NOTIFICATIONS) * NUMBERS_PER_NOTIFICATION;
    this.#spill = this.reserved;
    this.#addresses = new Column('u32', numbers.length);
    this.#sends = new Column('u16', numbers.length);
    for (const number of numbers) this.#addSlot(number);
  }

  numberOf(slot: number): number {
    return this.#isDense ? slot : (this.#numbers[slot] as number);
  }

  /** -1: not requested. */
  slotOf(number: number): number {
    if (this.#isDense) return number < this.size ? number : -1;
    return this.#slots.get(number) ?? -1;
  }

  /** The producer asks for this recipient: from now on a message to that address is not a phantom. */
  expect(number: number, to: string): void {
    const slot = this.slotOf(number);
    // A double that is written otherwise is merged into the first.
    if (slot >= 0 && this.#addresses.get(slot) === 0) this.#addresses.set(slot, addressHash(to));
  }

  /** The producer publishes the notification, as the `index`th of the run. */
  announce(notificationId: string, index: number): void {
    if (!this.#notifications.has(notificationId)) this.#notifications.set(notificationId, { index, count: 0 });
  }

  /** Which publication of the run a notification is; null: none. */
  publicationOf(notificationId: string): number | null {
    return this.#notifications.get(notificationId)?.index ?? null;
  }

  /** Deliveries are being made: from now on their ids lead to their recipients. */
  learn({ notificationId, deliveries }: AddRequest): void {
    for (const delivery of deliveries) this.#learn(notificationId, delivery);
  }

  /** A next generation of a delivery belongs to the same recipient. */
  learnGeneration(id: string, replaces: string): void {
    const slot = this.slotOfDelivery(replaces);
    if (slot >= 0) this.#generations.add(id, slot);
  }

  /** -1: nobody asked for it. */
  slotOfDelivery(id: string): number {
    const slot = this.#deliveries.get(id);
    return slot >= 0 || this.#generations.size === 0 ? slot : this.#generations.get(id);
  }

  /** The slot of a first generation's recipient; -1 for any other id. */
  firstSlotOf(id: string): number {
    return this.#deliveries.get(id);
  }

  /** The number of a first generation's recipient; -1 for any other id. */
  firstNumberOf(id: string): number {
    const slot = this.#deliveries.get(id);
    return slot < 0 ? -1 : this.numberOf(slot);
  }

  /** Every requested recipient. */
  *numbers(): Generator<number> {
    for (let slot = 0; slot < this.size; slot++) yield this.numberOf(slot);
  }

  /** What was learned about a recipient; null: it was known beforehand. */
  learnedOf(number: number): Learned | null {
    return this.#learned[this.slotOf(number)] ?? null;
  }

  /** Whose mailbox a message lands in: the address decides, whatever recipient the sender named. -1: nobody asked for it. */
  slotOfMessage(named: number, to: string): number {
    const hash = addressHash(to);
    if (named >= 0 && this.#addresses.get(named) === hash) return named;
    return this.#slotOfAddress(hash);
  }

  /** Counts a send for the recipient; answers how many there were before. */
  nextSend(slot: number): number {
    const before = this.#sends.get(slot);
    this.#sends.set(slot, before + 1);
    return before;
  }

  #learn(notificationId: string, { id, target }: NewDelivery): void {
    if (!this.#isKnown && this.#deliveries.get(id) >= 0) return;
    const slot = this.#isKnown ? this.slotOf(numberIn(target)) : this.#slotFor(notificationId, target);
    if (slot >= 0) this.#deliveries.add(id, slot);
  }

  #slotFor(notificationId: string, target: Target): number {
    const notification = this.#notifications.get(notificationId);
    if (notification === undefined) return -1;
    const slot = this.#addSlot(this.#nextNumber(notification));
    this.#addresses.set(slot, addressHash(target.to));
    this.#learned[slot] = { notificationId, publication: notification.index, target };
    return slot;
  }

  #nextNumber(notification: { readonly index: number; count: number }): number {
    const position = notification.count++;
    if (position < NUMBERS_PER_NOTIFICATION && notification.index < NUMBERED_NOTIFICATIONS)
      return notification.index * NUMBERS_PER_NOTIFICATION + position;
    const number = this.#spill;
    this.#spill += 2;
    return number;
  }

  #addSlot(number: number): number {
    const slot = this.size++;
    if (this.#isDense) return slot;
    this.#numbers.push(number);
    this.#slots.set(number, slot);
    return slot;
  }

  /** Only a mix-up or a phantom asks, so it is made when it does. */
  #slotOfAddress(hash: number): number {
    if (this.#byAddress.size < this.size)
      for (let slot = 0; slot < this.size; slot++) this.#byAddress.set(this.#addresses.get(slot), slot);
    return this.#byAddress.get(hash) ?? -1;
  }
}

/** Never 0: that marks an address that nobody asked for. */
function addressHash(to: string): number {
  return hashText(to) || 1;
}

function numberIn({ data }: Target): number {
  const { number } = data;
  return typeof number === 'number' ? number : -1;
}
