import type { Call } from '../kernel/call.ts';
import type { Process } from '../kernel/process.ts';
import type { Wire } from '../kernel/wire.ts';
import type { Fault } from '../plan.ts';
import type { Emitter } from '../world/emitter.ts';
import type { Send } from '../world/provider.ts';
import type { Registry } from '../world/registry.ts';
import { AcceptanceKills } from './acceptance-kills.ts';
import { armed, isCallFault, recipientNumber, type Armed } from './armed.ts';
import { repliedIds, requestedIds, requestedNumbers } from './carried.ts';
import type { Component, Hands, Limits } from './kind.ts';
import { opIndex, OPS, type Op } from './ops.ts';
import { faultKind } from './index.ts';

const START = opIndex('worker.start');
const SEND = opIndex('provider.send');
const AT_THE_OTHER_SIDE: ReadonlySet<Component> = new Set<Component>(['queue', 'ledger', 'provider']);

export interface FaultNetworkParts {
  readonly wire: Wire;
  readonly registry: Registry;
  readonly emitter: Emitter;
  readonly hands: Hands;
  readonly limits: Limits;
  readonly workers: number;
  readonly hasQueue: boolean;
  /** Called whenever a fault has fired, and whenever one is over. */
  readonly changed: () => void;
}

/** Holds a plan against everything that is called, and strikes where it says. */
export class FaultNetwork {
  readonly plan: readonly Fault[];
  readonly fired: boolean[];
  readonly acceptances: AcceptanceKills;
  readonly #parts: FaultNetworkParts;
  readonly #byOp: Armed[][] = OPS.map(() => []);
  readonly #sends = new Map<number, Armed[]>();
  #isStopped = false;
  #unfired: number;
  /** Faults that fired and are not over. */
  #lasting = 0;

  constructor(plan: readonly Fault[], parts: FaultNetworkParts) {
    this.plan = plan;
    this.fired = plan.map(() => false);
    this.#parts = parts;
    this.#unfired = plan.length;
    this.acceptances = new AcceptanceKills(plan, {
      registry: parts.registry,
      hands: parts.hands,
      hasQueue: parts.hasQueue,
      fire: (index, entity) => this.#fire(index, entity),
      heal: (index, ms) => this.#healIn(index, ms),
    });
    plan.forEach((fault, index) => this.#arm(fault, index));
    this.acceptances.watch((op, look) => this.#listen(op, look));
  }

  /** Writes the plan into the history. */
  announce(): void {
    const { emitter } = this.#parts;
    this.plan.forEach((fault, index) =>
      emitter.tell('plan', { kind: 'fault', what: 'armed', index, fault, entity: null }),
    );
  }

  /** No fault will fire any more, and what those did that fired is over. */
  get isSpent(): boolean {
    return (this.#isStopped || this.#unfired === 0) && this.#lasting === 0;
  }

  /** From now on no fault fires, except those that are a recipient's own. */
  stop(): void {
    this.#isStopped = true;
  }

  /** A worker has been started. */
  started(process: Process): void {
    for (const each of this.#byOp[START] ?? []) this.#look(each, process, null);
  }

  #arm(fault: Fault, index: number): void {
    const { registry, limits } = this.#parts;
    if (!isCallFault(fault)) return;
    const kind = faultKind(fault.do, fault.op);
    if (kind === undefined) throw new Error(`no fault '${fault.do}' at ${fault.op}; parse the plan first`);
    const number = recipientNumber(fault.entity);
    const slot = number === null ? null : registry.slotOf(number);
    const ms = fault.ms ?? kind.ms?.(limits).preset ?? 0;
    const amount = fault.amount ?? kind.amount?.(limits).preset ?? 0;
    const each = armed(fault, { index, kind, slot, ms, amount });
    this.#byOp[each.op]?.push(each);
    if (each.op === SEND && slot !== null && slot >= 0) this.#ofRecipient(slot, each);
    else if (each.op !== START) this.#listen(each.op, (call) => this.#look(each, call.life.process, call));
  }

  /** A send has one recipient, and a plan may have a fault for each of many: the call leads to those that are about it. */
  #ofRecipient(slot: number, each: Armed): void {
    if (this.#sends.size === 0)
      this.#listen(SEND, (call) => {
        for (const armed of this.#sends.get((call.args as Send).slot) ?? []) this.#look(armed, call.life.process, call);
      });
    this.#sends.set(slot, [...(this.#sends.get(slot) ?? []), each]);
  }

  #listen(op: number, look: (call: Call) => void): void {
    const { strikers } = this.#parts.wire;
    const earlier = strikers[op];
    strikers[op] =
      earlier === undefined
        ? look
        : (call) => {
            earlier(call);
            look(call);
          };
  }

  #look(each: Armed, process: Process, call: Call | null): void {
    if (each.state !== 'armed' && each.kind.forever !== true) return;
    if (this.#isStopped && each.kind.forever !== true) return;
    if (each.slot === null) return this.#lookAtProcess(each, process, call);
    if (each.slot < 0) each.slot = this.#parts.registry.slotOf(recipientNumber(each.fault.entity) ?? -1);
    if (call === null || each.slot < 0) return;
    const op = each.fault.op as Op;
    const ids = requestedIds(op, call.args);
    if (ids !== null) return void this.#count(each, call, this.#itemIn(each, op, call, ids));
    // Only the reply tells whom it is about: a due claim, a receive, a sweep.
    call.addAfter((applied) => {
      if (applied.answer?.kind !== 'value') return;
      return this.#count(each, applied, itemOf(repliedIds(op, applied.answer.value), each.slot, this.#parts.registry));
    });
  }

  #lookAtProcess(each: Armed, process: Process, call: Call | null): void {
    const { entity } = each.fault;
    if (entity !== '*' && entity !== process.name && !this.#isProvider(entity, call)) return;
    if (!this.#isNth(each)) return;
    void (call === null ? this.#strike(each, process, null, -1) : this.#aim(each, call, -1));
  }

  #isProvider(entity: string, call: Call | null): boolean {
    const args = call?.args as Partial<Send> | undefined;
    return args?.provider?.setup.entity === entity;
  }

  #itemIn(each: Armed, op: Op, call: Call, ids: readonly string[]): number {
    const { registry } = this.#parts;
    if (op === 'ledger.accept' || op === 'ledger.seal')
      return requestedNumbers(op, call.args).indexOf(recipientNumber(each.fault.entity) ?? -1);
    return itemOf(ids, each.slot, registry);
  }

  #count(each: Armed, call: Call, item: number): void | Promise<void> {
    if (item < 0 || !this.#isNth(each)) return;
    return this.#aim(each, call, item);
  }

  #isNth(each: Armed): boolean {
    each.seen++;
    return each.seen === each.fault.nth || (each.kind.forever === true && each.seen > each.fault.nth);
  }

  /** A strikes when the call was applied; all other phases now, at the request. */
  #aim(each: Armed, call: Call, item: number): void | Promise<void> {
    if (each.fault.phase === 'A' && call.answer === null) {
      call.addAfter((applied) => this.#strike(each, call.life.process, applied, item));
      return;
    }
    return this.#strike(each, call.life.process, call, item);
  }

  #strike(each: Armed, process: Process, call: Call | null, item: number): void | Promise<void> {
    if (this.#isStopped && each.kind.forever !== true) return;
    // The caller died on the way: there is nobody left to strike.
    if (call?.life.alive === false && !AT_THE_OTHER_SIDE.has(each.kind.component)) return;
    const { hands, workers } = this.#parts;
    const { fault, kind, ms, amount } = each;
    // An error from the other side is no success that a reply could hide, but the call has reached this phase.
    const deliveryId = deliveryIdOf(fault.op as Op, call, item);
    const isFirst = each.state === 'armed';
    if (isFirst) this.#fired(each, process, deliveryId);
    const held = kind.strike({ hands, fault, process, call, item, deliveryId, ms, amount });
    const lastsMs = kind.lastsMs({ ms, amount, knobs: hands.knobs, workers });
    if (isFirst) this.#healIn(each.index, lastsMs, () => void (each.state = 'healed'));
    this.#parts.changed();
    return held;
  }

  #fired(each: Armed, process: Process, deliveryId: string): void {
    each.state = 'fired';
    const { registry } = this.#parts;
    const slot = registry.slotOfDelivery(deliveryId);
    this.#fire(each.index, slot < 0 ? process.name : `r${registry.numberOf(slot)}`);
  }

  #fire(index: number, entity: string | null): void {
    if (this.fired[index] === true) return;
    this.fired[index] = true;
    this.#unfired--;
    this.#lasting++;
    this.#parts.emitter.tell('plan', { kind: 'fault', what: 'fired', index, fault: this.plan[index] as Fault, entity });
  }

  #healIn(index: number, ms: number, then: () => void = () => {}): void {
    const { hands, emitter, changed } = this.#parts;
    const heal = (): void => {
      this.#lasting--;
      then();
      emitter.tell('plan', { kind: 'fault', what: 'healed', index, fault: this.plan[index] as Fault, entity: null });
    };
    if (ms <= 0) return heal();
    hands.later(ms, () => {
      heal();
      changed();
    });
  }
}

function itemOf(ids: readonly string[], slot: number | null, registry: Registry): number {
  for (let item = 0; item < ids.length; item++) if (registry.slotOfDelivery(ids[item] as string) === slot) return item;
  return -1;
}

function deliveryIdOf(op: Op, call: Call | null, item: number): string {
  if (call === null) return '';
  const ids = requestedIds(op, call.args) ?? (call.answer?.kind === 'value' ? repliedIds(op, call.answer.value) : []);
  return ids[Math.max(0, item)] ?? '';
}
