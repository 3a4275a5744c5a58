import type { DeliveryRecord } from '@sendonce/core';

/** Why a delivery has failed for good: a provider refused it, or it came to none (its content threw, or its address is none). */
export type FailedCause = 'refused' | 'not-made';

/** Any refusal counts: a later attempt that could not be made hides none. */
export function failedCause({ attempts }: Pick<DeliveryRecord, 'attempts'>): FailedCause {
  return attempts.some(({ outcome }) => outcome?.kind === 'rejected') ? 'refused' : 'not-made';
}
