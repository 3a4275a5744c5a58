import type { Hold } from '../../ports/ledger.ts';
import type { DeliveryRecord } from '../delivery.ts';
import { isSettled } from '../delivery.ts';
import { isNotificationOver, type NotificationRecord } from '../notification.ts';

/** What a notification itself has against being forgotten; null: nothing. `before`: it has to have been over by then, epoch ms. */
export function holdOfNotification({ state, acceptedAt }: NotificationRecord, before: number): Hold | null {
  if (!isNotificationOver(state)) return 'not-over';
  return acceptedAt > before ? 'recent' : null;
}

/** What one of its deliveries has against it; null: nothing. */
export function holdOfDelivery(record: DeliveryRecord, before: number): Hold | null {
  const { state, settledAt, updatedAt, replacedBy } = record;
  if (!isSettled(state) || settledAt === null) return 'unsettled';
  // Late evidence changes what is settled; an archive from before does not have it.
  if (Math.max(settledAt, updatedAt) > before) return 'recent';
  // It may be out, and evidence or a person has still to say so. Sent again on purpose it was decided about.
  return state === 'parked' && replacedBy === null ? 'parked' : null;
}

/** All that a tombstone keeps of a notification: what tells a repeat from a conflict, and what it was. */
export type Kept = Pick<
  NotificationRecord,
  | 'v'
  | 'id'
  | 'tenant'
  | 'type'
  | 'key'
  | 'class'
  | 'fingerprint'
  | 'state'
  | 'acceptedAt'
  | 'recipients'
  | 'targets'
  | 'deliveries'
>;

/** A notification of which only its name is left. Nothing can be added to it, claimed of it or sealed: it has no pages and no lease. */
export function tombstone(of: Kept, forgottenAt: number): NotificationRecord {
  const { v, id, tenant, type, key, class: ofClass, fingerprint, state, acceptedAt, recipients, targets } = of;
  return {
    v,
    id,
    tenant,
    type,
    key,
    class: ofClass,
    fingerprint,
    data: null,
    state,
    acceptedAt,
    sendAt: null,
    expiresAt: null,
    recipients,
    sealed: true,
    pages: 0,
    targets,
    cursor: 0,
    deliveries: of.deliveries,
    fence: 0,
    leaseUntil: null,
    owner: null,
    requestId: null,
    dueAt: acceptedAt,
    failures: 0,
    lapses: 0,
    reason: null,
    forgottenAt,
  };
}
