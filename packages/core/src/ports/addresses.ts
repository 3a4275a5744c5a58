import type { Channel } from '../model/classes.ts';

/** What a rule says about one address. */
export type AddressVerdict =
  /** Sent to, and taken identity from, in this form: the same for all ways to write one address. */
  | { readonly kind: 'usable'; readonly to: string }
  /** Why it can never be reached, in words that hold nothing of the address. */
  | { readonly kind: 'unusable'; readonly problem: string };

/**
 * Reads an address as it was typed. Pure, and the same everywhere: producers and workers ask it, and ask it again. What it answers as `to`
 * it answers again when it is asked about that, and `addressProblem` has nothing against it. One that throws, or answers anything else,
 * makes the address unusable.
 */
export type AddressRule = (to: string) => AddressVerdict;

/** By channel. Of a channel without a rule an address is used as it is typed, where `addressProblem` has nothing against it. */
export type AddressRules = Readonly<Partial<Record<Channel, AddressRule>>>;
