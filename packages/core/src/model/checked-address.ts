import type { AddressRules, AddressVerdict } from '../ports/addresses.ts';
import { addressProblem } from './address.ts';
import type { Channel } from './classes.ts';

export const NO_RULES: AddressRules = Object.freeze({});

/** What is known of an address before anybody is asked: its channel's rule and its shape. Never throws. */
export function checkedAddress(rules: AddressRules, channel: Channel, to: string): AddressVerdict {
  const rule = Object.hasOwn(rules, channel) ? rules[channel] : undefined;
  if (rule === undefined || to.trim() === '') return shaped(channel, to);
  try {
    const verdict: unknown = rule(to);
    if (isUsable(verdict)) return shaped(channel, verdict.to);
    if (isUnusable(verdict)) return { kind: 'unusable', problem: verdict.problem };
  } catch {
    // What it threw may hold the address.
  }
  return { kind: 'unusable', problem: `the rule for addresses of channel '${channel}' could not read it` };
}

function shaped(channel: Channel, to: string): AddressVerdict {
  const problem = addressProblem(channel, to);
  return problem === null ? { kind: 'usable', to } : { kind: 'unusable', problem };
}

type Fields = Readonly<Record<string, unknown>>;

function isUsable(verdict: unknown): verdict is { readonly to: string } {
  return (verdict as Fields | null | undefined)?.['kind'] === 'usable' && typeof (verdict as Fields)['to'] === 'string';
}

function isUnusable(verdict: unknown): verdict is { readonly problem: string } {
  const { kind, problem } = (verdict ?? {}) as Fields;
  return kind === 'unusable' && typeof problem === 'string';
}
