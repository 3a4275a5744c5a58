import type { SimulateOptions } from '@sendonce/chaos';
import { checkLatency } from './check-latency.ts';
import { checkKills, type SimulateSettings } from './settings.ts';
import { workloadOf, type Brought } from './workload.ts';

/** A recording of more people than this fits no memory; the report then has no events. */
const MOST_RECORDED = 20_000;

/** What the harness is asked for: the flags, else what the user's own files say, else the defaults. */
export function simulateOptions(settings: SimulateSettings, brought: Brought): SimulateOptions {
  const { workers, provider, onUnknown, sender, knobs, seed, kills, dropAcks, schedules, forMs, profile } = settings;
  const { config } = brought;
  // With a config it is the number of examples, whoever they reach.
  const listed = config === null ? brought.recipients?.targets.length : undefined;
  const recipients = listed ?? settings.recipients;
  // How many people the routes of a config reach is known only later.
  if (config === null) checkKills(kills, recipients, listed !== undefined);
  const concurrency = settings.concurrency ?? config?.worker?.concurrency ?? 50;
  const queue = settings.queue ?? (config === null || config.queue !== undefined);
  const setup = { recipients, workers, concurrency, provider, class: settings.class, onUnknown, queue, sender, knobs };
  const workload = workloadOf(brought, settings.recipients);
  checkLatency(settings.latency, setup, workload);
  return {
    setup,
    seed,
    faults: kills,
    dropAcks,
    schedules,
    forMs,
    profile,
    workload,
    record: settings.record && recipients <= MOST_RECORDED,
  };
}
