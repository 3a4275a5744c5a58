import type { Channel, ChannelConfig, NotifierConfig, WorkerOptions } from '@sendonce/core';
import { processClock } from '../kernel/clock.ts';
import type { Life } from '../kernel/process.ts';
import { processRandom } from '../kernel/random.ts';
import type { Wire } from '../kernel/wire.ts';
import type { Workload } from '../workload.ts';
import type { Knobs } from './knobs.ts';
import { virtualDestinations } from './destinations.ts';
import { ledgerPort } from './ledger-port.ts';
import type { LedgerSites } from './ledger-sites.ts';
import type { SimulatedProvider } from './provider.ts';
import { providerPort, type ProviderSites } from './provider-port.ts';
import { queuePort, type QueueSites } from './queue-port.ts';
import type { SimulatedQueue } from './queue.ts';
import type { Registry } from './registry.ts';
import { variantOf } from './variants.ts';

export interface PortsParts {
  readonly wire: Wire;
  readonly knobs: Knobs;
  readonly concurrency: number;
  readonly workload: Workload;
  readonly registry: Registry;
  readonly providers: readonly SimulatedProvider[];
  readonly queue: SimulatedQueue | null;
  readonly ledgerSites: LedgerSites;
  readonly queueSites: QueueSites | null;
  readonly providerSites: ProviderSites;
}

/** The config of a process: the user's types over the simulated ports, in the hands of one start of it. */
export function makePorts(parts: PortsParts): (life: Life, variant: number) => NotifierConfig {
  const { wire, knobs, workload, registry, queue, ledgerSites, queueSites, concurrency } = parts;
  const { classes, deadLetterRetry, destinations, pruning } = workload.config ?? {};
  const worker = workerOptions(knobs, concurrency);
  const channelsOf = channels(parts);
  const places = destinations === undefined ? null : virtualDestinations(wire.kernel.seed);
  return (life, variant) => {
    const config: NotifierConfig = {
      ledger: ledgerPort(wire, life, ledgerSites, registry),
      ...(queue === null || queueSites === null ? {} : { queue: queuePort(wire, life, queueSites, queue, knobs) }),
      channels: channelsOf(life),
      notifications: workload.notifications,
      ...(classes === undefined ? {} : { classes }),
      ...(deadLetterRetry === undefined ? {} : { deadLetterRetry }),
      ...(places === null ? {} : { destinations: places, ...(pruning === undefined ? {} : { pruning }) }),
      worker,
      clock: processClock(wire.kernel, life),
      random: processRandom(wire.kernel, life),
    };
    return variantOf(config, variant);
  };
}

function channels({
  wire,
  workload,
  providers,
  registry,
  providerSites: sites,
}: PortsParts): (life: Life) => NotifierConfig['channels'] {
  const parts = { wire, sites, registry };
  const rules = (channel: Channel): Partial<ChannelConfig> => {
    const addresses = workload.config?.channels[channel]?.addresses;
    return addresses === undefined ? {} : { addresses };
  };
  const byChannel = workload.channels.map((channel) => ({
    channel,
    providers: providers.filter((provider) => provider.setup.channel === channel),
  }));
  return (life) =>
    Object.fromEntries(
      byChannel.map(({ channel, providers: ofChannel }): [string, ChannelConfig] => [
        channel,
        { ...rules(channel), providers: ofChannel.map((provider) => providerPort(life, provider, parts)) },
      ]),
    );
}

/** The worker options that a set of knobs is. */
export function workerOptions(knobs: Knobs, concurrency: number): WorkerOptions {
  const { batch, leaseMs, dispatchMs, sendMarginMs, keyMarginMs, pollMs, waitMs } = knobs;
  const { sweepMs, lateMs, strayAfterMs, page: chunk, maxTargets, routeMs, graceMs, noProgressMs } = knobs;
  return {
    concurrency,
    batch,
    leaseMs,
    dispatchMs,
    sendMarginMs,
    keyMarginMs,
    pollMs,
    waitMs,
    sweepMs,
    lateMs,
    strayAfterMs,
    chunk,
    maxTargets,
    routeMs,
    graceMs,
    noProgressMs,
  };
}
