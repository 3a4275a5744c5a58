import { type Channel, deliveryId, notificationId, type Target, toTarget } from '@sendonce/core';
import type { Workload } from '../workload.ts';
import type { Registry } from './registry.ts';

/** The tenant of everything that a run publishes. */
export const TENANT = 'default';

/** What was asked for: one recipient of one notification on one channel. */
export interface Requested {
  readonly notificationId: string;
  readonly tenant: string;
  /** The notification's type. */
  readonly type: string;
  readonly recipientId: string;
  readonly channel: Channel;
  readonly destinationId: string;
}

/** What recipient `number` is about. */
export function requestedOf(number: number, workload: Workload, registry: Registry): Requested {
  const learned = registry.learnedOf(number);
  const { type, key } = workload.publication(learned?.publication ?? 0);
  const { recipientId, channel, destinationId } = learned?.target ?? knownTarget(number, workload);
  return {
    notificationId: notificationId(TENANT, type, key),
    tenant: TENANT,
    type,
    recipientId,
    channel,
    destinationId,
  };
}

/** The id of its first delivery. */
export function firstDeliveryId(number: number, workload: Workload, registry: Registry): string {
  return deliveryId({ ...requestedOf(number, workload, registry), generation: 0 });
}

/** The target of a recipient that is known beforehand. */
export function knownTarget(number: number, { known }: Workload): Target {
  if (known === null) throw new Error(`recipient ${number} was never learned`);
  return toTarget(known.targetOf(number));
}
