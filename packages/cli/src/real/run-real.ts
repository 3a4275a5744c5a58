import type { Progress } from '@sendonce/chaos';
import { EXIT } from '../command-error.ts';
import { finish } from '../simulate/finish.ts';
import type { SimulateFlags } from '../simulate/flags.ts';
import type { ProgressLine } from '../simulate/progress.ts';
import { named, readPlan } from '../simulate/read-plan.ts';
import { checkKills, simulateSettings, type KnownNames, type SimulateSettings } from '../simulate/settings.ts';
import { simulateExitCode } from '../simulate/exit-code.ts';
import { bring, workloadOf, type Brought } from '../simulate/workload.ts';
import type { Terminal } from '../terminal.ts';
import type { RealReport } from '@sendonce/chaos/processes';
import { hasOwnClock, makePlace, openLedger, parseLedger } from './ledger-address.ts';
import { sqliteIn } from './sqlite-place.ts';
import { speedFor } from './real-knobs.ts';
import { caseOf, realCase, type RealCase } from './real-plan.ts';
import { smallestPlan } from './smallest-plan.ts';

export interface RealRun {
  readonly flags: SimulateFlags;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly progress: ProgressLine;
  readonly knownNames: () => Promise<KnownNames>;
  readonly drawSeed: () => string;
}

/** Runs `notify simulate --real` and gives its exit code. */
export async function runReal(run: RealRun): Promise<number> {
  const { flags } = run;
  return flags.replay === undefined ? runFlags(run) : runPlan(flags.replay, run);
}

async function runPlan(file: string, run: RealRun): Promise<number> {
  const plan = await readPlan(file);
  const brought = await bringList(run.flags);
  const report = await named(file, () => process(caseOf(plan), brought, run));
  return show(report, brought, run, { seed: null, replayed: file });
}

async function runFlags(run: RealRun): Promise<number> {
  const { flags, terminal, knownNames, drawSeed, signal, progress } = run;
  const settings = simulateSettings(flags, await knownNames(), drawSeed);
  const brought = await bringList(flags);
  const recipients = brought.recipients?.targets.length ?? settings.recipients;
  checkKills(settings.kills, recipients);
  const { seed } = settings;
  if (!needsSearch(settings, flags))
    return show(
      await process(realCase(settings, recipients, flags['drop-acks'] !== undefined), brought, run),
      brought,
      run,
      { seed },
    );
  const onProgress = (state: Progress): void => progress.update(state);
  const found = await smallestPlan(settings, { signal, onProgress }).finally(() => progress.clear());
  if (found.kind === 'interrupted') return finish(found.report, { flags, terminal, brought, seed });
  return show(await process(caseOf(found.plan), brought, run), brought, run, { seed });
}

/** A known-bad sender without faults of the user's own: virtual time knows the smallest plan that shows what is wrong with it. */
function needsSearch({ sender, kills }: SimulateSettings, flags: SimulateFlags): boolean {
  return sender !== null && kills.length === 0 && flags['drop-acks'] === undefined;
}

function bringList(flags: SimulateFlags): Promise<Brought> {
  const files = { recipientsFile: flags['recipients-file'] ?? null, config: null };
  return bring(files, () => Promise.reject(new Error('a real run loads no config')));
}

async function process(of: RealCase, brought: Brought, { flags, signal, progress }: RealRun): Promise<RealReport> {
  const { runReal: runProcesses } = await import('@sendonce/chaos/processes');
  const address = flags.ledger === undefined ? null : parseLedger(flags.ledger);
  const keep = flags.keep === true;
  const place = address === null ? null : await makePlace(address, { keep });
  return runProcesses({
    ...of,
    workload: workloadOf(brought, 0),
    entries: { worker: entry('worker'), provider: entry('provider') },
    openLedger,
    ledger: (folder) => place?.address ?? sqliteIn(folder),
    speed: address !== null && hasOwnClock(address) ? 1 : speedFor(of.setup.knobs),
    keep,
    onProgress: (state) => progress.update(state),
    signal,
  }).finally(async () => {
    progress.clear();
    await place?.remove();
  });
}

/** The files that child processes run. The build puts what is loaded on demand, such as this file, at the root of its folder. */
function entry(name: 'worker' | 'provider'): URL {
  return new URL(`./real/${name}.js`, import.meta.url);
}

type Shown = { readonly seed: string | null; readonly replayed?: string };

function show(report: RealReport, brought: Brought, { flags, terminal }: RealRun, shown: Shown): Promise<number> {
  return finish(report, { flags, terminal, brought, ...shown, exitCodeOf: () => realExitCode(report) });
}

/** A run that took too long and hurt nobody only came to no end. */
export function realExitCode(report: RealReport): number {
  const { tally, violations } = report.result;
  const hurt = tally.duplicated + tally.phantom > 0 || violations.some(({ kind }) => kind === 'safety');
  if (report.real.end === 'timeout' && !hurt) return EXIT.liveness;
  return simulateExitCode(report);
}
