import type { DeliveryFilter, DeliveryRecord, Ledger } from '@sendonce/core';
import { pages } from '../pages.ts';

/** More deliveries of a kind than this are not read for a status: it has to be quick. */
const MOST_READ = 20_000;

/** Reads deliveries, the first that were made first. Answers false when there are more than are read. */
export async function scan(
  ledger: Ledger,
  filter: DeliveryFilter,
  seen: (record: DeliveryRecord) => void,
): Promise<boolean> {
  let read = 0;
  for await (const { items, cursor } of pages(ledger, filter)) {
    items.forEach(seen);
    read += items.length;
    if (read >= MOST_READ) return cursor === null;
  }
  return true;
}
