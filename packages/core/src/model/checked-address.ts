import type { AddressRules, AddressVerdict } from '../ports/addresses.ts';
import { addressProblem } from './address.ts';
import type { Channel } from './classes.ts';
import type { Target } from './recipient.ts';

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

/**
 * Targets at their addresses in the form that a rule gives them, or with why they have none. Who each is stays as it was sealed. Those in
 * `settled` stay as they are: it is known what becomes of them.
 */
export function atCheckedAddresses(
  rules: AddressRules,
  targets: readonly Target[],
  settled?: ReadonlyMap<Target, unknown>,
): readonly Target[] {
  if (Object.keys(rules).length === 0) return targets;
  return targets.map((target) => (settled?.has(target) === true ? target : atCheckedAddress(rules, target)));
}

function atCheckedAddress(rules: AddressRules, target: Target): Target {
  const { channel, to, problem } = target;
  if (problem !== undefined || to === '' || !Object.hasOwn(rules, channel)) return target;
  const verdict = checkedAddress(rules, channel, to);
  if (verdict.kind === 'unusable') return Object.freeze({ ...target, problem: verdict.problem });
  return verdict.to === to ? target : Object.freeze({ ...target, to: verdict.to });
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
