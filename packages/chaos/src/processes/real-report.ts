import type { PolicyFacts } from '../checkers/context.ts';
import { hashText } from '../kernel/draw.ts';
import type { Fault } from '../plan.ts';
import type { RunResult } from '../result.ts';
import { runVerdict } from '../verdict.ts';
import { namesOf, numbersIn } from '../who-is-who.ts';
import type { Knobs } from '../world/knobs.ts';
import type { Audience } from './audience.ts';
import { eventsOf } from './events.ts';
import { exitWords } from './exit-words.ts';
import type { Crash, ExplainedKill, RealEnd, RealFacts, RealKill } from './facts.ts';
import { judge, JUDGED, NOTHING_JUDGED, type Judgement, type Remains } from './judge.ts';
import { recoveryOf } from './recovery.ts';
import { longerBy, serverFaultKind, unprovenUntil } from './server-faults.ts';
import type { ServerStrikes } from './server-strikes.ts';
import type { RealOptions, RealReport } from './types.ts';

/** More messages than this are read by nobody. */
const MOST_TOLD = 20_000;
/** Beyond the longest window: what the sweeper's rhythm and a busy host may add, ms. */
const RECOVERY_SLACK_MS = 2_000;

/** What the supervisor saw while it lasted. */
export interface Seen {
  /** By index of the plan. */
  readonly fired: readonly boolean[];
  readonly kills: readonly ExplainedKill[];
  readonly counted: RunResult['kills'];
  readonly crashes: readonly Crash[];
  readonly servers: Pick<ServerStrikes, 'done' | 'struck'>;
}

/** Everything that is known of a run once it is over. */
export interface Known {
  readonly options: RealOptions;
  readonly faults: readonly Fault[];
  readonly knobs: Knobs;
  readonly speed: number;
  readonly audience: Audience;
  readonly policy: PolicyFacts;
  readonly seen: Seen;
  readonly end: RealEnd;
  /** The ledger's. */
  readonly address: string;
  /** Null: it is removed. */
  readonly folder: string | null;
  /** Null: nobody waited for an end that could be judged. */
  readonly remains: Remains | null;
  readonly wallMs: number;
}

/** Judges a run and says all of it in the words that a virtual run is told in. */
export function realReport(known: Known): RealReport {
  const { options, faults, audience, policy, seen, end, remains, wallMs } = known;
  const { setup, seed } = options;
  const forgotUntil = unprovenUntil(seen.servers.done, known.knobs);
  const judgement = remains === null ? NOTHING_JUDGED : judge(remains, audience, policy, forgotUntil);
  const real = realFacts(known);
  const violations = [...judgement.violations, ...tooLate(real)];
  const result = resultOf(known, judgement, violations);
  const interrupted = end === 'interrupted';
  const doubts = interrupted ? [] : doubtsOf(known, result);
  const { requested, tally, moves } = judgement;
  return {
    verdict: runVerdict({ hasTwoHistories: false, isBroken: violations.length > 0, interrupted, doubts }),
    mode: 'real',
    seed,
    setup,
    schedules: interrupted ? 0 : 1,
    totals: { requested, tally, ...armedAndFired(faults, seen), virtualMs: 0 },
    result,
    minimal: null,
    ...told(known),
    ...namesOf(numbersIn(result), [audience]),
    coverage: { faults: [...coverage(faults, seen.fired), ...serverCoverage(known)], moves, pairs: 0 },
    checked: remains === null ? [] : JUDGED,
    doubts,
    nondeterminism: null,
    interrupted,
    wallMs,
    traceHash: result.traceHash,
    real,
  };
}

function resultOf(
  { options: { setup, seed }, faults, seen, remains }: Known,
  { requested, tally, unsealed, notSent }: Judgement,
  violations: RunResult['violations'],
): RunResult {
  const { fired, counted: kills } = seen;
  return {
    seed,
    setup,
    faults,
    fired,
    requested,
    tally,
    kills,
    violations,
    unsealed,
    notSent,
    virtualMs: 0,
    events: remains?.mailbox.length ?? 0,
    // Of the end alone: real time decides everything before it.
    traceHash: hashText(JSON.stringify({ requested, tally, fired })).toString(16).padStart(8, '0'),
  };
}

function realFacts({ end, address, folder, speed, knobs, seen, options, remains }: Known): RealFacts {
  const { leaseMs, dispatchMs } = knobs;
  return {
    end,
    ledger: address,
    queue: options.setup.queue ? (options.queue?.address ?? null) : null,
    folder,
    speed,
    leaseMs,
    dispatchMs,
    kills: options.setup.sender === null ? recovered(seen.kills, remains) : seen.kills.map(withoutRecovery),
    servers: seen.servers.done,
    recoverWithinMs:
      Math.max(leaseMs, dispatchMs) +
      RECOVERY_SLACK_MS * speed +
      longerBy(seen.servers.done, { knobs, isForgetful: options.serverFaults?.isForgetful === true }),
    crashes: seen.crashes,
    messages: remains?.mailbox.length ?? 0,
  };
}

function recovered(kills: readonly ExplainedKill[], remains: Remains | null): readonly RealKill[] {
  if (remains === null) return kills.map(withoutRecovery);
  return kills.map((kill) => ({ ...kill, recovery: recoveryOf(kill, remains.stories.values()) }));
}

function withoutRecovery(kill: ExplainedKill): RealKill {
  return { ...kill, recovery: null };
}

/** Orphans that nobody took up in time, or ever. */
export function tooLate({ kills, recoverWithinMs: withinMs }: RealFacts): RunResult['violations'] {
  return kills.flatMap(({ worker, at, recovery }) => {
    if (recovery === null || recovery.orphans === 0) return [];
    const { orphans, firstMs } = recovery;
    if (firstMs !== null && firstMs <= withinMs) return [];
    const then =
      firstMs === null ? 'never moved again' : `moved again after ${Math.round(firstMs)} ms, not within ${withinMs} ms`;
    const message = `${worker} died with ${orphans} deliveries in its hands, and the first of them ${then}`;
    return [{ invariant: 'L2', kind: 'liveness' as const, at, recipient: null, deliveryId: null, message }];
  });
}

/** What was asked for and did not happen proves nothing. */
function doubtsOf(
  { options: { expect, serverFaults }, faults, seen }: Known,
  { violations }: RunResult,
): readonly string[] {
  const doubts = faults.flatMap((fault, index) =>
    seen.fired[index] === true
      ? []
      : [`fault ${index + 1} (${fault.do}) never fired: what it is addressed to never happened`],
  );
  for (const [index, { do: what, server, acceptance }] of (serverFaults?.faults ?? []).entries())
    if (seen.servers.struck[index] !== true)
      doubts.push(`${what} of the ${server} never happened: there was no acceptance ${acceptance}`);
  for (const { worker, tail, ...exit } of seen.crashes)
    doubts.push(`${worker} ended by itself with ${exitWords(exit)}${tail === '' ? '' : `: ${tail}`}`);
  if (expect !== undefined && expect !== 'pass' && !violations.some(({ invariant }) => invariant === expect))
    doubts.push(`the plan expects ${expect}, and that was not broken on real processes`);
  return doubts;
}

/** What reached the providers, and who died: what can be told of processes that nobody watches. */
function told({ audience, seen, remains }: Known): Pick<RealReport, 'events' | 'recipientOf'> {
  const mailbox = remains?.mailbox ?? [];
  if (mailbox.length > MOST_TOLD) return { events: [], recipientOf: {} };
  const recipientOf: Record<string, string> = {};
  for (const line of mailbox) {
    const recipient = audience.recipientAt(line);
    if (recipient >= 0) recipientOf[line.deliveryId] = `r${recipient}`;
  }
  return { events: eventsOf(mailbox, seen.kills), recipientOf };
}

function armedAndFired(
  faults: readonly Fault[],
  { fired, servers: { struck } }: Seen,
): { armed: number; fired: number } {
  return {
    armed: faults.length + struck.length,
    fired: [...fired, ...struck].filter(Boolean).length,
  };
}

function serverCoverage({ options: { serverFaults }, seen }: Known): RealReport['coverage']['faults'] {
  return (serverFaults?.faults ?? []).map((fault, index) => ({
    kind: serverFaultKind(fault),
    armed: 1,
    fired: seen.servers.struck[index] === true ? 1 : 0,
  }));
}

function coverage(faults: readonly Fault[], fired: readonly boolean[]): RealReport['coverage']['faults'] {
  const sums = new Map<string, { armed: number; fired: number }>();
  for (const [index, fault] of faults.entries()) {
    const kind = 'op' in fault ? `${fault.do} ${fault.op} ${fault.phase}` : `kill ${fault.moment}`;
    const sum = sums.get(kind) ?? { armed: 0, fired: 0 };
    sums.set(kind, { armed: sum.armed + 1, fired: sum.fired + (fired[index] === true ? 1 : 0) });
  }
  return [...sums].map(([kind, sum]) => ({ kind, ...sum }));
}
