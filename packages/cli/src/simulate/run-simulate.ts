import { randomBytes } from 'node:crypto';
import type { PlanFile, ReportContext, SimulateOptions, SimulateReport } from '@sendonce/chaos';
import { describeProviders } from '../config-file/describe-providers.ts';
import type { Terminal } from '../terminal.ts';
import { againLine } from './again.ts';
import { selfTestExitCode, simulateExitCode } from './exit-code.ts';
import type { SimulateFlags } from './flags.ts';
import { interruptSignal } from './interrupt.ts';
import { progressLine } from './progress.ts';
import { readPlan } from './read-plan.ts';
import { checkConflicts } from './check-conflicts.ts';
import { checkKills, simulateSettings, type SimulateSettings } from './settings.ts';
import { showReport } from './show-report.ts';
import { bring, inputOf, workloadOf, type Brought } from './workload.ts';
import { writePlan, writeReport } from './write-report.ts';

/** A recording of more people than this fits no memory; the report then has no events. */
const MOST_RECORDED = 20_000;

/** Runs `notify simulate` and gives its exit code; whatever the user got wrong is thrown as a SendonceError. */
export async function runSimulate(flags: SimulateFlags, terminal: Terminal): Promise<number> {
  checkConflicts(flags);
  const { signal, dispose } = interruptSignal();
  try {
    if (flags['self-test'] === true) return await runSelfTest(flags, terminal, signal);
    return flags.replay === undefined
      ? await runSearch(flags, terminal, signal)
      : await runReplay(flags.replay, flags, terminal, signal);
  } finally {
    dispose();
  }
}

async function runSearch(flags: SimulateFlags, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const { FAULT_NAMES, SENDER_NAMES, simulate } = await import('@sendonce/chaos');
  const settings = simulateSettings(flags, { faults: FAULT_NAMES, senders: SENDER_NAMES }, drawSeed);
  const brought = await bring(settings);
  if (brought.recipients !== null && brought.config === null)
    checkKills(settings.kills, brought.recipients.targets.length);
  const progress = progressLine(terminal);
  const report = await simulate({
    ...optionsOf(settings, brought),
    record: flags.report !== undefined && settings.recipients <= MOST_RECORDED,
    onProgress: (state) => progress.update(state),
    signal,
  }).finally(() => progress.clear());
  return finish(report, { flags, terminal, brought, seed: settings.seed });
}

async function runReplay(file: string, flags: SimulateFlags, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const plan: PlanFile = await readPlan(file);
  const { replayPlan } = await import('@sendonce/chaos');
  const brought = await bring({ recipientsFile: flags['recipients-file'] ?? null, config: flags.config ?? null });
  const samples = typeof plan.setup.recipients === 'number' ? plan.setup.recipients : plan.setup.recipients.length;
  const report = await replayPlan(plan, { workload: workloadOf(brought, samples), signal });
  return finish(report, { flags, terminal, brought, seed: null });
}

async function runSelfTest(flags: SimulateFlags, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const { selfTest, selfTestJson, selfTestText } = await import('@sendonce/chaos');
  const report = await selfTest({ seed: flags.seed ?? drawSeed(), signal });
  const json = flags.json === true;
  terminal.out(json ? `${JSON.stringify(selfTestJson(report), null, 2)}\n` : selfTestText(report, terminal.paint));
  return selfTestExitCode(report);
}

function optionsOf(settings: SimulateSettings, brought: Brought): SimulateOptions {
  const { workers, concurrency, provider, onUnknown, sender, seed, kills, dropAcks, schedules, forMs, profile } =
    settings;
  const recipients = brought.recipients?.targets.length ?? settings.recipients;
  const queue = settings.queue ?? (brought.config === null || brought.config.queue !== undefined);
  const setup = {
    recipients,
    workers,
    concurrency,
    provider,
    class: settings.class,
    onUnknown,
    queue,
    sender,
    knobs: {},
  };
  const workload = workloadOf(brought, settings.recipients);
  return { setup, seed, faults: kills, dropAcks, schedules, forMs, profile, workload };
}

interface Finish {
  readonly flags: SimulateFlags;
  readonly terminal: Terminal;
  readonly brought: Brought;
  /** Null where a plan has its own. */
  readonly seed: string | null;
}

async function finish(report: SimulateReport, { flags, terminal, brought, seed }: Finish): Promise<number> {
  const directory = flags.report ?? null;
  const planFile = await writePlan(report, directory);
  const context: ReportContext = {
    input: inputOf(brought, report),
    again: againLine(flags, seed),
    planFile,
    replay: planFile === null ? null : replayLine(planFile, flags),
    directory,
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

function drawSeed(): string {
  return randomBytes(4).toString('hex');
}
