import { checkedAddress } from '../model/checked-address.ts';
import type { Target } from '../model/recipient.ts';
import type { AddressRules } from '../ports/addresses.ts';

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
