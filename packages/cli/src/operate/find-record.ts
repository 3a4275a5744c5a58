import { kindOf, SendonceError, type DeliveryRecord, type Ledger, type NotificationRecord } from '@sendonce/core';
import { answering } from './answering.ts';
import { isUnreadable, unreadable } from './unreadable.ts';
import { plural } from './words.ts';

/** @throws SendonceError DELIVERY_NOT_FOUND, LEDGER_CORRUPT */
export async function findDelivery(ledger: Ledger, id: string): Promise<DeliveryRecord> {
  const [found] = kindOf(id) === 'delivery' ? await answering('find a delivery', ledger.find([id])) : [];
  return found ?? missing(ledger, 'delivery', id);
}

/** @throws SendonceError DELIVERY_NOT_FOUND, LEDGER_CORRUPT */
export async function findNotification(ledger: Ledger, id: string): Promise<NotificationRecord> {
  const [found] = await answering('find a notification', ledger.findNotifications([id]));
  return found ?? missing(ledger, 'notification', id);
}

/** @throws SendonceError LEDGER_CORRUPT where it is there and cannot be read, else DELIVERY_NOT_FOUND; always */
export async function missing(ledger: Ledger, what: string, id: string): Promise<never> {
  if (await isUnreadable(ledger, id)) throw unreadable(ledger, what, id);
  const { file } = ledger.capabilities;
  const { unreadable: count, forgotten } = await answering('count', ledger.count());
  const perhaps =
    count === 0 ? '' : `. ${plural(count, 'record')} of this ledger cannot be read, and it may be one of them`;
  const archived =
    forgotten === 0
      ? ''
      : `. ${plural(forgotten, 'notification')} of this ledger ${forgotten === 1 ? 'was' : 'were'} archived and forgotten with all deliveries, so it may be in an archive`;
  throw new SendonceError(
    'DELIVERY_NOT_FOUND',
    `no ${what} ${JSON.stringify(id)} in this ledger${file === null ? '' : ` (${file})`}; ids begin with d_ (deliveries) or n_ (notifications). See that it is whole, and that --config names the right ledger${perhaps}${archived}`,
  );
}
