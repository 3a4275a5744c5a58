import { faultKind } from '../faults/index.ts';
import type { CallFault, Fault } from '../plan.ts';
import { limitsIn } from '../world/limits.ts';
import { goneForGood } from '../world/soundness.ts';
import { isCallFault, recipientCount, recipientOf, type Case, type Verdict } from './case.ts';

/** How few recipients and workers a shrunk case may have, tried from the least. */
const SIZES = [1, 2, 3, 5, 10, 50, 200];
const WORKERS = [1, 2, 3];

/**
 * Smaller cases in steps of the domain, the boldest first: only the faults that fired, fewer faults, fewer recipients, fewer workers,
 * shorter faults, earlier times. Each is one change of the given case.
 */
export function* candidates(current: Case, verdict: Verdict): Generator<Case> {
  yield* firedOnly(current, verdict);
  yield* fewerFaults(current);
  yield* fewerRecipients(current, verdict);
  yield* fewerWorkers(current);
  yield* simplerFaults(current);
}

function* firedOnly(current: Case, { fired }: Verdict): Generator<Case> {
  if (fired.length !== current.faults.length || fired.every(Boolean)) return;
  yield { ...current, faults: current.faults.filter((_, at) => fired[at]) };
}

/** Delta debugging: without each half, quarter, ..., single. */
function* fewerFaults(current: Case): Generator<Case> {
  const { faults } = current;
  for (let size = Math.ceil(faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < faults.length; from += size) yield { ...current, faults: faults.toSpliced(from, size) };
  }
}

/** The recipients that matter first, then others to fill up; they keep their numbers, so the faults keep their addresses. */
function* fewerRecipients(current: Case, { involved }: Verdict): Generator<Case> {
  const count = recipientCount(current.setup);
  const all = typeof current.setup.recipients === 'number' ? null : current.setup.recipients;
  const named = [...new Set([...current.faults.map(recipientOf).filter((each) => each !== null), ...involved])];
  const known = named.filter((each) => (all === null ? each < count : all.includes(each)));
  const rest = (all ?? Array.from({ length: Math.min(count, 400) }, (_, at) => at)).filter(
    (each) => !known.includes(each),
  );
  for (const size of SIZES) {
    if (size >= count) return;
    const kept = [...known, ...rest].slice(0, size).sort((a, b) => a - b);
    yield { ...current, setup: { ...current.setup, recipients: kept } };
  }
}

/** Somebody must be left to do the work, or every plan ends in the same trivial loss. */
function* fewerWorkers(current: Case): Generator<Case> {
  const gone = goneForGood(current.faults);
  for (const workers of WORKERS)
    if (workers > gone && workers < current.setup.workers) yield { ...current, setup: { ...current.setup, workers } };
}

function* simplerFaults(current: Case): Generator<Case> {
  for (const [at, fault] of current.faults.entries()) {
    if (!isCallFault(fault)) continue;
    for (const simpler of simplerFault(fault, current)) yield { ...current, faults: current.faults.with(at, simpler) };
  }
}

function* simplerFault(fault: CallFault, current: Case): Generator<Fault> {
  for (const ms of lengths(current)) if (fault.ms !== undefined && ms < fault.ms) yield { ...fault, ms };
  if (fault.amount !== undefined && fault.amount > 1) {
    const amount = Math.max(leastAmount(fault, current), Math.ceil(fault.amount / 2));
    if (amount < fault.amount) yield { ...fault, amount };
  }
  if (fault.nth > 1) yield { ...fault, nth: 1 };
  if (fault.nth > 2) yield { ...fault, nth: Math.ceil(fault.nth / 2) };
}

/** A smaller plan is one that can be read again. */
function leastAmount(fault: CallFault, { setup }: Case): number {
  return faultKind(fault.do, fault.op)?.amount?.(limitsIn(setup, null)).least ?? 1;
}

/** The lengths at which behaviour changes: a second, and just under and over each lease and window. */
export function lengths({ setup }: Case): readonly number[] {
  const { knobs } = setup;
  const edges = [knobs['leaseMs'], knobs['dispatchMs'], knobs['keyWindowMs']].filter((edge) => edge !== undefined);
  return [1_000, ...edges.flatMap((edge) => [edge - 1, edge + 1_000])].filter((ms) => ms > 0).sort((a, b) => a - b);
}
