import type { EventOf } from '../history.ts';
import type { Fault } from '../plan.ts';
import type { Attempts } from './attempts.ts';
import { Column } from './column.ts';
import type { JudgeContext } from './context.ts';
import type { Handlers } from './handlers.ts';
import type { Slots } from './slots.ts';
import type { SlowWays } from './slow-ways.ts';

const DISTURBING: ReadonlySet<string> = new Set(['kill', 'pause', 'resume', 'stop']);
/** What the world calls its workers. What becomes of a producer or an operator hides no outcome of theirs. */
const WORKER = /^w\d+$/;
/** Faults of one call, where that call is not about sending: nothing that is in flight depends on it. */
const OF_ONE_CALL: ReadonlySet<string> = new Set([
  'request-lost',
  'reply-lost',
  'slow',
  'reply-slow',
  'twice',
  'error',
  'late',
  'stale',
]);
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  'ledger.accept',
  'ledger.seal',
  'ledger.claimNotifications',
  'ledger.add',
]);
/** Of the messages in the queue, and of who publishes. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'redeliver',
  'duplicate',
  'reorder',
  'empty',
  'hidden',
  'ghost',
  'partial',
  'told-failed',
  'wiped',
  'kill-producer',
  'producer-gone',
  'publish-twice',
]);

function isAboutSending(fault: Fault): boolean {
  if (!('op' in fault)) return true;
  if (ELSEWHERE.has(fault.do)) return false;
  return !(OF_ONE_CALL.has(fault.do) && (BEFORE_SENDING.has(fault.op) || fault.op.startsWith('queue.')));
}

/** Why a delivery is excused, as bits. */
const STRUCK = 1;
const SLOW = 2;

export interface CausesBooks {
  readonly slots: Slots;
  readonly attempts: Attempts;
  readonly slowWays: SlowWays;
}

/** A time in which something was broken, whatever it was. */
export interface Strike {
  readonly from: number;
  until: number;
}

/**
 * What may explain that a delivery does not simply get one message: faults, losses of memory, slow ways, and people. A fault strikes
 * until it is healed, and for as long as a request may be on the wire.
 */
export class Causes {
  readonly on: Handlers = {
    fault: (event) => this.#fault(event),
    process: (event) => this.#process(event),
    epoch: ({ at }) => {
      this.#strike(at, 0);
      this.losses += 1;
    },
    mark: (event, slot) => this.#marked(event, slot),
    release: ({ verdict }, slot) => {
      if (slot >= 0 && verdict.kind !== 'fenced') this.#inRow.set(slot, 0);
    },
    settle: ({ at }, slot) => this.#excuseIfHidden(slot, at),
    claim: (event, slot) => this.#claimed(event, slot),
    sweep: ({ at, result }) => {
      for (const { id } of result.moved) this.#excuseIfHidden(this.#slots.of(id), at);
    },
    reconcile: (_event, slot) => {
      // Unknown, and not by a mark of ours since the loss: the store presumes what it may have forgotten.
      if (this.#lossesAtMark.get(slot) < this.losses) this.#excuse(slot, STRUCK);
    },
  };
  /** How often the store lost its memory. */
  losses = 0;
  /** In the order of their beginnings; one that follows on another may be part of it. */
  readonly strikes: Strike[] = [];
  readonly #slots: Slots;
  readonly #attempts: Attempts;
  readonly #slowWays: SlowWays;
  readonly #afterglowMs: number;
  readonly #started = new Set<string>();
  /** Workers that were told to stop and have not. */
  readonly #stopping = new Set<string>();
  /** Faults about sending that fired and are not healed. */
  readonly #lasting = new Set<number>();
  #faults = 0;
  #until = -Infinity;
  /** Faults seen when the latest attempt was marked, plus one; 0: it was marked while one struck. */
  readonly #faultsAtMark: Column;
  readonly #faultsAtClaim: Column;
  /** Claims of it lapse, or may: claimed, and neither marked nor given back since. */
  readonly #inRow: Column;
  /** Faults seen when the first claim of the row was granted, plus one; 0: one of them was granted while one struck. */
  readonly #faultsAtRow: Column;
  readonly #lossesAtMark: Column;
  readonly #excused: Column;

  constructor({ knobs }: JudgeContext, { slots, attempts, slowWays }: CausesBooks) {
    this.#slots = slots;
    this.#attempts = attempts;
    this.#slowWays = slowWays;
    this.#afterglowMs = knobs.afterglowMs;
    this.#faultsAtMark = new Column('u32', slots.size);
    this.#faultsAtClaim = new Column('u32', slots.size);
    this.#inRow = new Column('u8', slots.size);
    this.#faultsAtRow = new Column('u32', slots.size);
    this.#lossesAtMark = new Column('u8', slots.size);
    this.#excused = new Column('u8', slots.size);
  }

  /** A fault, or a slow way, may have hidden or made what became of the latest attempt; asked before its outcome is in the books. */
  mayBeHidden(slot: number, at: number): boolean {
    return this.#isStruck(slot) || this.#slowWays.canHide(slot, at);
  }

  /**
   * Some attempt was in flight when a fault struck, and had no outcome yet; or its answer may have been too slow; or the store may have
   * forgotten one.
   */
  isExcused(slot: number): boolean {
    return this.#excused.get(slot) !== 0;
  }

  /** The ways alone excuse it, whatever else does. */
  isSlow(slot: number): boolean {
    return (this.#excused.get(slot) & SLOW) !== 0;
  }

  /** A fault has struck since the latest claim. */
  isStruckSinceClaim(slot: number): boolean {
    return this.#faultsAtClaim.get(slot) !== this.#faults + 1;
  }

  /** Of the claims in a row that came to no mark and were not given back: a fault may have made one of them lapse. */
  isStruckInRow(slot: number): boolean {
    return this.#faultsAtRow.get(slot) !== this.#faults + 1;
  }

  isStriking(at: number): boolean {
    return this.#lasting.size > 0 || at <= this.#until;
  }

  /** A process of the run itself, and no person: what it does by itself nobody asked for. */
  isOwnProcess(process: string): boolean {
    return this.#started.has(process);
  }

  #process({ at, process, what }: EventOf<'process'>): void {
    if (what === 'start') this.#started.add(process);
    if (!WORKER.test(process)) return;
    if (what === 'stop') this.#stopping.add(process);
    // One that ends without being told to did so by itself.
    const isOver = this.#stopping.size > 0 && (what === 'stopped' || what === 'kill') && this.#stopping.delete(process);
    if (isOver || DISTURBING.has(what)) this.#strike(at, 0);
  }

  #fault({ at, what, index, fault }: EventOf<'fault'>): void {
    if (what === 'armed') return;
    const isAbout = isAboutSending(fault);
    if (what === 'healed') {
      this.#struckUntil(at);
      if (isAbout && this.#lasting.delete(index)) this.#until = Math.max(this.#until, at + this.#afterglowMs);
    } else if (isAbout) {
      this.#lasting.add(index);
      this.#strike(at, fault.ms ?? 0);
    } else this.#note(at, fault.ms ?? 0);
  }

  #strike(at: number, ms: number): void {
    this.#faults += 1;
    this.#until = Math.max(this.#until, at + ms + this.#afterglowMs);
    this.#note(at, ms);
  }

  #note(at: number, ms: number): void {
    const last = this.strikes.at(-1);
    if (last === undefined || at > last.until) this.strikes.push({ from: at, until: at });
    this.#struckUntil(at + ms + this.#afterglowMs);
  }

  #struckUntil(at: number): void {
    const last = this.strikes.at(-1);
    if (last !== undefined) last.until = Math.max(last.until, at);
  }

  #marked({ at, request, verdict }: EventOf<'mark'>, slot: number): void {
    if (verdict.kind !== 'fenced') this.#inRow.set(slot, 0);
    if (verdict.kind !== 'go' || this.#attempts.isRepeat(slot, request.fence)) return;
    const isStriking = this.isStriking(at);
    this.#faultsAtMark.set(slot, isStriking ? 0 : this.#faults + 1);
    this.#lossesAtMark.set(slot, this.losses);
    if (isStriking) this.#excuse(slot, STRUCK);
  }

  #claimed({ at, verdict }: EventOf<'claim'>, slot: number): void {
    if (verdict.kind === 'granted') {
      this.#faultsAtClaim.set(slot, this.#faults + 1);
      if (this.isStriking(at)) this.#faultsAtRow.set(slot, 0);
      else if (this.#inRow.get(slot) === 0) this.#faultsAtRow.set(slot, this.#faults + 1);
      this.#inRow.set(slot, 1);
    } else if (verdict.kind === 'unknown') this.#excuseIfHidden(slot, at);
  }

  #isStruck(slot: number): boolean {
    return this.#faultsAtMark.get(slot) !== this.#faults + 1;
  }

  #excuseIfHidden(slot: number, at: number): void {
    if (slot < 0 || !this.#attempts.isInFlight(slot)) return;
    if (this.#isStruck(slot)) this.#excuse(slot, STRUCK);
    if (this.#slowWays.canHide(slot, at)) this.#excuse(slot, SLOW);
  }

  #excuse(slot: number, why: number): void {
    this.#excused.set(slot, this.#excused.get(slot) | why);
  }
}
