import type { AcceptanceKill, Fault, PlanFile, SimulationSetup } from '@sendonce/chaos';
import { checkLatency } from '../simulate/check-latency.ts';
import { REAL_KNOBS } from './real-knobs.ts';
import type { SimulateSettings } from '../simulate/settings.ts';

/** What is run for real. */
export interface RealCase {
  readonly setup: SimulationSetup;
  readonly seed: string;
  readonly faults: readonly Fault[];
  readonly dropAcks: number;
  readonly expect?: string | undefined;
}

/** The run that the flags ask for; without a fault of their own, a worker is killed half-way. `recipients`: how many there are. */
export function realCase(settings: SimulateSettings, recipients: number, isCalm: boolean): RealCase {
  const { workers, provider, onUnknown, sender, knobs, seed, kills, dropAcks } = settings;
  const setup: SimulationSetup = {
    recipients,
    workers,
    concurrency: settings.concurrency ?? 50,
    provider,
    class: settings.class,
    onUnknown,
    queue: settings.queue ?? true,
    sender,
    // What a sender does by itself takes as long as it takes: it is run on a faster clock instead.
    knobs: sender === null ? { ...REAL_KNOBS, ...knobs } : knobs,
  };
  checkLatency(settings.latency, setup, null);
  const chosen = kills.length > 0 || isCalm || dropAcks > 0;
  return { setup, seed, dropAcks, faults: chosen ? kills : [halfWay(recipients)] };
}

export function caseOf({ setup, seed, faults, expect }: PlanFile): RealCase {
  return { setup, seed, faults, dropAcks: 0, expect };
}

function halfWay(recipients: number): AcceptanceKill {
  return { do: 'kill', acceptance: Math.ceil(recipients / 2), moment: 'after-accept' };
}
