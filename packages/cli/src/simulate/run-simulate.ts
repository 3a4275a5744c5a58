import { randomBytes } from 'node:crypto';
import type { Progress } from '@sendonce/chaos';
import type { NotifierConfig } from '@sendonce/core';
import type { Terminal } from '../terminal.ts';
import { selfTestExitCode } from './exit-code.ts';
import { finish } from './finish.ts';
import type { SimulateFlags } from './flags.ts';
import { progressLine, type ProgressLine } from './progress.ts';
import { named, readPlan } from './read-plan.ts';
import { checkConflicts } from './check-conflicts.ts';
import { REGRESSIONS, runRegressions } from './run-regressions.ts';
import { checkRealFlags } from '../real/check-real-flags.ts';
import { parseSeed, simulateSettings, type KnownNames } from './settings.ts';
import { simulateOptions } from './simulate-options.ts';
import { checkReport } from './check-report.ts';
import { bring, workloadOf, type LoadConfig } from './workload.ts';

interface Run {
  readonly flags: SimulateFlags;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly progress: ProgressLine;
  readonly loadConfig: LoadConfig;
  readonly searchThread: URL | undefined;
}

/** What a run is told by whoever started it. */
export interface Surroundings {
  /** Aborting it ends the run early, with what is known. @defaultValue never aborts */
  readonly signal?: AbortSignal;
  /** Where the user's code is run. @defaultValue right here */
  readonly loadConfig?: LoadConfig;
  /** The entry of the threads that search. @defaultValue none: all is run right here */
  readonly searchThread?: URL;
}

/** Runs `notify simulate` and gives its exit code; whatever the user got wrong is thrown as a SendonceError. */
export async function runSimulate(
  flags: SimulateFlags,
  terminal: Terminal,
  surroundings: Surroundings = {},
): Promise<number> {
  const { signal = new AbortController().signal, loadConfig = loadHere, searchThread } = surroundings;
  checkConflicts(flags);
  checkRealFlags(flags);
  checkReport(flags.report);
  const run = { flags, terminal, signal, loadConfig, searchThread, progress: progressLine(terminal) };
  if (flags['self-test'] === true) return runSelfTest(run);
  if (flags.real === true) return runForReal(run);
  return flags.replay === undefined ? runSearch(run) : runReplay(flags.replay, run);
}

async function loadHere(file: string): Promise<NotifierConfig> {
  return (await import('../config-file/load-config.ts')).loadConfig(file);
}

async function runForReal(run: Run): Promise<number> {
  const { runReal } = await import('../real/run-real.ts');
  return runReal({ ...run, knownNames, drawSeed });
}

async function knownNames(): Promise<KnownNames> {
  const { faultNames, KNOWN_BAD_SENDERS, setupFor } = await import('@sendonce/chaos');
  const senders = KNOWN_BAD_SENDERS.map((sender) => ({
    name: sender.name,
    setup: setupFor(sender),
    kinds: sender.kinds,
  }));
  return { faults: faultNames(), senders };
}

async function runSearch({ flags, terminal, signal, progress, loadConfig, searchThread }: Run): Promise<number> {
  const { replayPlan, simulate } = await import('@sendonce/chaos');
  const settings = simulateSettings(flags, await knownNames(), drawSeed);
  const brought = await bring(settings, loadConfig);
  const threads = searchThread === undefined ? {} : { threads: { entry: searchThread } };
  const options = { ...simulateOptions(settings, brought), ...threads, signal };
  const { plans, failed } = await runRegressions(settings.sender === null ? REGRESSIONS : null, (plan, file) =>
    named(file, () => replayPlan(plan, { workload: options.workload ?? null, signal })),
  );
  if (failed !== null) return finish(failed.report, { flags, terminal, brought, seed: null, replayed: failed.file });
  const onProgress = (state: Progress): void => progress.update(state);
  const report = await simulate({ ...options, onProgress }).finally(() => progress.clear());
  return finish(report, { flags, terminal, brought, seed: settings.seed, regressions: plans });
}

async function runReplay(file: string, { flags, terminal, signal, loadConfig }: Run): Promise<number> {
  const plan = await readPlan(file);
  const { replayPlan } = await import('@sendonce/chaos');
  const files = { recipientsFile: flags['recipients-file'] ?? null, config: flags.config ?? null };
  const brought = await bring(files, loadConfig);
  const { recipients } = plan.setup;
  const workload = workloadOf(brought, typeof recipients === 'number' ? recipients : recipients.length);
  const report = await named(file, () => replayPlan(plan, { workload, signal }));
  return finish(report, { flags, terminal, brought, seed: null, replayed: file });
}

async function runSelfTest({ flags, terminal, signal, progress }: Run): Promise<number> {
  const { selfTest, selfTestJson, selfTestText } = await import('@sendonce/chaos');
  const onProgress = (done: number, of: number): void => progress.show(`${done} of ${of} known-bad senders`);
  const seed = flags.seed === undefined ? drawSeed() : parseSeed(flags.seed);
  const report = await selfTest({ seed, onProgress, signal }).finally(() => progress.clear());
  const json = flags.json === true;
  terminal.out(
    json ? `${JSON.stringify(selfTestJson(report, seed), null, 2)}\n` : selfTestText(report, seed, terminal.paint),
  );
  return selfTestExitCode(report);
}

function drawSeed(): string {
  return randomBytes(4).toString('hex');
}
