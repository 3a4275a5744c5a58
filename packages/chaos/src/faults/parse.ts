import { KILL_MOMENTS, type AcceptanceKill, type CallFault, type Fault } from '../plan.ts';
import { LONGEST_MS } from '../world/knobs.ts';
import { recipientNumber } from './armed.ts';
import { choices, fieldsOf, invalid, oneOf, path, show, text, whole, type Fields } from './fields.ts';
import { FAULTS, faultKind } from './index.ts';
import type { FaultKind, Limits } from './kind.ts';
import { OPS } from './ops.ts';

const KILL_FIELDS = ['do', 'acceptance', 'moment', 'ms'];
const CALL_FIELDS = ['do', 'op', 'entity', 'nth', 'phase', 'ms', 'amount'];
const NAMES = [...new Set(FAULTS.map((kind) => kind.do))];
const COUNT = { least: 1, most: Number.MAX_SAFE_INTEGER };
/** Longer than a kind's own range is a plan's to ask for; beyond this a run has no end that anybody waits for. */
const LENGTH = { least: 0, most: LONGEST_MS };

/**
 * Checks a plan as it was read from a file: a JSON array of faults.
 * @throws SendonceError PLAN_INVALID naming the fault's place, the field, what came and what is allowed.
 */
export function parsePlan(json: unknown, limits: Limits): readonly Fault[] {
  if (!Array.isArray(json)) invalid(`faults must be an array, got ${show(json)}`);
  return json.map((fault: unknown, index) => parseFault(fault, `faults[${index}]`, limits));
}

function parseFault(json: unknown, at: string, limits: Limits): Fault {
  const isKill = typeof json === 'object' && json !== null && 'acceptance' in json;
  return isKill ? parseKill(fieldsOf(json, at, KILL_FIELDS)) : parseCallFault(fieldsOf(json, at, CALL_FIELDS), limits);
}

function parseKill(fault: Fields): AcceptanceKill {
  if (fault.of['do'] !== 'kill')
    invalid(
      `${path(fault, 'do')} must be 'kill' where a fault is addressed by an acceptance, got ${show(fault.of['do'])}`,
    );
  return {
    do: 'kill',
    acceptance: whole(fault, 'acceptance', COUNT),
    moment: oneOf(fault, 'moment', KILL_MOMENTS),
    ...(fault.of['ms'] === undefined ? {} : { ms: whole(fault, 'ms', { ...LENGTH, least: 1 }) }),
  };
}

function parseCallFault(fault: Fields, limits: Limits): CallFault {
  const name = oneOf(fault, 'do', NAMES);
  const op = oneOf(fault, 'op', OPS);
  const kind = faultKind(name, op);
  if (kind === undefined) {
    const ops = FAULTS.filter((each) => each.do === name).flatMap((each) => each.ops);
    invalid(`${path(fault, 'op')}: '${name}' cannot be at ${op}, only at ${choices(op, ops)}`);
  }
  return {
    do: name,
    op,
    entity: entity(fault, kind),
    nth: whole(fault, 'nth', COUNT),
    phase: oneOf(fault, 'phase', kind.phases),
    ...length(fault, kind),
    ...amount(fault, kind, limits),
  };
}

function entity(fault: Fields, kind: FaultKind): string {
  const value = text(fault, 'entity');
  if (kind.forever === true && recipientNumber(value) === null)
    invalid(
      `${path(fault, 'entity')} must be a recipient (r17) for '${kind.do}', which is in what that one gets; got '${value}'`,
    );
  if (!/^(r\d+|w[1-9]\d*|p\d+|producer\d*|operator\d*|webhook\d*|\*)$/.test(value))
    invalid(
      `${path(fault, 'entity')} must be a recipient (r17), a worker (w2), a provider (p0), producer, operator, webhook or *, got '${value}'`,
    );
  return value;
}

function length(fault: Fields, kind: FaultKind): Pick<CallFault, 'ms'> {
  if (fault.of['ms'] === undefined) return {};
  if (kind.ms === null) invalid(`${path(fault, 'ms')} is too much: '${kind.do}' has no length; leave it out`);
  return { ms: whole(fault, 'ms', LENGTH) };
}

function amount(fault: Fields, kind: FaultKind, limits: Limits): Pick<CallFault, 'amount'> {
  if (fault.of['amount'] === undefined) return {};
  if (kind.amount === null) invalid(`${path(fault, 'amount')} is too much: '${kind.do}' has none; leave it out`);
  return { amount: whole(fault, 'amount', kind.amount(limits)) };
}
