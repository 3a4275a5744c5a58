import type { DeliveryFilter, DeliveryRecord, Ledger, NotificationRecord, Page } from '@sendonce/core';
import { answering } from './answering.ts';

/** Records per ledger call: all that is in memory at once, with their content. */
export const PAGE = 250;

/** Every page of deliveries, beginning at a cursor. */
export function pages(
  ledger: Ledger,
  filter: DeliveryFilter,
  from: string | null = null,
): AsyncGenerator<Page<DeliveryRecord>> {
  return all('list deliveries', (page) => ledger.list(filter, page), from);
}

/** Every page of notifications. */
export function notificationPages(ledger: Ledger): AsyncGenerator<Page<NotificationRecord>> {
  return all('list notifications', (page) => ledger.listNotifications({}, page), null);
}

async function* all<Item>(
  what: string,
  list: (page: { readonly limit: number; readonly cursor: string | null }) => Promise<Page<Item>>,
  from: string | null,
): AsyncGenerator<Page<Item>> {
  let cursor = from;
  do {
    const page: Page<Item> = await answering(what, list({ limit: PAGE, cursor }));
    yield page;
    ({ cursor } = page);
  } while (cursor !== null);
}
