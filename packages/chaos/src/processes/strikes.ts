import { itemCount } from '../faults/carried.ts';
import type { Op } from '../faults/ops.ts';
import type { AcceptanceKill, CallFault, KillMoment } from '../plan.ts';
import type { Announcement, GateAnswer } from './gate.ts';
import type { Whose } from './scripts.ts';

/** Faults that strike a process itself, at a point that it announces. */
export const STRIKING = ['kill', 'kill-mid-batch', 'kill-loop', 'gone', 'pause', 'stop', 'poison'] as const;
export type Striking = (typeof STRIKING)[number];

/** A fault of a plan at a point of a worker. */
export interface Strike extends Pick<CallFault, 'nth' | 'phase'> {
  readonly index: number;
  readonly do: Striking;
  readonly op: Op;
  readonly whose: Whose;
  /** Of the run's clock. */
  readonly ms: number;
  readonly amount: number;
}

/** A kill that is addressed by a count. */
export interface CountedStrike extends Pick<AcceptanceKill, 'acceptance' | 'moment'> {
  readonly index: number;
  readonly ms: number;
}

/** What to do with a worker that stands at a point: let it go on, or strike it. */
export type Decision =
  | { readonly kind: 'answer'; readonly answer: GateAnswer }
  | { readonly kind: 'strike'; readonly strike: Strike }
  | { readonly kind: 'kill'; readonly counted: CountedStrike };

interface Armed {
  readonly strike: Strike;
  seen: number;
  isFired: boolean;
}

interface Waiting {
  readonly counted: CountedStrike;
  /** Whose acceptance it was, once that is known. */
  aim: string | null;
  isFired: boolean;
}

const GO: Decision = { kind: 'answer', answer: { kind: 'go' } };
const AFTER: Decision = { kind: 'answer', answer: { kind: 'after' } };

/** Holds a plan against what workers announce; counts as the simulator counts. Decides, and does nothing. */
export class Strikes {
  readonly #armed: readonly Armed[];
  readonly #waiting: readonly Waiting[];
  readonly #hasQueue: boolean;
  /** By worker and call: what strikes when that call was applied. */
  readonly #pending = new Map<string, Decision>();
  #sends = 0;

  constructor(plan: {
    readonly strikes: readonly Strike[];
    readonly counted: readonly CountedStrike[];
    readonly hasQueue: boolean;
  }) {
    this.#armed = plan.strikes.map((strike) => ({ strike, seen: 0, isFired: false }));
    this.#waiting = plan.counted.map((counted) => ({ counted, aim: null, isFired: false }));
    this.#hasQueue = plan.hasQueue;
  }

  /** The calls whose points workers have to announce. */
  get ops(): readonly Op[] {
    const counted = this.#waiting.flatMap(({ counted: { moment } }) => this.#opOf(moment) ?? []);
    return [...new Set([...this.#armed.map(({ strike }) => strike.op), ...counted])];
  }

  /** The provider took the nth message, and nobody knows yet. */
  accepted(acceptance: number, deliveryId: string): void {
    for (const waiting of this.#waiting) if (waiting.counted.acceptance === acceptance) waiting.aim = deliveryId;
  }

  decide(worker: string, announcement: Announcement): Decision {
    const key = `${worker} ${announcement.call}`;
    return announcement.phase === 'B'
      ? this.#before(worker, announcement, key)
      : this.#after(worker, announcement, key);
  }

  #before(worker: string, announcement: Announcement, key: string): Decision {
    const counted = this.#counted(announcement, key);
    if (counted !== null) return counted;
    for (const armed of this.#of(announcement.op)) {
      const { strike } = armed;
      if (announcement.ids === null && strike.whose.kind === 'delivery') {
        // Only the reply tells whom it is about.
        this.#pending.set(key, this.#pending.get(key) ?? AFTER);
        continue;
      }
      const item = itemIn(strike.whose, worker, announcement);
      if (item === null || !isNth(armed)) continue;
      armed.isFired = true;
      const hit: Decision = { kind: 'strike', strike };
      if (strike.do === 'kill-mid-batch') return this.#cut(key, hit, item < 0 ? half(announcement) : item);
      if (strike.phase !== 'A') return hit;
      this.#pending.set(key, hit);
    }
    return this.#pending.has(key) ? AFTER : GO;
  }

  #after(worker: string, announcement: Announcement, key: string): Decision {
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    if (pending !== undefined && pending.kind !== 'answer') return pending;
    for (const armed of this.#of(announcement.op)) {
      if (armed.strike.whose.kind !== 'delivery') continue;
      if (itemIn(armed.strike.whose, worker, announcement) === null || !isNth(armed)) continue;
      armed.isFired = true;
      return { kind: 'strike', strike: armed.strike };
    }
    return GO;
  }

  #counted({ op, ids }: Announcement, key: string): Decision | null {
    if (op === 'provider.send') this.#sends += 1;
    for (const waiting of this.#waiting) {
      const { counted, aim } = waiting;
      if (waiting.isFired || this.#opOf(counted.moment) !== op) continue;
      const item = counted.moment === 'before-send' ? (this.#sends === counted.acceptance ? 0 : -1) : aimed(ids, aim);
      if (item < 0) continue;
      waiting.isFired = true;
      const kill: Decision = { kind: 'kill', counted };
      return counted.moment === 'mid-batch' ? this.#cut(key, kill, item) : kill;
    }
    return null;
  }

  #cut(key: string, hit: Decision, items: number): Decision {
    this.#pending.set(key, hit);
    return { kind: 'answer', answer: { kind: 'cut', items } };
  }

  #of(op: Op): readonly Armed[] {
    return this.#armed.filter(({ strike, isFired }) => strike.op === op && (!isFired || strike.do === 'poison'));
  }

  /** Where a moment of the same delivery is. Without a queue, writing the outcome is all the acknowledgement there is. */
  #opOf(moment: KillMoment): Op | null {
    switch (moment) {
      case 'after-accept':
        return null;
      case 'before-send':
        return 'provider.send';
      case 'mid-batch':
        return 'ledger.settle';
      case 'before-ack':
        return this.#hasQueue ? 'queue.ack' : 'ledger.settle';
    }
  }
}

/** Which item of the call is its own; -1: the call as a whole; null: it is about somebody else. */
function itemIn(whose: Whose, worker: string, { ids, provider }: Announcement): number | null {
  switch (whose.kind) {
    case 'any':
      return -1;
    case 'worker':
      return whose.name === worker ? -1 : null;
    case 'provider':
      return whose.name === provider ? -1 : null;
    case 'delivery': {
      const item = aimed(ids, whose.id);
      return item < 0 ? null : item;
    }
  }
}

function aimed(ids: readonly string[] | null, id: string | null): number {
  return ids === null || id === null ? -1 : ids.indexOf(id);
}

function isNth(armed: Armed): boolean {
  armed.seen += 1;
  return armed.seen === armed.strike.nth || (armed.strike.do === 'poison' && armed.seen > armed.strike.nth);
}

function half({ ids }: Announcement): number {
  return Math.floor(itemCount(ids) / 2);
}
