import { randomBytes } from 'node:crypto';
import type { Progress } from '@sendonce/chaos';
import type { Terminal } from '../terminal.ts';
import { selfTestExitCode } from './exit-code.ts';
import { finish } from './finish.ts';
import type { SimulateFlags } from './flags.ts';
import { interruptSignal } from './interrupt.ts';
import { progressLine } from './progress.ts';
import { readPlan } from './read-plan.ts';
import { checkConflicts } from './check-conflicts.ts';
import { REGRESSIONS, runRegressions } from './run-regressions.ts';
import { simulateSettings } from './settings.ts';
import { simulateOptions } from './simulate-options.ts';
import { bring, workloadOf } from './workload.ts';

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
  const { faultNames, KNOWN_BAD_SENDERS, replayPlan, simulate } = await import('@sendonce/chaos');
  const known = { faults: faultNames(), senders: KNOWN_BAD_SENDERS.map(({ name }) => name) };
  const settings = simulateSettings(flags, known, drawSeed);
  const brought = await bring(settings);
  const options = { ...simulateOptions(settings, brought), signal };
  const { plans, failed } = await runRegressions(settings.sender === null ? REGRESSIONS : null, (plan) =>
    replayPlan(plan, { workload: options.workload ?? null, signal }),
  );
  if (failed !== null) return finish(failed.report, { flags, terminal, brought, seed: null, replayed: failed.file });
  const progress = progressLine(terminal);
  const onProgress = (state: Progress): void => progress.update(state);
  const report = await simulate({ ...options, onProgress }).finally(() => progress.clear());
  return finish(report, { flags, terminal, brought, seed: settings.seed, regressions: plans });
}

async function runReplay(file: string, flags: SimulateFlags, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const plan = await readPlan(file);
  const { replayPlan } = await import('@sendonce/chaos');
  const brought = await bring({ recipientsFile: flags['recipients-file'] ?? null, config: flags.config ?? null });
  const { recipients } = plan.setup;
  const workload = workloadOf(brought, typeof recipients === 'number' ? recipients : recipients.length);
  const report = await replayPlan(plan, { workload, signal });
  return finish(report, { flags, terminal, brought, seed: null, replayed: file });
}

async function runSelfTest(flags: SimulateFlags, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const { selfTest, selfTestJson, selfTestText } = await import('@sendonce/chaos');
  const report = await selfTest({ seed: flags.seed ?? drawSeed(), signal });
  const json = flags.json === true;
  terminal.out(json ? `${JSON.stringify(selfTestJson(report), null, 2)}\n` : selfTestText(report, terminal.paint));
  return selfTestExitCode(report);
}

function drawSeed(): string {
  return randomBytes(4).toString('hex');
}
