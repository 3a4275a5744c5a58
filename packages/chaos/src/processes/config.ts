import type {
  Channel,
  Clock,
  Ledger,
  NotifierConfig,
  Provider,
  ProviderCapabilities,
  Queue,
  QueueCapabilities,
} from '@sendonce/core';
import { systemRandom } from '@sendonce/core/system';
import type { SimulationSetup } from '../plan.ts';
import type { Workload } from '../workload.ts';
import { providerOutlines } from '../world/capabilities.ts';
import type { Knobs } from '../world/knobs.ts';
import { workerOptions } from '../world/ports.ts';
import type { Gate } from './gate.ts';
import { gatedLedger, gatedProvider, gatedQueue } from './gated-ports.ts';
import type { Caller } from './loopback.ts';
import { httpProvider } from './provider-client.ts';
import { httpQueue } from './queue-http.ts';

export interface ProcessParts {
  /** Who speaks: `w2`, `producer`. */
  readonly name: string;
  readonly setup: SimulationSetup;
  readonly knobs: Knobs;
  readonly workload: Workload;
  readonly channels: readonly Channel[];
  readonly ledger: Ledger;
  /** Null: the run's own. */
  readonly queue: Queue | null;
  readonly caller: Caller;
  readonly clock: Clock;
  readonly speed: number;
  readonly gate: Gate;
}

/** The config of one process: the simulated types over real ports. */
export function processConfig(parts: ProcessParts): NotifierConfig {
  const { setup, knobs, workload, ledger, clock, gate } = parts;
  return {
    ledger: gatedLedger(ledger, gate),
    ...(setup.queue && { queue: gatedQueue(parts.queue ?? ownQueue(parts), gate) }),
    channels: channelsOf(parts),
    notifications: workload.notifications,
    worker: workerOptions(knobs, setup.concurrency),
    clock,
    random: systemRandom,
  };
}

export function queueCapabilities({ queueBatch, visibilityMs }: Knobs): QueueCapabilities {
  return { maxDelayMs: 900_000, maxBatch: queueBatch, visibilityMs, durable: true };
}

/** What every provider of the run can do. */
export function capabilitiesOf({ provider }: SimulationSetup, knobs: Knobs): ProviderCapabilities {
  const [outline] = providerOutlines(null, ['email'], provider, knobs);
  if (outline === undefined) throw new Error('a run has providers');
  return outline.capabilities;
}

function ownQueue({ caller, knobs, speed }: ProcessParts): Queue {
  const timeoutMs = hostMs(knobs.queueTimeoutMs, speed);
  return httpQueue({ caller, capabilities: queueCapabilities(knobs), timeoutMs, speed });
}

function channelsOf({
  name: worker,
  setup,
  knobs,
  channels,
  caller,
  speed,
  gate,
}: ProcessParts): NotifierConfig['channels'] {
  const timeoutMs = hostMs(knobs.sendTimeoutMs, speed);
  const providersOf = (channel: Channel): Provider[] =>
    providerOutlines(null, [channel], setup.provider, knobs).map(({ name, capabilities }) =>
      gatedProvider(httpProvider({ name, channel, capabilities, worker, caller, timeoutMs }), gate),
    );
  return Object.fromEntries(channels.map((channel) => [channel, { providers: providersOf(channel) }]));
}

/** A duration of the run's clock in ms of the host's, never so short that a healthy call could miss it. */
function hostMs(ms: number, speed: number): number {
  return Math.max(500, ms / speed);
}
