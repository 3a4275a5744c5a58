import { SendonceError } from '@sendonce/core';
import { isCallFault, recipientNumber } from '../faults/armed.ts';
import { faultKind } from '../faults/index.ts';
import type { Limits } from '../faults/kind.ts';
import type { Op } from '../faults/ops.ts';
import { WORKER_OPS } from '../faults/worker.ts';
import type { CallFault, Fault } from '../plan.ts';
import { kindsOf } from '../search/kinds.ts';
import { faultWords } from '../report/fault-words.ts';
import { SCRIPTED, type Script, type Scripted, type Whose } from './scripts.ts';
import { STRIKING, type CountedStrike, type Strike, type Striking } from './strikes.ts';

/** A plan as real processes carry it out: some of it strikes workers, the rest is done by the provider. */
export interface RealPlan {
  readonly strikes: readonly Strike[];
  readonly scripts: readonly Script[];
  readonly counted: readonly CountedStrike[];
  /** Acceptances whose answer is held back. */
  readonly hold: readonly number[];
}

export interface SplitOptions {
  readonly limits: Limits;
  /** The first delivery of a recipient; null: there is none of that number. */
  readonly deliveryOf: (recipient: number) => string | null;
}

/** @throws SendonceError PLAN_INVALID that names the first fault which real processes cannot be made to show. */
export function splitPlan(faults: readonly Fault[], { limits, deliveryOf }: SplitOptions): RealPlan {
  const strikes: Strike[] = [];
  const scripts: Script[] = [];
  const counted: CountedStrike[] = [];
  for (const [index, fault] of faults.entries()) {
    if (!isCallFault(fault)) {
      counted.push({
        index,
        acceptance: fault.acceptance,
        moment: fault.moment,
        ms: fault.ms ?? limits.knobs.restartMs,
      });
      continue;
    }
    const kind = faultKind(fault.do, fault.op);
    const whose = whoseOf(fault, deliveryOf);
    if (kind === undefined || whose === null) throw refusal(fault, index);
    const ms = fault.ms ?? kind.ms?.(limits).preset ?? limits.knobs.restartMs;
    const { nth, phase } = fault;
    const op = fault.op as Op;
    if (isStriking(fault)) {
      const amount = fault.amount ?? kind.amount?.(limits).preset ?? 1;
      strikes.push({ index, do: fault.do as Striking, op, whose, nth, phase, ms, amount });
    } else if (isScripted(fault)) scripts.push({ index, do: fault.do as Scripted, whose, nth, ms });
    else throw refusal(fault, index);
  }
  const hold = counted.filter(({ moment }) => moment !== 'before-send').map(({ acceptance }) => acceptance);
  return { strikes, scripts, counted, hold };
}

/** Whether real processes can be made to show every fault of a plan. */
export function isForReal(faults: readonly Fault[]): boolean {
  return faults.every((fault) => !isCallFault(fault) || (isMakeable(fault) && whoseOf(fault, () => null) !== null));
}

function isMakeable(fault: Pick<CallFault, 'do' | 'op'>): boolean {
  return isStriking(fault) || isScripted(fault);
}

function isStriking({ do: name, op }: Pick<CallFault, 'do' | 'op'>): boolean {
  return (STRIKING as readonly string[]).includes(name) && (op === 'worker.start' || WORKER_OPS.includes(op as Op));
}

function isScripted({ do: name, op }: Pick<CallFault, 'do' | 'op'>): boolean {
  return (SCRIPTED as readonly string[]).includes(name) && op === 'provider.send';
}

function whoseOf({ entity }: CallFault, deliveryOf: SplitOptions['deliveryOf']): Whose | null {
  if (entity === '*') return { kind: 'any' };
  if (/^w\d+$/.test(entity)) return { kind: 'worker', name: entity };
  if (/^p\d+$/.test(entity)) return { kind: 'provider', name: entity };
  const recipient = recipientNumber(entity);
  if (recipient === null) return null;
  // A delivery that is not part of the run: the fault is armed, and never fires.
  return { kind: 'delivery', id: deliveryOf(recipient) ?? 'nobody' };
}

function refusal(fault: CallFault, index: number): SendonceError {
  return new SendonceError(
    'PLAN_INVALID',
    `faults[${index}] cannot be made on real processes (${fault.do} at ${fault.op} of ${fault.entity}: ${faultWords(fault)}). ` +
      `With --real: ${STRIKING.join(', ')} at what a worker calls, and ${SCRIPTED.join(', ')} at provider.send. Run the plan without --real`,
  );
}

/** Of words that name kinds (`kill`, `reply-lost@provider.send`), those that real processes can be made to show, each with its call. */
export function realKinds(words: readonly string[]): readonly string[] {
  return kindsOf(words).flatMap(({ do: name, ops }) =>
    ops.filter((op) => isMakeable({ do: name, op })).map((op) => `${name}@${op}`),
  );
}
