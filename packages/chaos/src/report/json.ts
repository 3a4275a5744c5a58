import { CLASSES_OF_END, type EndClass, type Tally } from '../result.ts';
import type { ReportContext } from './context.ts';
import type { EndReason, Ends, SimulateReport } from './types.ts';
import { firstOfEach, recipientsIn } from './who.ts';

/** One object, printed by `--json` and written as `summary.json`. Its keys are a contract: `schema` rises when they change. */
export interface SimulateJson extends Readonly<Record<EndClass, number>> {
  readonly schema: 'sendonce.simulate/1';
  readonly verdict: SimulateReport['verdict'];
  readonly mode: SimulateReport['mode'];
  readonly seed: string;
  readonly recipients: number;
  readonly workers: number;
  readonly schedules: number;
  readonly input: number;
  readonly merged: number;
  readonly invalid: number;
  readonly requested: number;
  readonly kills: readonly { readonly at: number; readonly worker: string; readonly phase: string }[];
  readonly faults: { readonly armed: number; readonly fired: number };
  readonly violations: readonly {
    readonly invariant: string;
    readonly recipient: string | null;
    readonly plan: string | null;
  }[];
  /** Where several schedules ran: who got nothing, by reason, and what is in no sum. */
  readonly notSent?: readonly Omit<EndReason, 'own'>[];
  readonly outside?: Ends['outside'];
  readonly virtualMs: number;
  readonly wallMs: number;
  readonly traceHash: string;
}

/** The counts are sums over all schedules; the kills are those of the schedule that the report shows. */
export function simulateJson(report: SimulateReport, context: Pick<ReportContext, 'input' | 'planFile'>): SimulateJson {
  const { totals, result, schedules } = report;
  const merged = context.input.merged * schedules;
  const invalid = context.input.invalid.length * schedules;
  return {
    schema: 'sendonce.simulate/1',
    verdict: report.verdict,
    mode: report.mode,
    seed: report.seed,
    recipients: recipientsIn(report),
    workers: report.setup.workers,
    schedules,
    input: totals.requested + merged + invalid,
    merged,
    invalid,
    requested: totals.requested,
    ...inOrder(totals.tally),
    kills: result.kills.map(({ at, worker, phase }) => ({ at, worker, phase })),
    faults: { armed: totals.armed, fired: totals.fired },
    violations: violationsOf(report, context.planFile),
    ...(report.ends && { notSent: report.ends.reasons.map(notSentOf), outside: report.ends.outside }),
    virtualMs: Math.round(totals.virtualMs),
    wallMs: Math.round(report.wallMs),
    traceHash: report.traceHash,
  };
}

function notSentOf({ state, reason, count, schedules, faults }: EndReason): Omit<EndReason, 'own'> {
  return { state, reason, count, schedules, faults };
}

function inOrder(tally: Tally): Tally {
  return Object.fromEntries(CLASSES_OF_END.map((end) => [end, tally[end]])) as Record<EndClass, number>;
}

function violationsOf(
  { result, minimal, addressOf, idOf }: SimulateReport,
  planFile: string | null,
): SimulateJson['violations'] {
  // Shrinking keeps the class of one violation: the plan shows that one, and perhaps none of the others.
  const shown = new Set((minimal?.result ?? result).violations.map(({ invariant }) => invariant));
  return firstOfEach(result.violations).map(({ invariant, recipient }) => ({
    invariant,
    recipient: recipient === null ? null : (idOf[recipient] ?? addressOf[recipient] ?? recipient),
    plan: shown.has(invariant) ? planFile : null,
  }));
}
