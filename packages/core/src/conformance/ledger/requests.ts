import assert from 'node:assert/strict';
import { deliveryId, notificationId } from '../../model/keys.ts';
import type { Outcome } from '../../model/outcome.ts';
import { toTarget, type Target } from '../../model/recipient.ts';
import type { NewDelivery, NewNotification, Next } from '../../ports/ledger.ts';

export const P0 = 'first';
export const P1 = 'second';
export const MESSAGE = { subject: 'A law', text: 'Kept.' };

export const accepted = (providerMessageId: string): Outcome => ({ kind: 'accepted', providerMessageId });
export const NOT_SENT: Outcome = { kind: 'not-sent', reason: 'connection refused' };
export const DEFERRED: Outcome = { kind: 'deferred', reason: 'too many requests' };
export const REJECTED: Outcome = { kind: 'rejected', scope: 'destination', reason: 'no such mailbox' };
export const UNKNOWN: Outcome = { kind: 'unknown', reason: 'timeout' };

/** The next step that a worker would ask for after this outcome. */
export function nextOf(outcome: Outcome, provider: string): Next {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'sent' };
    case 'rejected':
      return { kind: 'failed', reason: outcome.reason };
    case 'deferred':
    case 'not-sent':
      return { kind: 'retry', delayMs: 0, provider, reason: outcome.reason };
    case 'unknown':
      return { kind: 'unknown', reconcileInMs: 0, reason: outcome.reason };
  }
}

export function newNotification(key: string, patch: Partial<NewNotification> = {}): NewNotification {
  const [tenant, type] = ['default', 'laws'];
  return {
    id: notificationId(tenant, type, key),
    tenant,
    type,
    key,
    class: 'transactional',
    fingerprint: `fingerprint of ${key}`,
    data: { key },
    sendAt: null,
    expiresInMs: null,
    recipients: 'explicit',
    page: null,
    ...patch,
  };
}

export function target(i: number): Target {
  return toTarget({ channel: 'email', to: `r${i}@example.com`, name: `Recipient ${i}` });
}

export function newDelivery(notification: string, to: Target, patch: Partial<NewDelivery> = {}): NewDelivery {
  const { recipientId, channel, destinationId } = to;
  const id = deliveryId({ notificationId: notification, recipientId, channel, destinationId, generation: 0 });
  return { id, target: to, provider: P0, maxAttempts: 5, topic: 'laws', failed: null, ...patch };
}

export function byIds(ids: readonly string[]): {
  ids: readonly string[];
  strayAfterMs: number;
  agesMs: readonly number[];
} {
  return { ids, strayAfterMs: 1_000, agesMs: ids.map(() => 0) };
}

export function only<T>(items: readonly T[]): T {
  assert.equal(items.length, 1, `expected one answer for one item, got ${items.length}`);
  return items[0] as T;
}

export const NOTE = { by: 'an operator', why: 'a law' };
