import type { AddRequest, NewDelivery, Target } from '@sendonce/core';
import { hashText } from '../kernel/draw.ts';
import type { Workload } from '../workload.ts';
import { TextTable } from './text-table.ts';

/** Recipients of one learned notification are numbered from a multiple of this. */
const NUMBERS_PER_NOTIFICATION = 100;

/**
 * Who is who: each requested recipient (of one notification, on one channel) has a *number*, which plans and reports call `r17`, and a
 * dense *slot* for arrays. A delivery id leads to its slot.
 */
export class Registry {
  /** Requested recipients. */
  size = 0;
  readonly #isDense: boolean;
  readonly #isKnown: boolean;
  readonly #numbers: number[] = [];
  readonly #slots = new Map<number, number>();
  /** Hash of the address that was asked for, by slot; 0: not asked for yet. */
  readonly #addresses: number[] = [];
  readonly #deliveries: TextTable;
  readonly #byAddress = new Map<number, number>();
  readonly #notifications = new Map<string, { index: number; count: number }>();
  #spill: number;

  constructor(workload: Workload) {
    const numbers = workload.known?.numbers ?? [];
    this.#isKnown = workload.known !== null;
    this.#isDense = this.#isKnown && numbers.every((number, at) => number === at);
    this.#deliveries = new TextTable(numbers.length);
    this.#spill = workload.publications * NUMBERS_PER_NOTIFICATION;
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
    if (slot >= 0) this.#addresses[slot] = hashText(to);
  }

  /** The producer publishes the notification, as the `index`th of the run. */
  announce(notificationId: string, index: number): void {
    if (!this.#notifications.has(notificationId)) this.#notifications.set(notificationId, { index, count: 0 });
  }

  /** Deliveries are being made: from now on their ids lead to their recipients. */
  learn({ notificationId, deliveries }: AddRequest): void {
    for (const delivery of deliveries) if (this.#deliveries.get(delivery.id) < 0) this.#learn(notificationId, delivery);
  }

  /** A next generation of a delivery belongs to the same recipient. */
  learnGeneration(id: string, replaces: string): void {
    const slot = this.slotOfDelivery(replaces);
    if (slot >= 0) this.#deliveries.add(id, slot);
  }

  /** -1: nobody asked for it. */
  slotOfDelivery(id: string): number {
    return this.#deliveries.get(id);
  }

  /** Whose mailbox a message lands in: the address decides, whatever delivery the sender names. -1: nobody asked for it. */
  slotOfMessage(deliveryId: string, to: string): number {
    const hash = hashText(to);
    const slot = this.slotOfDelivery(deliveryId);
    if (slot >= 0 && this.#addresses[slot] === hash) return slot;
    return this.#slotOfAddress(hash);
  }

  #learn(notificationId: string, { id, target }: NewDelivery): void {
    const slot = this.#isKnown ? this.slotOf(numberIn(target)) : this.#slotFor(notificationId, target);
    if (slot >= 0) this.#deliveries.add(id, slot);
  }

  #slotFor(notificationId: string, { to }: Target): number {
    const notification = this.#notifications.get(notificationId);
    if (notification === undefined) return -1;
    const position = notification.count++;
    const number =
      position < NUMBERS_PER_NOTIFICATION ? notification.index * NUMBERS_PER_NOTIFICATION + position : this.#spill++;
    const slot = this.#addSlot(number);
    this.#addresses[slot] = hashText(to);
    return slot;
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
    if (this.#byAddress.size < this.#addresses.length)
      this.#addresses.forEach((address, slot) => this.#byAddress.set(address, slot));
    return this.#byAddress.get(hash) ?? -1;
  }
}

function numberIn({ data }: Target): number {
  const { number } = data;
  return typeof number === 'number' ? number : -1;
}
