import type { ReportContext, SimulateReport } from '@sendonce/chaos';
import { describeProviders } from '../config-file/describe-providers.ts';
import type { Terminal } from '../terminal.ts';
import { againLine } from './again.ts';
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
}

/** Writes and shows a report, and gives the exit code. */
export async function finish(report: SimulateReport, given: Finish): Promise<number> {
  const { flags, terminal, brought, seed, replayed, regressions = 0 } = given;
  const directory = flags.report ?? null;
  if (directory !== null) await removeOldPlans(directory, replayed ?? null);
  const planFile = (await writePlan(report, directory, replayed === undefined)) ?? replayed ?? null;
  const context: ReportContext = {
    input: inputOf(brought, report),
    again: againLine(flags, seed),
    planFile,
    replay: planFile === null ? null : replayLine(planFile, flags),
    directory,
    regressions,
    providers: brought.config === null ? null : describeProviders(brought.config),
    paint: terminal.paint,
  };
  if (directory !== null) await writeReport(directory, report, context);
  await showReport(report, context, { terminal, json: flags.json === true });
  return simulateExitCode(report);
}

function replayLine(planFile: string, flags: SimulateFlags): string {
  const own = { 'recipients-file': flags['recipients-file'], config: flags.config };
  return againLine({ replay: planFile, ...own }, null);
}
