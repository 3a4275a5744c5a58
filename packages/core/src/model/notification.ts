import type { DeliveryClass } from './classes.ts';

export const NOTIFICATION_STATES = ['accepted', 'expanding', 'expanded', 'done', 'cancelled', 'failed'] as const;
export type NotificationState = (typeof NOTIFICATION_STATES)[number];

/**
 * One thing that a producer wants told. Life: `accepted` (stored; perhaps still unsealed) -> `expanding` (its recipients are
 * frozen in pages, deliveries are being made page by page) -> `expanded` -> `done` (every delivery settled); or `cancelled`;
 * or `failed` (routing gave up: a dead letter).
 */
export interface NotificationRecord {
  readonly v: 1;
  readonly id: string;
  readonly tenant: string;
  readonly type: string;
  readonly key: string;
  readonly class: DeliveryClass;
  /** Fingerprint of the body; another body under the same (tenant, type, key) is a conflict. */
  readonly fingerprint: string;
  /** The producer's data, as JSON. */
  readonly data: unknown;
  readonly state: NotificationState;
  readonly acceptedAt: number;
  /** Nothing is routed or sent before this (epoch ms); null: at once. */
  readonly sendAt: number | null;
  /** No new attempt at or after this (epoch ms); null: never expires. */
  readonly expiresAt: number | null;
  /** `route`: a worker asks the type's route. `explicit`: the producer gives the recipients, page by page. */
  readonly recipients: 'route' | 'explicit';
  /** Frozen: no page can be added or changed. Only a sealed notification is expanded. */
  readonly sealed: boolean;
  readonly pages: number;
  /** Targets in all pages (doubles included); final once sealed. */
  readonly targets: number;
  /** The next page to expand. */
  readonly cursor: number;
  /** Deliveries made so far: targets minus merged doubles. */
  readonly deliveries: number;
  readonly fence: number;
  readonly leaseUntil: number | null;
  readonly owner: string | null;
  readonly requestId: string | null;
  /** When routing or the next page may be claimed (epoch ms). */
  readonly dueAt: number;
  /** Routing tries that threw, and claims in a row that ended by lease expiry; each has the cap of a delivery. */
  readonly failures: number;
  readonly lapses: number;
  readonly reason: string | null;
  /** Only of a tombstone: when the notification was forgotten (epoch ms). Its state is its last; it has no data, and no deliveries any more. */
  readonly forgottenAt?: number;
}

export function isNotificationOver(state: NotificationState): boolean {
  return state === 'done' || state === 'cancelled' || state === 'failed';
}
