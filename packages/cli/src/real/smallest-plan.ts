import type { PlanFile, Progress, SimulateReport } from '@sendonce/chaos';
import { SendonceError } from '@sendonce/core';
import type { SimulateSettings } from '../simulate/settings.ts';

interface Watching {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export type Found =
  | { readonly kind: 'found'; readonly plan: PlanFile }
  /** Somebody did not wait; what was known by then. */
  | { readonly kind: 'interrupted'; readonly report: SimulateReport };

/**
 * Looks in virtual time for the smallest plan that shows what is wrong with a known-bad sender, among the faults that real processes can
 * be made to show.
 * @throws SendonceError `FLAG_INVALID` when there is none among the faults of the sender.
 */
export async function smallestPlan(settings: SimulateSettings, watching: Watching): Promise<Found> {
  const { KNOWN_BAD_SENDERS } = await import('@sendonce/chaos');
  const { realKinds } = await import('@sendonce/chaos/processes');
  const { sender: name, schedules } = settings;
  const kinds = realKinds(KNOWN_BAD_SENDERS.find((each) => each.name === name)?.kinds ?? []);
  // What strikes at a send shows it by itself; elsewhere it may depend on what else is on its way, which real time decides.
  const atSends = kinds.filter((kind) => kind.endsWith('@provider.send'));
  for (const profile of [atSends, kinds]) {
    if (profile.length === 0) continue;
    const report = await search(settings, profile, watching);
    if (report.interrupted) return { kind: 'interrupted', report };
    if (report.minimal !== null) return { kind: 'found', plan: report.minimal.plan };
  }
  throw new SendonceError(
    'FLAG_INVALID',
    `--real --break ${name}: no plan that real processes can be made to show was found in ${schedules} schedules. Leave --real out to see it in virtual time`,
  );
}

async function search(
  settings: SimulateSettings,
  profile: readonly string[],
  { signal, onProgress }: Watching,
): Promise<SimulateReport> {
  const { simulate } = await import('@sendonce/chaos');
  const { sender, seed, workers, concurrency, provider, onUnknown, queue, knobs, recipients, schedules } = settings;
  return simulate({
    setup: {
      recipients,
      workers,
      concurrency: concurrency ?? 50,
      provider,
      class: settings.class,
      onUnknown,
      queue: queue ?? true,
      sender,
      knobs,
    },
    seed,
    faults: [],
    schedules,
    profile,
    explain: false,
    onProgress,
    signal,
  });
}
