import { kindOf, SendonceError, type DeliveryRecord, type Ledger, type NotificationRecord } from '@sendonce/core';
import { answering } from './answering.ts';

/** @throws SendonceError DELIVERY_NOT_FOUND */
export async function findDelivery(ledger: Ledger, id: string): Promise<DeliveryRecord> {
  const [found] = kindOf(id) === 'delivery' ? await answering('find a delivery', ledger.find([id])) : [];
  return found ?? missing(ledger, 'delivery', id);
}

/** @throws SendonceError DELIVERY_NOT_FOUND */
export async function findNotification(ledger: Ledger, id: string): Promise<NotificationRecord> {
  const [found] = await answering('find a notification', ledger.findNotifications([id]));
  return found ?? missing(ledger, 'notification', id);
}

/** @throws SendonceError DELIVERY_NOT_FOUND, always */
export function missing(ledger: Ledger, what: string, id: string): never {
  const { file } = ledger.capabilities;
  throw new SendonceError(
    'DELIVERY_NOT_FOUND',
    `no ${what} ${JSON.stringify(id)} in this ledger${file === null ? '' : ` (${file})`}; ids begin with d_ (deliveries) or n_ (notifications). See that it is whole, and that --config names the right ledger`,
  );
}
