import assert from 'node:assert/strict';
import type { AddRequest, AddVerdict, NewDelivery, NotificationVerdict } from '../../ports/ledger.ts';
import { byIds, newDelivery, newNotification, only, target } from './requests.ts';
import type { LedgerSubject } from './subject.ts';

/** The notification that the laws of routing and fan-out are about. */
export const NOTIFICATION: string = newNotification('fan-out').id;

export function delivery(i: number): NewDelivery {
  return newDelivery(NOTIFICATION, target(i));
}

/** Accepts a notification with these pages of recipients and claims it. */
export async function open(subject: LedgerSubject, pages: readonly (readonly number[])[]): Promise<{ fence: number }> {
  const { ledger } = subject;
  await ledger.accept([newNotification('fan-out')]);
  for (const [page, recipients] of pages.entries()) {
    const last = page === pages.length - 1;
    await ledger.seal([{ notificationId: NOTIFICATION, page, targets: recipients.map(target), last, fence: null }]);
  }
  const claimed = await claim(subject);
  assert.equal(claimed.kind, 'granted');
  return claimed;
}

let claims = 0;

export async function claim(
  { ledger, unitMs }: LedgerSubject,
  requestId = `fan-out-${(claims += 1)}`,
): Promise<NotificationVerdict> {
  return only(
    await ledger.claimNotifications(byIds([NOTIFICATION]), { owner: 'worker', requestId, leaseMs: unitMs * 10 }),
  );
}

export async function add({ ledger, unitMs }: LedgerSubject, patch: Partial<AddRequest>): Promise<AddVerdict> {
  const request = {
    notificationId: NOTIFICATION,
    fence: 0,
    page: 0,
    deliveries: [],
    sealTargets: null,
    leaseMs: unitMs * 10,
  };
  return only(await ledger.add([{ ...request, ...patch }]));
}
