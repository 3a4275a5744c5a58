import type {
  AddRequest,
  HoldVerdict,
  Lease,
  NewDelivery,
  NewNotification,
  ReleaseRequest,
  SealRequest,
} from '../../ports/ledger.ts';
import type { DeliveryRecord } from '../delivery.ts';
import { isNotificationOver, type NotificationRecord } from '../notification.ts';
import { poison, POISON_LAPSES } from './claim.ts';

/** How many routing tries may throw before the notification is `failed`, a dead letter: the default cap of a delivery. */
export const MAX_ROUTING_FAILURES = 5;

export function newNotification(from: NewNotification, now: number): NotificationRecord {
  const { page, expiresInMs, ...identity } = from;
  const starts = from.sendAt ?? now;
  return {
    v: 1,
    ...identity,
    state: page === null ? 'accepted' : 'expanding',
    acceptedAt: now,
    expiresAt: expiresInMs === null ? null : starts + expiresInMs,
    sealed: page !== null,
    pages: page === null ? 0 : 1,
    targets: page?.length ?? 0,
    cursor: 0,
    deliveries: 0,
    fence: 0,
    leaseUntil: null,
    owner: null,
    requestId: null,
    dueAt: starts,
    failures: 0,
    lapses: 0,
    reason: null,
  };
}

export function newDelivery(from: NewDelivery, of: NotificationRecord, now: number): DeliveryRecord {
  return {
    v: 1,
    id: from.id,
    notificationId: of.id,
    tenant: of.tenant,
    type: of.type,
    class: of.class,
    target: from.target,
    generation: 0,
    state: from.failed === null ? 'queued' : 'failed',
    fence: 0,
    owner: null,
    requestId: null,
    leaseUntil: null,
    dispatchUntil: null,
    dueAt: now,
    expiresAt: of.expiresAt,
    provider: from.provider,
    attempts: [],
    charged: 0,
    maxAttempts: from.maxAttempts,
    lapses: 0,
    failures: 0,
    declarations: [],
    topic: from.topic,
    message: null,
    forbidden: null,
    assumed: false,
    reason: from.failed,
    createdAt: now,
    updatedAt: now,
    settledAt: from.failed === null ? null : now,
    replaces: null,
    replacedBy: null,
    operator: null,
    forced: false,
    redrives: 0,
  };
}

/** Whether a worker may take it up: a route that has to be asked, or a sealed one with pages left. */
export function wantsWork(record: NotificationRecord): boolean {
  if (isNotificationOver(record.state) || record.state === 'expanded') return false;
  return record.recipients === 'route' || record.sealed;
}

export type NotificationClaim =
  | { readonly kind: 'granted' | 'repeated' | 'ended'; readonly record: NotificationRecord }
  | { readonly kind: 'held'; readonly remainingMs: number }
  | { readonly kind: 'later'; readonly dueInMs: number }
  | { readonly kind: 'settled' };

/** The lease rules of a delivery's claim, for routing and expansion. `ended`: the poison cap made it `failed`. */
export function claimNotification(
  record: NotificationRecord,
  lease: Lease,
  now: number,
  nextFence: number,
): NotificationClaim {
  if (!wantsWork(record))
    return isNotificationOver(record.state) || record.state === 'expanded'
      ? { kind: 'settled' }
      : { kind: 'later', dueInMs: lease.leaseMs };
  const remainingMs = record.leaseUntil === null ? 0 : record.leaseUntil - now;
  if (record.leaseUntil !== null && record.requestId === lease.requestId)
    return remainingMs > 0 ? { kind: 'repeated', record } : { kind: 'held', remainingMs: 0 };
  if (remainingMs > 0) return { kind: 'held', remainingMs };
  if (record.leaseUntil === null && record.dueAt > now) return { kind: 'later', dueInMs: record.dueAt - now };
  const lapses = record.leaseUntil === null ? record.lapses : record.lapses + 1;
  if (lapses >= POISON_LAPSES) {
    const reason = poison(lapses);
    return {
      kind: 'ended',
      record: { ...record, state: 'failed', lapses, reason, leaseUntil: null, owner: null, requestId: null },
    };
  }
  const fence = Math.max(record.fence + 1, nextFence);
  const { owner, requestId } = lease;
  return { kind: 'granted', record: { ...record, fence, lapses, owner, requestId, leaseUntil: now + lease.leaseMs } };
}

/** Moves the end of a lease, as for a delivery. */
export function renewNotification(
  record: NotificationRecord,
  fence: number,
  leaseMs: number,
  now: number,
): { readonly record: NotificationRecord; readonly verdict: HoldVerdict } {
  if (record.fence !== fence || record.leaseUntil === null) return { record, verdict: { kind: 'fenced' } };
  return { record: { ...record, leaseUntil: now + leaseMs }, verdict: { kind: 'ok' } };
}

export function releaseNotification(
  record: NotificationRecord,
  request: ReleaseRequest,
  now: number,
): { readonly record: NotificationRecord; readonly verdict: HoldVerdict } {
  if (record.fence !== request.fence || record.leaseUntil === null) return { record, verdict: { kind: 'fenced' } };
  const failures = record.failures + (request.failure === null ? 0 : 1);
  const free = {
    ...record,
    failures,
    lapses: 0,
    reason: request.failure ?? request.reason ?? null,
    leaseUntil: null,
    owner: null,
    requestId: null,
  };
  if (failures < MAX_ROUTING_FAILURES)
    return { record: { ...free, dueAt: now + request.delayMs }, verdict: { kind: 'ok' } };
  return { record: { ...free, state: 'failed' }, verdict: { kind: 'settled', state: 'failed' } };
}

/**
 * What becomes of a page that a producer or router wants to store. A page beyond the next one is fenced off too: the pages between were
 * dropped by somebody who began again. `mayMove`: no quarantine holds the store still.
 */
export function seal(
  record: NotificationRecord,
  request: SealRequest,
  mayMove: boolean,
): 'store' | 'sealed' | 'fenced' | 'cancelled' {
  if (record.state === 'cancelled') return 'cancelled';
  if (record.sealed) return 'sealed';
  if (request.page > record.pages) return 'fenced';
  if (record.recipients === 'explicit') return request.fence === null ? 'store' : 'fenced';
  return request.fence === record.fence && record.leaseUntil !== null && mayMove ? 'store' : 'fenced';
}

/** The record once the page is stored. */
export function afterSeal(
  record: NotificationRecord,
  request: SealRequest,
  stored: { readonly pages: number; readonly targets: number },
  now: number,
): NotificationRecord {
  return {
    ...record,
    sealed: request.last,
    state: request.last ? 'expanding' : record.state,
    pages: stored.pages,
    targets: stored.targets,
    dueAt: Math.max(record.dueAt, now),
  };
}

/** Whether this page is the one under the cursor of what is frozen; or, with `sealTargets`, the one page that freezes a route's result. */
export function expectsPage(record: NotificationRecord, request: AddRequest): boolean {
  if (isNotificationOver(record.state) || request.page !== record.cursor) return false;
  return record.sealed ? request.sealTargets === null && request.page < record.pages : request.sealTargets !== null;
}

/** The cursor after a page: the lease is kept while pages are left and the worker asked for it. */
export function afterPage(
  record: NotificationRecord,
  request: AddRequest,
  inserted: number,
  now: number,
): NotificationRecord {
  const sealed =
    request.sealTargets === null ? record : { ...record, sealed: true, pages: 1, targets: request.sealTargets };
  const cursor = request.page + 1;
  const expanded = cursor >= sealed.pages;
  const keeps = !expanded && request.leaseMs > 0;
  return {
    ...sealed,
    cursor,
    deliveries: sealed.deliveries + inserted,
    state: expanded ? 'expanded' : 'expanding',
    failures: 0,
    lapses: 0,
    leaseUntil: keeps ? now + request.leaseMs : null,
    owner: keeps ? sealed.owner : null,
    requestId: keeps ? sealed.requestId : null,
    dueAt: now,
  };
}
