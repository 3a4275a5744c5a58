import type { DeliveryFilter, DeliveryRecord, Ledger, Page } from '@sendonce/core';
import { answering } from './answering.ts';

/** Deliveries per ledger call: all that is in memory at once, with their content. */
export const PAGE = 250;

/** Every page of a list, beginning at a cursor. */
export async function* pages(
  ledger: Ledger,
  filter: DeliveryFilter,
  from: string | null = null,
): AsyncGenerator<Page<DeliveryRecord>> {
  let cursor = from;
  do {
    const page: Page<DeliveryRecord> = await answering('list deliveries', ledger.list(filter, { limit: PAGE, cursor }));
    yield page;
    ({ cursor } = page);
  } while (cursor !== null);
}
