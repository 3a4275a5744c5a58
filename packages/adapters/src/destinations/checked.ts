import type { AddressRules, Destinations, RegisterVerdict } from '@sendonce/core';
import { checkedAddress, isFields } from '@sendonce/core/internal';

/**
 * Destinations whose addresses are read by the same rules as those of the config's channels, so that a number is one address however it
 * is written: registered, suppressed, reported and looked up. What no rule takes is refused when it is registered; all other calls go on
 * with it as it is typed. Give the result to the config, and make your own calls on it.
 */
export function checkedDestinations(destinations: Destinations, rules: AddressRules): Destinations {
  const read = <Item>(item: Item): Item => {
    const verdict = verdictOn(rules, item);
    return verdict?.kind === 'usable' ? { ...item, to: verdict.to } : item;
  };
  // What is no list of requests is the store's to refuse.
  const all = <Items extends readonly unknown[]>(items: Items): Items =>
    Array.isArray(items) ? (items.map(read) as unknown as Items) : items;
  return {
    async register(requests) {
      if (!Array.isArray(requests)) return destinations.register(requests);
      const verdicts = requests.map((each) => verdictOn(rules, each));
      const isTaken = (_each: unknown, at: number): boolean => verdicts[at]?.kind !== 'unusable';
      const answers = await destinations.register(all(requests.filter(isTaken)));
      let next = 0;
      return verdicts.map((verdict): RegisterVerdict =>
        verdict?.kind === 'unusable' ? { kind: 'refused', reason: verdict.problem } : answers[next++]!,
      );
    },
    remove: (requests) => destinations.remove(all(requests)),
    of: (owners, options) => destinations.of(owners, options),
    report: (evidence) => destinations.report(all(evidence)),
    suppress: (requests) => destinations.suppress(all(requests)),
    health: (addresses) => destinations.health(all(addresses)),
    list: (request) => destinations.list(request),
    forget: (recipients) => destinations.forget(recipients),
    close: () => destinations.close(),
  };
}

function verdictOn(rules: AddressRules, item: unknown): ReturnType<typeof checkedAddress> | null {
  const { channel, to } = isFields(item) ? item : {};
  if (typeof channel !== 'string' || typeof to !== 'string' || !Object.hasOwn(rules, channel)) return null;
  return checkedAddress(rules, channel as keyof AddressRules, to);
}
