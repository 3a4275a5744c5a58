import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  deliveryId,
  notificationId,
  providerKey,
  type Ledger,
  type NewDelivery,
  type Target,
  type MarkRequest,
  type SettleRequest,
} from '@sendonce/core';
import { afterEach } from 'vitest';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A path in a folder that is removed after the test. */
export function temporaryFile(name = 'ledger.db'): string {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-'));
  folders.push(folder);
  return join(folder, name);
}

export function targetOf(i: number): Target {
  const to = `someone-${i}@example.com`;
  return { channel: 'email', to, recipientId: to, destinationId: '', data: { name: `Someone ${i}` } };
}

export const LEASE = { owner: 'w1', leaseMs: 30_000 };

/** Accepts one notification and makes its deliveries; answers their ids. */
export async function expanded(ledger: Ledger, recipients: number, key = 'k1'): Promise<readonly string[]> {
  const id = notificationId('default', 'order', key);
  await ledger.accept([
    newNotification(
      id,
      key,
      Array.from({ length: recipients }, (_, i) => targetOf(i)),
    ),
  ]);
  const [claimed] = await ledger.claimNotifications({ due: 1, lateMs: 0 }, { ...LEASE, requestId: `route-${key}` });
  if (claimed?.kind !== 'granted' || claimed.page === null) throw new Error('nothing to expand');
  const deliveries = claimed.page.map((target) => newDelivery(id, target));
  await ledger.add([{ notificationId: id, fence: claimed.fence, page: 0, deliveries, sealTargets: null, leaseMs: 0 }]);
  return deliveries.map((delivery) => delivery.id);
}

/** Accepts so many notifications to two people each. */
export async function acceptMany(ledger: Ledger, count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, i) => `k${i}`);
  const page = [targetOf(0), targetOf(1)];
  await ledger.accept(keys.map((key) => newNotification(notificationId('default', 'order', key), key, page)));
}

export function newNotification(
  id: string,
  key: string,
  page: readonly Target[],
): Parameters<Ledger['accept']>[0][number] {
  return {
    id,
    tenant: 'default',
    type: 'order',
    key,
    class: 'transactional',
    fingerprint: 'f1',
    data: { order: key },
    sendAt: null,
    expiresInMs: null,
    recipients: 'explicit',
    page,
  };
}

export function newDelivery(id: string, target: Target): NewDelivery {
  const { recipientId, channel, destinationId } = target;
  return {
    id: deliveryId({ notificationId: id, recipientId, channel, destinationId, generation: 0 }),
    target,
    provider: 'smtp',
    maxAttempts: 5,
    topic: 'order',
    failed: null,
  };
}

export function markOf(id: string, fence: number): MarkRequest {
  return {
    id,
    fence,
    provider: 'smtp',
    key: providerKey(id, 'smtp'),
    keyWindowMs: null,
    message: { text: 'hello' },
    dispatchMs: 60_000,
    sendMarginMs: 5_000,
  };
}

export function settleOf(id: string, fence: number, attempt = 1): SettleRequest {
  return {
    id,
    fence,
    attempt,
    provider: 'smtp',
    key: providerKey(id, 'smtp'),
    outcome: { kind: 'accepted', providerMessageId: `m-${id}` },
    next: { kind: 'sent' },
    refund: false,
  };
}

/** Claims, marks and settles what is due as accepted; answers the ids. */
export async function sendDue(ledger: Ledger, due = 100, requestId = 'r1'): Promise<readonly string[]> {
  const sent: string[] = [];
  for (const verdict of await ledger.claim({ due, lateMs: 0 }, { ...LEASE, requestId })) {
    if (verdict.kind !== 'granted') continue;
    const { id, fence } = verdict;
    const [mark] = await ledger.mark([markOf(id, fence)]);
    if (mark?.kind !== 'go') continue;
    await ledger.settle([settleOf(id, fence, mark.attempt)]);
    sent.push(id);
  }
  return sent;
}
