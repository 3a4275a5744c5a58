import type { DeliveryRecord } from '../model/delivery.ts';
import type { Evidence } from '../ports/ledger.ts';

/** Names a message of a provider's. */
export function messageKey(provider: string, providerMessageId: string): string {
  return `${provider}\n${providerMessageId}`;
}

/** What evidence that nothing matches is kept under: the delivery that it names, else the provider's message. */
export function keyOfEvidence({ deliveryId, provider, providerMessageId }: Evidence): string {
  return deliveryId ?? messageKey(provider, providerMessageId ?? '');
}

/** All that evidence about this delivery may be kept under. */
export function evidenceKeys({ id, attempts }: DeliveryRecord): readonly string[] {
  const keys = [id];
  for (const { provider, outcome } of attempts)
    if (outcome?.kind === 'accepted') keys.push(messageKey(provider, outcome.providerMessageId));
  return keys;
}
