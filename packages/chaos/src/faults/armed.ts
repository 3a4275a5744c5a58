import type { CallFault, Fault } from '../plan.ts';
import type { FaultKind } from './kind.ts';
import { opIndex } from './ops.ts';

/** A call fault of a running plan. */
export interface Armed {
  readonly index: number;
  readonly fault: CallFault;
  readonly kind: FaultKind;
  readonly op: number;
  /** The recipient's slot; -1: none such in this run, or not learned yet; null: the entity is no recipient. */
  slot: number | null;
  readonly ms: number;
  readonly amount: number;
  /** Calls that carried the entity so far. */
  seen: number;
  state: 'armed' | 'fired' | 'healed';
}

export interface ArmOptions {
  readonly index: number;
  readonly kind: FaultKind;
  readonly slot: number | null;
  readonly ms: number;
  readonly amount: number;
}

export function armed(fault: CallFault, options: ArmOptions): Armed {
  return { ...options, fault, op: opIndex(fault.op), seen: 0, state: 'armed' };
}

/** `r17` as 17; null for what names no recipient. */
export function recipientNumber(entity: string): number | null {
  return /^r\d+$/.test(entity) ? Number(entity.slice(1)) : null;
}

export function isCallFault(fault: Fault): fault is CallFault {
  return !('acceptance' in fault);
}
