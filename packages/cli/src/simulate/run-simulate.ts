import { randomBytes } from 'node:crypto';
import type { Progress } from '@sendonce/chaos';
import type { Terminal } from '../terminal.ts';
import { selfTestExitCode } from './exit-code.ts';
import { finish } from './finish.ts';
import type { SimulateFlags } from './flags.ts';
import { interruptSignal } from './interrupt.ts';
import { progressLine, type ProgressLine } from './progress.ts';
import { readPlan } from './read-plan.ts';
import { checkConflicts } from './check-conflicts.ts';
import { REGRESSIONS, runRegressions } from './run-regressions.ts';
import { parseSeed, simulateSettings } from './settings.ts';
import { simulateOptions } from './simulate-options.ts';
import { bring, workloadOf } from './workload.ts';

interface Run {
  readonly flags: SimulateFlags;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly progress: ProgressLine;
}

/** Runs `notify simulate` and gives its exit code; whatever the user got wrong is thrown as a SendonceError. */
export async function runSimulate(flags: SimulateFlags, terminal: Terminal): Promise<number> {
  checkConflicts(flags);
  const progress = progressLine(terminal);
  const { signal, dispose } = interruptSignal(() => {
    progress.clear();
    terminal.err('Interrupted before the schedule under way came to its end: nothing is known about it.\n');
  });
  const run = { flags, terminal, signal, progress };
  try {
    if (flags['self-test'] === true) return await runSelfTest(run);
    return flags.replay === undefined ? await runSearch(run) : await runReplay(flags.replay, run);
  } finally {
    dispose();
  }
}

async function runSearch({ flags, terminal, signal, progress }: Run): Promise<number> {
  const { faultNames, KNOWN_BAD_SENDERS, replayPlan, setupFor, simulate } = await import('@sendonce/chaos');
  const senders = KNOWN_BAD_SENDERS.map((sender) => ({
    name: sender.name,
    setup: setupFor(sender),
    kinds: sender.kinds,
  }));
  const known = { faults: faultNames(), senders };
  const settings = simulateSettings(flags, known, drawSeed);
  const brought = await bring(settings);
  const options = { ...simulateOptions(settings, brought), signal };
  const { plans, failed } = await runRegressions(settings.sender === null ? REGRESSIONS : null, (plan) =>
    replayPlan(plan, { workload: options.workload ?? null, signal }),
  );
  if (failed !== null) return finish(failed.report, { flags, terminal, brought, seed: null, replayed: failed.file });
  const onProgress = (state: Progress): void => progress.update(state);
  const report = await simulate({ ...options, onProgress }).finally(() => progress.clear());
  return finish(report, { flags, terminal, brought, seed: settings.seed, regressions: plans });
}

async function runReplay(file: string, { flags, terminal, signal }: Run): Promise<number> {
  const plan = await readPlan(file);
  const { replayPlan } = await import('@sendonce/chaos');
  const brought = await bring({ recipientsFile: flags['recipients-file'] ?? null, config: flags.config ?? null });
  const { recipients } = plan.setup;
  const workload = workloadOf(brought, typeof recipients === 'number' ? recipients : recipients.length);
  const report = await replayPlan(plan, { workload, signal });
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
