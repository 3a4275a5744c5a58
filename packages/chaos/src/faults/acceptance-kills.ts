import type { Call } from '../kernel/call.ts';
import type { Process } from '../kernel/process.ts';
import type { AcceptanceKill, CallFault, Fault, KillMoment } from '../plan.ts';
import type { Send } from '../world/provider.ts';
import type { Registry } from '../world/registry.ts';
import { isCallFault } from './armed.ts';
import { firstItems, requestedIds } from './carried.ts';
import type { Hands } from './kind.ts';
import { opIndex, type Op } from './ops.ts';

/** A kill that was addressed by a count, and the call that it turned out to be. */
export interface CountedKill {
  readonly index: number;
  readonly acceptance: number;
  readonly worker: string;
  readonly moment: KillMoment;
  readonly deliveryId: string;
  /** The same kill, addressed by its delivery. */
  readonly rewritten: CallFault;
}

export interface AcceptanceParts {
  readonly registry: Registry;
  readonly hands: Hands;
  readonly hasQueue: boolean;
  readonly fire: (index: number, entity: string) => void;
  readonly heal: (index: number, ms: number) => void;
}

interface Waiting {
  readonly index: number;
  readonly fault: AcceptanceKill;
  /** Whose acceptance it was: from now on the next call that carries it is the one. */
  aim: { readonly slot: number; readonly deliveryId: string } | null;
  done: boolean;
}

/** `--kill-at`: kills the worker that holds the nth acceptance, at one of four moments. */
export class AcceptanceKills {
  readonly kills: CountedKill[] = [];
  readonly #parts: AcceptanceParts;
  readonly #waiting: readonly Waiting[];
  /** Calls of an op that carried a slot so far; only of ops that a kill waits at. */
  readonly #carried = new Map<Op, Map<number, number>>();
  #sends = 0;
  #acceptances = 0;

  constructor(plan: readonly Fault[], parts: AcceptanceParts) {
    this.#parts = parts;
    this.#waiting = plan.flatMap((fault, index) =>
      isCallFault(fault) ? [] : [{ index, fault, aim: null, done: false }],
    );
  }

  /** Asks to be shown the calls that it has to see. */
  watch(listen: (op: number, look: (call: Call) => void) => void): void {
    if (this.#waiting.length === 0) return;
    listen(opIndex('provider.send'), (call) => this.#sending(call));
    const ops = new Set(this.#waiting.flatMap(({ fault }) => this.#laterOp(fault.moment) ?? []));
    for (const op of ops) {
      this.#carried.set(op, new Map());
      listen(opIndex(op), (call) => this.#carrying(op, call));
    }
  }

  /** A provider took a new message. */
  accepted(send: Send, process: Process): void {
    if (this.#waiting.length === 0) return;
    this.#acceptances++;
    for (const waiting of this.#waiting) {
      const { moment, acceptance } = waiting.fault;
      if (acceptance !== this.#acceptances || moment === 'before-send' || waiting.done) continue;
      if (moment === 'after-accept')
        this.#kill(waiting, process, sendFault(send, this.#entity(send.slot), 'A'), send.message.deliveryId);
      else waiting.aim = { slot: send.slot, deliveryId: send.message.deliveryId };
    }
  }

  #sending(call: Call): void {
    this.#sends++;
    const send = call.args as Send;
    for (const waiting of this.#waiting) {
      const { moment, acceptance } = waiting.fault;
      if (moment !== 'before-send' || acceptance !== this.#sends || waiting.done) continue;
      this.#kill(waiting, call.life.process, sendFault(send, this.#entity(send.slot), 'B'), send.message.deliveryId);
    }
  }

  #carrying(op: Op, call: Call): void {
    const { registry } = this.#parts;
    const counts = this.#carried.get(op) as Map<number, number>;
    const slots = (requestedIds(op, call.args) ?? []).map((id) => registry.slotOfDelivery(id));
    for (const slot of new Set(slots)) counts.set(slot, (counts.get(slot) ?? 0) + 1);
    for (const waiting of this.#waiting) {
      const item = waiting.aim === null || waiting.done ? -1 : slots.indexOf(waiting.aim.slot);
      if (waiting.aim === null || item < 0 || this.#laterOp(waiting.fault.moment) !== op) continue;
      const fault: CallFault = {
        do: waiting.fault.moment === 'mid-batch' ? 'kill-mid-batch' : 'kill',
        op,
        entity: this.#entity(waiting.aim.slot),
        nth: counts.get(waiting.aim.slot) ?? 1,
        phase: 'B',
      };
      this.#strike(waiting, call, item, fault);
    }
  }

  #strike(waiting: Waiting, call: Call, item: number, fault: CallFault): void {
    const { process } = call.life;
    const deliveryId = waiting.aim?.deliveryId ?? '';
    if (waiting.fault.moment !== 'mid-batch') return this.#kill(waiting, process, fault, deliveryId);
    waiting.done = true;
    call.args = firstItems(call.args, item);
    call.addAfter(() => this.#kill(waiting, process, fault, deliveryId));
  }

  #kill(waiting: Waiting, process: Process, fault: CallFault, deliveryId: string): void {
    waiting.done = true;
    const { hands, fire, heal } = this.#parts;
    const { acceptance, moment } = waiting.fault;
    const ms = waiting.fault.ms ?? hands.knobs.restartMs;
    const rewritten = waiting.fault.ms === undefined ? fault : { ...fault, ms };
    this.kills.push({ index: waiting.index, acceptance, worker: process.name, moment, deliveryId, rewritten });
    fire(waiting.index, fault.entity);
    hands.kill(process, `acceptance ${acceptance}, ${moment}`, ms);
    heal(waiting.index, ms);
  }

  /** Where a later moment of the same delivery is. Without a queue, writing the outcome is all the acknowledgement there is. */
  #laterOp(moment: KillMoment): Op | null {
    if (moment === 'mid-batch') return 'ledger.settle';
    if (moment !== 'before-ack') return null;
    return this.#parts.hasQueue ? 'queue.ack' : 'ledger.settle';
  }

  #entity(slot: number): string {
    return slot < 0 ? '*' : `r${this.#parts.registry.numberOf(slot)}`;
  }
}

function sendFault({ nth }: Send, entity: string, phase: 'A' | 'B'): CallFault {
  return { do: 'kill', op: 'provider.send', entity, nth: nth + 1, phase };
}
