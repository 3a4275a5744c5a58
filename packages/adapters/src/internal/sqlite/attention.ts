import type { DeliveryState } from '@sendonce/core';

/** The states that somebody may want a list of among millions that are well. */
const ATTENTION: ReadonlySet<string> = new Set<DeliveryState>([
  'retry-scheduled',
  'unknown',
  'parked',
  'failed',
  'dead',
  'bounced',
  'undeliverable',
]);

/** What stands in the `attention` column of a row that was set aside. */
export const UNREADABLE = 'unreadable';

export function attentionOf({ state }: { readonly state: DeliveryState }): string | null {
  return ATTENTION.has(state) ? state : null;
}

export function isListedByAttention(states: readonly string[] | undefined): states is readonly string[] {
  return states !== undefined && states.length > 0 && states.every((state) => ATTENTION.has(state));
}
