import { createJudge } from './checkers/index.ts';
import type { SeenMove } from './checkers/states.ts';
import { scheduleCoverage, type Covered } from './coverage.ts';
import type { HistoryEvent, Observer } from './history.ts';
import { recorder } from './recorder.ts';
import type { RunResult, Violation } from './result.ts';
import { runOnce, type RawRun } from './run.ts';
import { hashText } from './kernel/draw.ts';
import { isCallFault, recipientOf, type Case, type Verdict } from './search/case.ts';
import { knownBadSender } from './senders/index.ts';
import { traceHash } from './trace-hash.ts';
import type { WorkloadSpec } from './workload.ts';
import { worstOf } from './worst.ts';

/** Events kept of a recorded run; a timeline is read by people. */
const MOST_EVENTS = 200_000;

/** What stays the same over all schedules of a search. */
export interface ScheduleOptions {
  readonly workload: WorkloadSpec | null;
  /** Count what was tried and seen. */
  readonly covered: boolean;
  readonly record: boolean;
  /** Hash every event into `traceHash`; else only what the run came to. A search does it for the schedules that it runs twice. */
  readonly trace: boolean;
  /** Asked every few thousand events, with how many messages were accepted so far; true ends the run by throwing RunAborted. @defaultValue never */
  readonly isAborted?: (accepted: number) => boolean;
}

/** One schedule, run and judged. */
export interface Schedule {
  readonly of: Case;
  readonly result: RunResult;
  readonly raw: RawRun;
  readonly moves: readonly SeenMove[];
  /** Null unless asked for. */
  readonly covered: Covered | null;
  /** Empty unless recorded. */
  readonly events: readonly HistoryEvent[];
}

/** Runs a case and judges it. The same case gives the same schedule, event by event. */
export async function runSchedule(of: Case, options: ScheduleOptions): Promise<Schedule> {
  const { seed, setup, faults } = of;
  const { workload, isAborted } = options;
  const sender = setup.sender === null ? null : (knownBadSender(setup.sender)?.make ?? null);
  const hash = options.trace ? traceHash() : null;
  const kept = options.record ? recorder({ max: MOST_EVENTS }) : null;
  const covered = options.covered ? scheduleCoverage() : null;
  let judge: ReturnType<typeof createJudge> | undefined;
  const raw = await runOnce({
    setup,
    seed,
    faults,
    workload,
    sender,
    ...(isAborted && { isAborted }),
    observe: (context) => {
      judge = createJudge(context);
      return [judge.observer, hash, kept, covered].filter((each): each is Observer => each !== null);
    },
  });
  if (judge === undefined) throw new Error('nobody judged the run');
  const { requested, tally, unsealed, events, moves, ...judged } = judge.finish(raw.facts);
  const violations = setup.sender === null ? judged.violations : peopleFirst(judged.violations);
  const kills = raw.kills.map(({ acceptance, worker, moment }) => ({ at: acceptance, worker, phase: moment }));
  const result: RunResult = {
    seed,
    setup,
    faults,
    fired: raw.fired,
    requested,
    tally,
    kills,
    violations,
    unsealed,
    notSent: [...judged.notSent, ...nowhere(raw, workload)],
    virtualMs: raw.virtualMs,
    events,
    traceHash: hash?.digest() ?? outline({ fired: raw.fired, requested, tally, events, virtualMs: raw.virtualMs }),
  };
  return { of, result, raw, moves, covered: covered?.end(moves) ?? null, events: kept?.events ?? [] };
}

/** A run's end in short, for schedules whose events nobody hashes. */
function outline(end: object): string {
  return hashText(JSON.stringify(end)).toString(16).padStart(16, '0');
}

/** Notifications whose route gave up: whom they would have reached is known to nobody, so they are listed under their own name. */
function nowhere(raw: RawRun, workload: WorkloadSpec | null): RunResult['notSent'] {
  if (workload?.kind !== 'config') return [];
  return raw.facts.failedNotifications.map(({ notificationId, reason }) => ({
    recipient: raw.publicationOf(notificationId) ?? notificationId,
    state: 'failed',
    reason: reason ?? 'its route gave up',
    own: true,
  }));
}

/**
 * In which way a run was wrong that a search is after; null: in none. A known-bad sender keeps hardly any rule of the protocol even when
 * nothing breaks, so of it the wrong that it stands for is looked for; whatever else it did is in the verdict all the same (`worstOf`).
 */
export function failureOf(result: RunResult): string | null {
  const { tally, violations, setup } = result;
  const stands = setup.sender === null ? null : (knownBadSender(setup.sender)?.caughtBy ?? null);
  if (stands === null) return worstOf(result)?.name ?? null;
  if (tally.duplicated > 0 && stands.includes('duplicated')) return 'duplicated';
  if (tally.lost > 0 && stands.includes('lost')) return 'lost';
  const stuck = stands.includes('stuck') ? violations.find(({ kind }) => kind === 'liveness') : undefined;
  return stuck?.invariant ?? null;
}

/** Of a known-bad sender, what happened to somebody comes before which rule was not kept. */
function peopleFirst(violations: readonly Violation[]): readonly Violation[] {
  const about = ({ invariant }: Violation): boolean => invariant === 'END' || invariant === 'S1';
  return [...violations.filter(about), ...violations.filter((violation) => !about(violation))];
}

export function verdictOf({ result, raw }: Schedule): Verdict {
  const named = result.violations.map(({ recipient }) => (recipient === null ? null : Number(recipient.slice(1))));
  const struck = result.faults.map(recipientOf);
  const killed = raw.kills.map(({ deliveryId }) => raw.recipientOf(deliveryId));
  const involved = [...killed, ...named, ...struck].filter((each): each is number => each !== null && each >= 0);
  return { failure: failureOf(result), fired: result.fired, involved: [...new Set(involved)] };
}

/** The case with its counted kills addressed by their deliveries, so that it can be made smaller. */
export function withoutCounts({ of, raw }: Schedule): Case {
  const faults = of.faults.flatMap((fault, index) => {
    if (isCallFault(fault)) return [fault];
    return raw.kills.filter((kill) => kill.index === index).map(({ rewritten }) => rewritten);
  });
  return { ...of, faults };
}
