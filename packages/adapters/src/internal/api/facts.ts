import type { Channel, Lookup, ProviderCapabilities } from '@sendonce/core';
import type { OutcomeRow } from './outcome-table.ts';

/** What an adapter declares, without the means: nobody can be asked before there are options. */
export interface DeclaredCapabilities extends Omit<ProviderCapabilities, 'lookup'> {
  readonly lookup: Omit<Lookup, 'find'> | 'none';
}

/** What is known of a provider before anybody gives it options: what its adapter declares, `notify providers` lists and the reference shows. */
export interface ProviderFacts {
  /** The last part of its import path, and its name where an option gives no other. */
  readonly name: string;
  /** Vendor and service, as people call them. */
  readonly title: string;
  readonly channels: readonly Channel[];
  /** The package that has to be installed beside; null: none. */
  readonly needs: string | null;
  readonly capabilities: DeclaredCapabilities;
  /** What `providerMessageId` is. */
  readonly id: string;
  /** Empty where the outcomes follow from no table of codes. */
  readonly outcomes: readonly OutcomeRow[];
}
