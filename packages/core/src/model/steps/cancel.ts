import { openAttempts } from '../attempts.ts';
import { isSettled, type DeliveryRecord } from '../delivery.ts';
import { evidenceFirst, forbid, move } from './move.ts';

/** `too-late`: it left or may have left; what is open is left to evidence, and nothing new begins. */
export type CancelOutcome = 'cancelled' | 'too-late';

/** Rule 8. A second call answers the same. */
export function cancel(
  record: DeliveryRecord,
  now: number,
  reason: string,
): { readonly record: DeliveryRecord; readonly outcome: CancelOutcome } {
  const seen = evidenceFirst(record, now) ?? record;
  if (seen.state === 'cancelled') return { record: seen, outcome: 'cancelled' };
  // Nothing will be sent after any of these either, but it is their word that stands.
  if (isSettled(seen.state))
    return {
      record: seen,
      outcome: seen.state === 'expired' || seen.state === 'suppressed' ? 'cancelled' : 'too-late',
    };
  if (openAttempts(seen).length === 0) return { record: forbid(seen, 'cancelled', now, reason), outcome: 'cancelled' };
  const stays =
    seen.state === 'dispatching'
      ? { ...seen, forbidden: 'cancelled' as const }
      : move(seen, 'unknown', now, { forbidden: 'cancelled', dueAt: now });
  return { record: stays, outcome: 'too-late' };
}
