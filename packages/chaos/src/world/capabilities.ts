import type { Channel, NotifierConfig, Provider, ProviderCapabilities } from '@sendonce/core';
import type { ProviderModel } from '../plan.ts';
import type { Knobs } from './knobs.ts';

/** A provider of the run, before it exists: its place in its channel, and what it can do. */
export interface ProviderOutline {
  readonly channel: Channel;
  /** `p0`, `p1`, ...: what plans call it. */
  readonly entity: string;
  readonly name: string;
  readonly capabilities: ProviderCapabilities;
  /** What the user's adapter can tell without asking anybody; null: nothing. */
  readonly check: NonNullable<Provider['check']> | null;
}

/** Two simulated providers per channel; or those of the user's config, under their own names and with their own capabilities. */
export function providerOutlines(
  config: NotifierConfig | null,
  channels: readonly Channel[],
  model: ProviderModel,
  knobs: Knobs,
): readonly ProviderOutline[] {
  if (config !== null) return configured(config);
  const capabilities = capabilitiesOf(model, knobs);
  return channels.flatMap((channel) =>
    ['p0', 'p1'].map((entity) => ({ channel, entity, name: entity, capabilities, check: null })),
  );
}

function configured(config: NotifierConfig): readonly ProviderOutline[] {
  return Object.entries(config.channels).flatMap(([channel, { providers }]) =>
    providers.map((provider, at) => ({
      channel: channel as Channel,
      entity: `p${at}`,
      name: provider.name,
      capabilities: provider.capabilities,
      check: provider.check === undefined ? null : provider.check.bind(provider),
    })),
  );
}

function capabilitiesOf(model: ProviderModel, knobs: Knobs): ProviderCapabilities {
  const { keyWindowMs, settleMs, horizonMs } = knobs;
  const rest = { correlation: { field: 'delivery', maxBytes: 64 }, coalesce: false } as const;
  switch (model) {
    case 'keyed':
      return { idempotency: { kind: 'key', windowMs: keyWindowMs }, lookup: 'none', ...rest };
    case 'lookup': {
      // Each process puts its own way to the provider in its place.
      const find = (): never => {
        throw new Error('a lookup belongs to a process');
      };
      return { idempotency: { kind: 'none' }, lookup: { kind: 'authoritative', settleMs, horizonMs, find }, ...rest };
    }
    case 'plain':
      return { idempotency: { kind: 'none' }, lookup: 'none', ...rest };
  }
}
