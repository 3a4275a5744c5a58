import { isAccepted } from '../../model/attempts.ts';
import type { DeliveryRecord } from '../../model/delivery.ts';
import { hashIndex, type HashIndex } from './hash-index.ts';
import { messageKey } from '../../records/evidence-keys.ts';
import { learnedMessages } from '../../records/written.ts';

/** From a provider's id for a message to the delivery that it belongs to. */
export interface MessageIndex {
  /** The first slot with such an attempt, or -1. */
  find(key: string): number;
  /** The record in this slot was written. */
  learn(slot: number, before: DeliveryRecord | null, after: DeliveryRecord): void;
}

/** Made when it is asked for the first time: who has no webhooks pays nothing for it. */
export function messageIndex(deliveries: {
  readonly size: number;
  at(slot: number): DeliveryRecord | undefined;
}): MessageIndex {
  let index: HashIndex | null = null;

  function made(): HashIndex {
    const all = hashIndex(
      (slot, key) => deliveries.at(slot)?.attempts.some((attempt) => keyOf(attempt) === key) === true,
    );
    for (let slot = 0; slot < deliveries.size; slot += 1) {
      const record = deliveries.at(slot);
      if (record !== undefined) add(all, slot, null, record);
    }
    return all;
  }

  return {
    find: (key) => (index ??= made()).find(key),
    learn(slot, before, after) {
      if (index !== null) add(index, slot, before, after);
    },
  };
}

function add(index: HashIndex, slot: number, before: DeliveryRecord | null, after: DeliveryRecord): void {
  for (const key of learnedMessages(before, after)) index.add(key, slot);
}

function keyOf(attempt: DeliveryRecord['attempts'][number]): string | null {
  const { provider, outcome } = attempt;
  return isAccepted(attempt) && outcome?.kind === 'accepted' ? messageKey(provider, outcome.providerMessageId) : null;
}
