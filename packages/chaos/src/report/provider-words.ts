import { CLASS_POLICIES, type DeliveryClass, type UnknownAction } from '@sendonce/core';
import type { ProviderModel, SimulationSetup } from '../plan.ts';
import { count } from './format.ts';

const MODELS: Readonly<Record<ProviderModel, string>> = {
  keyed: 'takes keys (a repeat with the same key is the same message)',
  lookup: 'takes no keys, but says for certain what it accepted',
  plain: 'takes no keys and cannot be asked: nothing tells whether a lost reply was a yes',
};

const INSTEAD: Readonly<Record<UnknownAction, string>> = {
  replay: 'would be parked',
  lookup: 'would be parked',
  park: 'would be parked',
  resend: 'would be sent again, declared',
  failover: 'would go out again by the other provider, declared',
  'assume-sent': 'would be assumed sent without proof',
};

/** What the simulated providers can do, and what this run would have been with ones that cannot (with ones that can); null: no such guess. */
export function providerWords(setup: SimulationSetup, unsure: number | null): string {
  if (unsure === null) return MODELS[setup.provider];
  if (setup.provider === 'plain') return `${MODELS.plain}; with keys: up to ${count(unsure)} would be recovered`;
  const without = setup.provider === 'keyed' ? 'without' : 'without either';
  const difference =
    unsure === 0 ? 'the same, as no outcome stayed unknown' : `up to ${count(unsure)} ${INSTEAD[instead(setup)]}`;
  return `${MODELS[setup.provider]}; ${without}: ${difference}`;
}

function instead({ onUnknown, class: name }: SimulationSetup): UnknownAction {
  if (onUnknown !== null && onUnknown in INSTEAD) return onUnknown as UnknownAction;
  return CLASS_POLICIES[name as DeliveryClass]?.onUnknown ?? 'park';
}
