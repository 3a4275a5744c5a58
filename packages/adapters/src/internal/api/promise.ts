import type { DeclaredCapabilities } from './facts.ts';

const HOUR_MS = 3_600_000;

/** Whether a lost answer can be had again, so that nobody need choose between a message too many and one too few. */
export function isExact({ idempotency, lookup }: DeclaredCapabilities): boolean {
  return idempotency.kind !== 'none' || (lookup !== 'none' && lookup.kind === 'authoritative');
}

/** What a provider's capabilities mean for a message whose answer was lost, in a sentence. */
export function promiseOf({ idempotency, lookup }: DeclaredCapabilities): string {
  if (idempotency.kind === 'key')
    return `exact: a repeat with the same key is the same message, for ${hours(idempotency.windowMs)}`;
  if (idempotency.kind === 'client-id')
    return `exact: a repeat under the same id is refused, for ${hours(idempotency.windowMs)}`;
  if (lookup === 'none')
    return 'never twice by itself; what has no answer is held, or declared and sent again, as its class says';
  if (lookup.kind === 'authoritative') return 'exact: what has no answer is looked up';
  return 'never twice by itself; what has no answer is looked up, and held where it is not found';
}

function hours(ms: number): string {
  if (ms === Number.MAX_SAFE_INTEGER) return 'as long as it is kept';
  return ms === HOUR_MS ? '1 hour' : `${Math.round(ms / HOUR_MS)} hours`;
}
