import { DELIVERY_STATES, TRANSITIONS, type DeliveryState, type NewDelivery } from '@sendonce/core';
import type { EventOf } from '../history.ts';
import type { Attempts } from './attempts.ts';
import { Column } from './column.ts';
import type { Handlers } from './handlers.ts';
import type { Slots } from './slots.ts';

const COUNT = DELIVERY_STATES.length + 1;
/** 0 is "not seen yet". */
const CODES = new Map<string, number>(DELIVERY_STATES.map((state, at) => [state, at + 1]));
const QUEUED = codeOf('queued');
const FAILED = codeOf('failed');
const UNKNOWN = codeOf('unknown');
const REACHABLE = closure();
/** How much a state says about one accepted message. */
const KNOWN = new Uint8Array(COUNT);
KNOWN[codeOf('sent')] = 1;
KNOWN[codeOf('delivered')] = 2;
KNOWN[codeOf('bounced')] = KNOWN[codeOf('undeliverable')] = 3;

function codeOf(state: string): number {
  return CODES.get(state) ?? 0;
}

/** Which states may follow which in any number of declared moves: the history does not show every move, only where a record is seen. */
function closure(): Uint8Array {
  const reachable = new Uint8Array(COUNT * COUNT);
  for (const from of DELIVERY_STATES) {
    const seen = new Set<DeliveryState>([from]);
    for (const state of seen) for (const next of TRANSITIONS[state]) seen.add(next);
    for (const to of seen) reachable[codeOf(from) * COUNT + codeOf(to)] = 1;
  }
  return reachable;
}

/** A move between two states that was seen, and how often. */
export interface SeenMove {
  readonly from: DeliveryState;
  readonly to: DeliveryState;
  readonly times: number;
}

export type OnRegress = (slot: number, deliveryId: string, at: number, from: DeliveryState, to: DeliveryState) => void;

/** The last state that the history showed of each delivery, read off the ledger's answers. */
export class States {
  readonly on: Handlers = {
    claim: (event, slot) => this.#claim(event, slot),
    mark: (event, slot) => this.#mark(event, slot),
    settle: ({ at, verdict }, slot) => {
      if (verdict.kind !== 'absent') this.see(slot, verdict.id, verdict.state, at);
    },
    release: (event, slot) => this.#release(event, slot),
    sweep: ({ at, result }) => {
      for (const record of result.moved) this.see(this.#slots.of(record.id), record.id, record.state, at);
      for (const record of result.unknown) this.see(this.#slots.of(record.id), record.id, 'unknown', at);
    },
    reconcile: ({ at, verdict }, slot) => {
      if (verdict.state !== null) this.see(slot, verdict.id, verdict.state, at);
    },
    replay: ({ at, request, verdict }) => {
      if (verdict.kind === 'replayed' && verdict.id !== request.id)
        this.see(this.#slots.of(verdict.id), verdict.id, 'queued', at);
    },
    // What the store forgot may come again.
    epoch: () => {
      this.#last.clear();
      this.epochs += 1;
    },
  };
  /** That a delivery was there before is for another checker to say. */
  readonly made = (delivery: NewDelivery, slot: number): void => {
    if (this.#last.get(slot) === 0) this.#last.set(slot, delivery.failed === null ? QUEUED : FAILED);
  };
  readonly #slots: Slots;
  readonly #attempts: Attempts;
  readonly #onRegress: OnRegress;
  readonly #last: Column;
  readonly #unknown: Column;
  readonly #moves = new Uint32Array(COUNT * COUNT);
  /** How often the store lost its memory. */
  epochs = 0;

  constructor(slots: Slots, attempts: Attempts, onRegress: OnRegress) {
    this.#slots = slots;
    this.#attempts = attempts;
    this.#onRegress = onRegress;
    this.#last = new Column('u8', slots.size);
    this.#unknown = new Column('u8', slots.size);
  }

  /** Null: not seen yet, or not since the store lost its memory. */
  of(slot: number): DeliveryState | null {
    return DELIVERY_STATES[this.#last.get(slot) - 1] ?? null;
  }

  /** This delivery was believed `unknown` at some time. */
  everUnknown(slot: number): boolean {
    return this.#unknown.get(slot) === 1;
  }

  see(slot: number, deliveryId: string, state: string, at: number): void {
    const to = codeOf(state);
    // A notification's states, and deliveries that are none.
    if (to === 0 || slot < 0) return;
    const from = this.#last.get(slot);
    if (to === UNKNOWN) this.#unknown.set(slot, 1);
    if (from === to && state !== 'processing') return;
    this.#last.set(slot, to);
    if (from === 0) return;
    const move = from * COUNT + to;
    this.#moves[move] = (this.#moves[move] ?? 0) + 1;
    if (REACHABLE[move] === 0 || this.#unlearns(slot, from, to))
      this.#onRegress(slot, deliveryId, at, stateOf(from), stateOf(to));
  }

  /** Of one message more becomes known, never less, in whichever order response and webhook come. Of several the best one shows. */
  #unlearns(slot: number, from: number, to: number): boolean {
    return (
      this.epochs === 0 &&
      this.#attempts.count(slot) < 2 &&
      (KNOWN[to] ?? 0) > 0 &&
      (KNOWN[to] ?? 0) < (KNOWN[from] ?? 0)
    );
  }

  /** Declared moves that were seen, in the order of the table. */
  moves(): SeenMove[] {
    return DELIVERY_STATES.flatMap((from) =>
      TRANSITIONS[from].flatMap((to) => {
        const times = this.#moves[codeOf(from) * COUNT + codeOf(to)] ?? 0;
        return times === 0 ? [] : [{ from, to, times }];
      }),
    );
  }

  #claim({ at, verdict }: EventOf<'claim'>, slot: number): void {
    if (verdict.kind === 'granted') this.see(slot, verdict.id, verdict.record.state, at);
    else if (verdict.kind === 'settled') this.see(slot, verdict.id, verdict.state, at);
    else if (verdict.kind === 'unknown') this.see(slot, verdict.id, 'unknown', at);
  }

  #mark({ at, verdict }: EventOf<'mark'>, slot: number): void {
    if (verdict.kind === 'go') this.see(slot, verdict.id, 'dispatching', at);
    else if (verdict.kind === 'window-closed') this.see(slot, verdict.id, 'unknown', at);
    else if (verdict.kind === 'blocked') this.#waits(slot, verdict.id, at);
    else if (verdict.kind !== 'fenced') this.see(slot, verdict.id, verdict.state, at);
  }

  #release({ at, request, verdict }: EventOf<'release'>, slot: number): void {
    if (slot < 0) return;
    if (verdict.kind === 'settled') this.see(slot, request.id, verdict.state, at);
    else if (verdict.kind === 'ok') this.#waits(slot, request.id, at);
  }

  #waits(slot: number, deliveryId: string, at: number): void {
    // A store that lost its memory may presume attempts that nobody saw.
    if (this.epochs === 0)
      this.see(slot, deliveryId, this.#attempts.count(slot) === 0 ? 'queued' : 'retry-scheduled', at);
  }
}

function stateOf(code: number): DeliveryState {
  return DELIVERY_STATES[code - 1] as DeliveryState;
}
