import type { DeliveryRecord, NotifierConfig } from '@sendonce/core';

/** What a worker writes that has to give something back. */
const LACKED = /^(?:type|provider) '.*' (?:is not|has no .*) in this worker's config$/;

/** What is paused, where a delivery that is still to be sent waits for that; null where it does not. No port lists what is paused. */
export function pausedOf({ state, reason }: Pick<DeliveryRecord, 'state' | 'reason'>): string | null {
  if (state !== 'queued' && state !== 'retry-scheduled') return null;
  return /^blocked: (.+)$/.exec(reason ?? '')?.[1] ?? null;
}

type Config = Pick<NotifierConfig, 'channels' | 'notifications'>;
type Wanting = Pick<DeliveryRecord, 'type' | 'provider' | 'target' | 'reason' | 'state'>;

/** What a delivery that is still to be sent waits for in vain: as a worker said, else as this config shows; null: nothing. */
export function lackOf(record: Wanting, config: Config): string | null {
  if (record.state !== 'queued' && record.state !== 'retry-scheduled') return null;
  return LACKED.test(record.reason ?? '') ? record.reason : lackIn(record, config);
}

/** Why a delivery stands where it stands. One that nobody could ever try says nothing itself: this config may tell. */
export function reasonOf(record: Wanting & Pick<DeliveryRecord, 'attempts'>, config: Config): string | null {
  if (record.reason !== null) return record.reason;
  if (record.state !== 'expired') return lackOf(record, config);
  if (record.attempts.length > 0) return null;
  return lackIn(record, config) ?? 'no worker tried it in time';
}

function lackIn({ type, provider, target: { channel } }: Wanting, { channels, notifications }: Config): string | null {
  if (!Object.hasOwn(notifications, type)) return `type '${type}' is not in this config`;
  const known = channels[channel]?.providers.some(({ name }) => name === provider) ?? false;
  return known ? null : `provider '${provider}' of channel ${channel} is not in this config`;
}
