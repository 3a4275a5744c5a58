import type { ReportContext, SimulateReport } from '@sendonce/chaos';
import { commandError } from '../command-error.ts';
import { describeProviders } from '../config-file/describe-providers.ts';
import type { Terminal } from '../terminal.ts';
import { SendonceError } from '@sendonce/core';
import { againLine } from './again.ts';
import { isRefused, reasonOf } from './check-report.ts';
import { simulateExitCode } from './exit-code.ts';
import type { SimulateFlags } from './flags.ts';
import { showReport } from './show-report.ts';
import { inputOf, type Brought } from './workload.ts';
import { removeOldPlans, writePlan, writeReport } from './write-report.ts';

export interface Finish {
  readonly flags: SimulateFlags;
  readonly terminal: Terminal;
  readonly brought: Brought;
  /** Null where a plan has its own. */
  readonly seed: string | null;
  /** The plan that was replayed, and so needs no writing. */
  readonly replayed?: string;
  /** Plans kept by the user that passed before. */
  readonly regressions?: number;
  /** @defaultValue as the verdict says */
  readonly exitCodeOf?: () => number;
}

/**
 * Writes and shows a report, and gives the exit code. What cannot be written keeps nobody from seeing the result; it is said after it.
 */
export async function finish(report: SimulateReport, given: Finish): Promise<number> {
  const {
    flags,
    terminal,
    brought,
    seed,
    replayed,
    regressions = 0,
    exitCodeOf = () => simulateExitCode(report),
  } = given;
  const directory = flags.report ?? null;
  const failures: unknown[] = [];
  const tried = async <Value>(write: () => Promise<Value>): Promise<Value | null> => {
    try {
      return await write();
    } catch (error) {
      // Only what the system refused: a report that cannot be made is a fault of ours, and no verdict.
      if (!isRefused(error)) throw error;
      failures.push(error);
      return null;
    }
  };
  if (directory !== null) await tried(() => removeOldPlans(directory, replayed ?? null));
  const planFile = (await tried(() => writePlan(report, directory, replayed === undefined))) ?? replayed ?? null;
  const context: ReportContext = {
    input: inputOf(brought, report),
    again: againLine(counted(flags, report.schedules), seed),
    alone: (own) => againLine({ ...flags, for: undefined, schedules: '1' }, own),
    planFile,
    replay: planFile === null ? null : replayLine(planFile, flags),
    replayForReal: planFile === null ? null : await realLine(planFile, report, flags),
    directory,
    regressions,
    providers: brought.config === null ? null : describeProviders(brought.config),
    paint: terminal.paint,
  };
  if (directory !== null) await tried(() => writeReport(directory, report, context));
  await tried(() => showReport(report, context, { terminal, json: flags.json === true }));
  const code = exitCodeOf();
  if (failures.length === 0) return code;
  const what = directory ?? 'the plan or the step summary';
  const message = `${what} could not be written: ${reasonOf(failures[0])}. The run itself ended with exit code ${code}`;
  // The result is printed already: what is said about the rest must not be a second object.
  const error = commandError(new SendonceError('OUTPUT_FAILED', message, { cause: failures[0] }), []);
  terminal.err(error.text);
  // Whoever asked for no files has the result, and loses no verdict.
  return directory === null ? code : error.exitCode;
}

/** How many schedules a machine runs in a time is another number each time. */
function counted(flags: SimulateFlags, schedules: number): SimulateFlags {
  return flags.for === undefined || schedules === 0
    ? flags
    : { ...flags, for: undefined, schedules: String(schedules) };
}

function replayLine(planFile: string, flags: SimulateFlags): string {
  const own = { 'recipients-file': flags['recipients-file'], config: flags.config };
  return againLine({ replay: planFile, ...own }, null);
}

/** Null where real processes cannot be made to show it. */
async function realLine(planFile: string, report: SimulateReport, flags: SimulateFlags): Promise<string | null> {
  const { isForReal } = await import('@sendonce/chaos');
  if (flags.config !== undefined || !isForReal((report.minimal?.plan ?? report.result).faults)) return null;
  return againLine({ real: true, replay: planFile, 'recipients-file': flags['recipients-file'] }, null);
}
