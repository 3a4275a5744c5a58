import type { ItemResult, ReceivedWake, Wake } from '@sendonce/core';
import type { Entry, Instant } from '../kernel/agenda.ts';
import { draw, hashText } from '../kernel/draw.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Life } from '../kernel/process.ts';

const HIDING = hashText('hiding');

/** A stored message. */
interface Message {
  readonly id: string;
  readonly seq: number;
  readonly enqueuedAt: number;
  receives: number;
  /** Of the last time it was handed out. */
  receipt: string;
  /** While it is hidden: what will show it again. */
  hiding: Hiding | null;
}

/** A receive that waits for messages. */
export interface Receive {
  readonly max: number;
  readonly waitMs: number;
  /** The caller has hung up. */
  cancelled: boolean;
}

interface Waiter {
  readonly receive: Receive;
  readonly life: Life;
  readonly answer: (wakes: readonly ReceivedWake[]) => void;
  deadline: Entry | null;
}

export const OK: ItemResult = { ok: true };
const STALE: ItemResult = { ok: false, error: 'the receipt is stale' };

/** A queue in virtual time: at least once, first in first out while nothing goes wrong. The faults that spoil it are its methods too. */
export class SimulatedQueue {
  readonly #kernel: Kernel;
  readonly #visibilityMs: number;
  readonly #messages = new Map<number, Message>();
  #ready: Message[] = [];
  #readyFrom = 0;
  #waiters: Waiter[] = [];
  #nextSeq = 0;
  /** Called for each message handed out. */
  onReceive: ((wake: ReceivedWake, life: Life) => void) | null = null;

  constructor(kernel: Kernel, visibilityMs: number) {
    this.#kernel = kernel;
    this.#visibilityMs = visibilityMs;
  }

  get depth(): number {
    return this.#messages.size;
  }

  /** The ids of all stored messages. */
  *ids(): Generator<string> {
    for (const { id } of this.#messages.values()) yield id;
  }

  enqueue(wakes: readonly Wake[], delayMs: number): readonly ItemResult[] {
    for (const { id } of wakes) {
      const message: Message = {
        id,
        seq: this.#nextSeq++,
        enqueuedAt: this.#kernel.now,
        receives: 0,
        receipt: '',
        hiding: null,
      };
      this.#messages.set(message.seq, message);
      if (delayMs > 0) this.#hide(message, delayMs);
      else this.#ready.push(message);
    }
    this.#serve();
    return wakes.map(() => OK);
  }

  receive(receive: Receive, life: Life): readonly ReceivedWake[] | Promise<readonly ReceivedWake[]> {
    if (receive.cancelled) return [];
    const taken = this.#take(receive.max, life);
    if (taken.length > 0 || receive.waitMs <= 0) return taken;
    return new Promise((answer) => {
      const waiter: Waiter = { receive, life, answer, deadline: null };
      const deadline = new Deadline(this.#kernel, life, () => this.#dismiss(waiter));
      waiter.deadline = deadline;
      this.#kernel.schedule(Math.ceil(receive.waitMs), deadline);
      this.#waiters.push(waiter);
    });
  }

  /** The caller hung up: its place among the waiting is free. */
  hangUp(receive: Receive): void {
    receive.cancelled = true;
    const waiter = this.#waiters.find((waiting) => waiting.receive === receive);
    if (waiter !== undefined) this.#dismiss(waiter);
  }

  ack(batch: readonly ReceivedWake[]): readonly ItemResult[] {
    return batch.map((wake) => {
      const message = this.#messages.get(seqOf(wake));
      if (message === undefined) return OK;
      if (!this.#isHeld(message, wake)) return STALE;
      this.#unhide(message);
      this.#messages.delete(message.seq);
      return OK;
    });
  }

  release(batch: readonly ReceivedWake[], delayMs: number): readonly ItemResult[] {
    const results = batch.map((wake) => this.#rehide(wake, delayMs));
    this.#serve();
    return results;
  }

  extend(batch: readonly ReceivedWake[], leaseMs: number): readonly ItemResult[] {
    return batch.map((wake) => this.#rehide(wake, leaseMs));
  }

  // ---- what goes wrong ------------------------------------------------------------------------------------------------------

  /** Messages in flight become visible as if their time had run out, and are handed out again. */
  redeliver(wakes: readonly ReceivedWake[]): void {
    for (const wake of wakes) {
      const message = this.#messages.get(seqOf(wake));
      if (message !== undefined && message.hiding !== null) this.#show(message);
      // Acked already: an at-least-once queue may still have a copy.
      else if (message === undefined) this.enqueue([{ id: wake.id }], 0);
    }
    this.#serve();
  }

  /** Messages stay hidden for this much longer than asked. */
  hideLonger(wakes: readonly ReceivedWake[], ms: number): void {
    for (const wake of wakes) {
      const message = this.#messages.get(seqOf(wake));
      if (message !== undefined) this.#hide(message, ms);
    }
  }

  /** Puts the waiting messages into another order. */
  shuffle(rankOf: (index: number) => number): void {
    const waiting = this.#ready.slice(this.#readyFrom);
    const order = waiting.map((message, index) => ({ message, rank: rankOf(index) }));
    order.sort((a, b) => a.rank - b.rank);
    this.#ready = order.map(({ message }) => message);
    this.#readyFrom = 0;
  }

  /** Forgets every message; answers how many. */
  wipe(): number {
    const forgotten = this.#messages.size;
    for (const message of this.#messages.values()) this.#unhide(message);
    this.#messages.clear();
    this.#ready = [];
    this.#readyFrom = 0;
    return forgotten;
  }

  // ---- the works ------------------------------------------------------------------------------------------------------------

  #take(max: number, life: Life): readonly ReceivedWake[] {
    const taken: ReceivedWake[] = [];
    while (taken.length < max && this.#readyFrom < this.#ready.length) {
      const message = this.#ready[this.#readyFrom++] as Message;
      if (message.hiding !== null || this.#messages.get(message.seq) !== message) continue;
      message.receives++;
      message.receipt = receiptOf(message);
      this.#hide(message, this.#visibilityMs);
      const { id, receipt, receives } = message;
      const wake = { id, receipt, receives, ageMs: this.#kernel.now - message.enqueuedAt };
      taken.push(wake);
      this.onReceive?.(wake, life);
    }
    this.#compact();
    return taken;
  }

  #compact(): void {
    if (this.#readyFrom === this.#ready.length) {
      if (this.#readyFrom > 0) this.#ready = [];
      this.#readyFrom = 0;
    } else if (this.#readyFrom > 1_024 && this.#readyFrom * 2 > this.#ready.length) {
      this.#ready = this.#ready.slice(this.#readyFrom);
      this.#readyFrom = 0;
    }
  }

  /** Hands out what is ready to those that wait; who died or hung up is passed over. */
  #serve(): void {
    while (this.#waiters.length > 0 && this.#readyFrom < this.#ready.length) {
      const waiter = this.#waiters[0] as Waiter;
      if (!waiter.life.alive) {
        this.#leave(waiter);
        continue;
      }
      const wakes = this.#take(waiter.receive.max, waiter.life);
      if (wakes.length === 0) return;
      this.#leave(waiter);
      waiter.answer(wakes);
    }
  }

  #dismiss(waiter: Waiter): void {
    this.#leave(waiter);
    waiter.answer([]);
  }

  #leave(waiter: Waiter): void {
    this.#waiters = this.#waiters.filter((waiting) => waiting !== waiter);
    if (waiter.deadline !== null) this.#kernel.cancel(waiter.deadline);
  }

  #isHeld(message: Message, wake: ReceivedWake): boolean {
    return message.hiding !== null && wake.receipt === message.receipt;
  }

  #rehide(wake: ReceivedWake, ms: number): ItemResult {
    const message = this.#messages.get(seqOf(wake));
    if (message === undefined || !this.#isHeld(message, wake)) return STALE;
    if (ms > 0) this.#hide(message, ms);
    else this.#show(message);
    return OK;
  }

  #hide(message: Message, ms: number): void {
    this.#unhide(message);
    const rank = draw(this.#kernel.seed, HIDING, message.seq, message.receives);
    const hiding = new Hiding(rank, message, this.#reveal);
    message.hiding = hiding;
    this.#kernel.schedule(Math.max(1, Math.ceil(ms)), hiding);
  }

  // Made once: each message of each delivery is hidden.
  readonly #reveal = (hiding: Hiding): void => {
    if (hiding.message.hiding !== hiding) return;
    this.#show(hiding.message);
    this.#serve();
  };

  #unhide(message: Message): void {
    if (message.hiding !== null) this.#kernel.cancel(message.hiding);
    message.hiding = null;
  }

  #show(message: Message): void {
    this.#unhide(message);
    this.#ready.push(message);
  }
}

/** What makes a hidden message visible again; cancelled when it is acked before. */
class Hiding implements Entry {
  readonly rank: number;
  cancelled = false;
  instant: Instant | null = null;
  readonly message: Message;
  readonly #reveal: (hiding: Hiding) => void;

  constructor(rank: number, message: Message, reveal: (hiding: Hiding) => void) {
    this.rank = rank;
    this.message = message;
    this.#reveal = reveal;
  }

  fire(): void {
    this.#reveal(this);
  }
}

class Deadline implements Entry {
  readonly rank: number;
  cancelled = false;
  instant: Instant | null = null;
  readonly fire: () => void;

  constructor(kernel: Kernel, life: Life, dismiss: () => void) {
    this.rank = draw(kernel.seed, HIDING, life.process.hash, life.epoch);
    this.fire = dismiss;
  }
}

function receiptOf({ seq, receives }: Message): string {
  return `${seq}.${receives}`;
}

function seqOf({ receipt }: ReceivedWake): number {
  return Number(receipt.slice(0, receipt.indexOf('.')));
}
