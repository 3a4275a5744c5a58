import type { PlanFile, SimulationSetup } from './plan.ts';
import type { SelfTestOptions, SelfTestReport, SelfTestRow } from './report/types.ts';
import type { KnownBadSender } from './senders/sender.ts';
import { KNOWN_BAD_SENDERS } from './senders/index.ts';
import { simulate } from './simulate.ts';

/** More than that many faults is no minimal plan of a known-bad sender. */
const MOST_FAULTS = 2;
const SCHEDULES = 400;

/** The world that a known-bad sender is shown in: small, so that its plan is. */
export function setupFor(sender: KnownBadSender, recipients = 20): SimulationSetup {
  return {
    recipients,
    workers: 2,
    concurrency: 10,
    provider: 'keyed',
    class: 'transactional',
    onUnknown: null,
    queue: true,
    knobs: {},
    ...sender.setup,
    sender: sender.name,
  };
}

/** Runs every known-bad sender; each must be caught in its stated class, by a plan of at most two faults. */
export async function selfTest(options: SelfTestOptions): Promise<SelfTestReport> {
  const startedAt = performance.now();
  const { senders } = options;
  const chosen = KNOWN_BAD_SENDERS.filter(({ name }) => senders === undefined || senders.includes(name));
  const rows: SelfTestRow[] = [];
  for (const sender of chosen) {
    const row = await test(sender, options);
    if (row === null) break;
    rows.push(row);
    options.onProgress?.(rows.length, chosen.length);
  }
  const interrupted = rows.length < chosen.length;
  return {
    passed: !interrupted && rows.every(({ caught }) => caught),
    rows,
    wallMs: Math.round(performance.now() - startedAt),
    interrupted,
  };
}

/** Null: nobody waited for it, and it was not caught by then. */
async function test(sender: KnownBadSender, { seed, signal }: SelfTestOptions): Promise<SelfTestRow | null> {
  if (signal?.aborted === true) return null;
  const startedAt = performance.now();
  const report = await simulate({
    setup: setupFor(sender),
    seed,
    faults: [],
    schedules: SCHEDULES,
    profile: sender.kinds,
    explain: false,
    ...(signal && { signal }),
  });
  const shown = report.minimal?.result ?? null;
  const seen =
    shown === null
      ? null
      : seenIn(
          shown.tally,
          shown.violations.map(({ kind }) => kind),
        );
  const plan: PlanFile | null = report.minimal?.plan ?? null;
  const caught =
    seen !== null &&
    (sender.caughtBy as readonly string[]).includes(seen) &&
    plan !== null &&
    plan.faults.length <= MOST_FAULTS;
  if (report.interrupted && !caught) return null;
  return {
    sender: sender.name,
    about: sender.about,
    expected: sender.caughtBy,
    caught,
    seen,
    plan,
    wallMs: Math.round(performance.now() - startedAt),
  };
}

function seenIn(
  tally: { readonly duplicated: number; readonly lost: number },
  kinds: readonly string[],
): string | null {
  if (tally.duplicated > 0) return 'duplicated';
  if (tally.lost > 0) return 'lost';
  return kinds.includes('liveness') ? 'stuck' : (kinds[0] ?? null);
}
