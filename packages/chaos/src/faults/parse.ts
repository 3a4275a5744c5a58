import { KILL_MOMENTS, type AcceptanceKill, type CallFault, type Fault } from '../plan.ts';
import { fieldsOf, invalid, oneOf, only, show, text, whole, type Fields } from './fields.ts';
import { FAULTS, faultKind } from './index.ts';
import { opIndex, OPS } from './ops.ts';

/**
 * Checks a plan as it was read from a file: a JSON array of faults.
 * @throws SendonceError PLAN_INVALID naming the fault's index, the field, what came and what is allowed.
 */
export function parsePlan(json: unknown): readonly Fault[] {
  if (!Array.isArray(json)) invalid(`a plan is a JSON array of faults, got ${show(json)}`);
  return json.map((fault: unknown, index) => parseFault(fault, `fault ${index}`));
}

function parseFault(json: unknown, where: string): Fault {
  const fault = fieldsOf(json, where);
  return 'acceptance' in fault ? parseKill(fault, where) : parseCallFault(fault, where);
}

function parseKill(fault: Fields, where: string): AcceptanceKill {
  only(fault, where, ['do', 'acceptance', 'moment', 'ms']);
  if (fault['do'] !== 'kill')
    invalid(`${where}: only 'kill' is addressed by an acceptance, got do: ${show(fault['do'])}`);
  return {
    do: 'kill',
    acceptance: whole(fault, 'acceptance', where, 1),
    moment: oneOf(fault, 'moment', where, KILL_MOMENTS),
    ...(fault['ms'] === undefined ? {} : { ms: whole(fault, 'ms', where, 1) }),
  };
}

function parseCallFault(fault: Fields, where: string): CallFault {
  only(fault, where, ['do', 'op', 'entity', 'nth', 'phase', 'ms', 'amount']);
  const name = text(fault, 'do', where);
  const ofName = FAULTS.filter((kind) => kind.do === name);
  if (ofName.length === 0)
    invalid(`${where}: do: '${name}' is no fault; known: ${[...new Set(FAULTS.map((kind) => kind.do))].join(', ')}`);
  const op = text(fault, 'op', where);
  if (opIndex(op) < 0) invalid(`${where}: op: '${op}' is nothing that happens in a run; known: ${OPS.join(', ')}`);
  const kind = faultKind(name, op);
  if (kind === undefined)
    invalid(`${where}: op: '${name}' cannot be at ${op}, only at ${ofName.flatMap(({ ops }) => ops).join(', ')}`);
  return {
    do: name,
    op,
    entity: entity(fault, where),
    nth: whole(fault, 'nth', where, 1),
    phase: oneOf(fault, 'phase', where, kind.phases),
    ...(fault['ms'] === undefined ? {} : { ms: sized(fault, 'ms', where, kind.ms !== null) }),
    ...(fault['amount'] === undefined ? {} : { amount: sized(fault, 'amount', where, kind.amount !== null) }),
  };
}

function entity(fault: Fields, where: string): string {
  const value = text(fault, 'entity', where);
  if (!/^(r\d+|w[1-9]\d*|p\d+|producer\d*|operator\d*|webhook\d*|\*)$/.test(value))
    invalid(
      `${where}: entity must be a recipient (r17), a worker (w2), a provider (p0), producer, operator, webhook or *, got '${value}'`,
    );
  return value;
}

function sized(fault: Fields, field: 'ms' | 'amount', where: string, isTaken: boolean): number {
  if (!isTaken) invalid(`${where}: ${field}: '${String(fault['do'])}' takes none`);
  const value = fault[field];
  if (typeof value !== 'number' || !Number.isFinite(value))
    invalid(`${where}: ${field} must be a number, got ${show(value)}`);
  if (field === 'ms' && value < 0) invalid(`${where}: ms must be 0 or more, got ${value}`);
  return value;
}
