import type { Progress } from '@sendonce/chaos';
import { SendonceError } from '@sendonce/core';
import { EXIT } from '../command-error.ts';
import { parseQueue } from '../flags/parse-queue.ts';
import { finish } from '../simulate/finish.ts';
import type { SimulateFlags } from '../simulate/flags.ts';
import type { ProgressLine } from '../simulate/progress.ts';
import { named, readPlan } from '../simulate/read-plan.ts';
import { checkKills, simulateSettings, type KnownNames, type SimulateSettings } from '../simulate/settings.ts';
import { simulateExitCode } from '../simulate/exit-code.ts';
import { bring, workloadOf, type Brought } from '../simulate/workload.ts';
import type { Terminal } from '../terminal.ts';
import type { RealReport } from '@sendonce/chaos/processes';
import { isOwn, isServer } from './address.ts';
import { openLedger, parseLedger } from './ledger-address.ts';
import { makePlaces, type Addresses } from './places.ts';
import { openQueue } from './queue-address.ts';
import { checkServerFaults, parseServerFaults, strikeServer } from './server-faults.ts';
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
    return show(await process(realCase(settings, recipients, isChosen(flags)), brought, run), brought, run, { seed });
  const onProgress = (state: Progress): void => progress.update(state);
  const found = await smallestPlan(settings, { signal, onProgress }).finally(() => progress.clear());
  if (found.kind === 'interrupted') return finish(found.report, { flags, terminal, brought, seed });
  return show(await process(caseOf(found.plan), brought, run), brought, run, { seed });
}

/** A known-bad sender without faults of the user's own: virtual time knows the smallest plan that shows what is wrong with it. */
function needsSearch({ sender, kills }: SimulateSettings, flags: SimulateFlags): boolean {
  return sender !== null && kills.length === 0 && !isChosen(flags);
}

/** Other faults than kills, or none on purpose. */
function isChosen(flags: SimulateFlags): boolean {
  return [flags['drop-acks'], flags.restart, flags.wipe].some((given) => given !== undefined);
}

function bringList(flags: SimulateFlags): Promise<Brought> {
  const files = { recipientsFile: flags['recipients-file'] ?? null, config: null };
  return bring(files, () => Promise.reject(new Error('a real run loads no config')));
}

async function process(of: RealCase, brought: Brought, { flags, signal, progress }: RealRun): Promise<RealReport> {
  const addresses = addressesIn(flags);
  checkQueue(addresses, of.setup.queue);
  const serverFaults = parseServerFaults(flags);
  const { recipients } = of.setup;
  checkServerFaults(serverFaults, addresses, typeof recipients === 'number' ? recipients : recipients.length);
  const { runReal: runProcesses } = await import('@sendonce/chaos/processes');
  const keep = flags.keep === true;
  const places = await makePlaces(addresses, { keep });
  const { ledger, queue } = places;
  return runProcesses({
    ...of,
    workload: workloadOf(brought, 0),
    entries: { worker: entry('worker'), provider: entry('provider') },
    openLedger,
    ledger: (folder) => ledger?.address ?? sqliteIn(folder),
    queue: queue === null ? null : { address: queue.address, open: openQueue },
    serverFaults: {
      faults: serverFaults,
      isForgetful: addresses.ledger === 'redis:',
      strike: (fault) => strikeServer(fault, places),
    },
    speed: hasServer(addresses) ? 1 : speedFor(of.setup.knobs),
    keep,
    onProgress: (state) => progress.update(state),
    signal,
  }).finally(async () => {
    progress.clear();
    await places.remove();
  });
}

/** @throws SendonceError `FLAG_INVALID` */
function addressesIn(flags: SimulateFlags): Addresses {
  const choice = parseQueue(flags.queue, flags['no-queue'] === true);
  return {
    ledger: flags.ledger === undefined ? null : parseLedger(flags.ledger),
    queue: choice?.kind === 'server' ? choice.address : null,
  };
}

/** Of a plan, which says whether there is a queue. @throws SendonceError `FLAG_INVALID` */
function checkQueue({ queue }: Addresses, hasQueue: boolean): void {
  if (queue !== null && !hasQueue)
    throw new SendonceError('FLAG_INVALID', '--queue does not go with this plan, which has no queue. Leave it out');
}

/** A server's time is its own, and goes as fast as it goes. */
function hasServer({ ledger, queue }: Addresses): boolean {
  return [ledger, queue].some((address) => address !== null && (isOwn(address) || isServer(address)));
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
