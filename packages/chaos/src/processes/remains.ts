import type { DeliveryRecord, Ledger, Move, NotificationRecord } from '@sendonce/core';
import type { Remains } from './judge.ts';
import { readMailbox } from './mailbox-file.ts';

const PAGE = 1_000;

/** Reads what a run left: the mailbox's file, and every record of the ledger with its story. */
export async function readRemains(ledger: Ledger, mailbox: string, endedAt: number): Promise<Remains> {
  const deliveries = await all<DeliveryRecord>((cursor) => ledger.list({}, { limit: PAGE, cursor }));
  const notifications = await all<NotificationRecord>((cursor) =>
    ledger.listNotifications({}, { limit: PAGE, cursor }),
  );
  const stories = new Map<string, readonly Move[]>();
  for (const { id } of deliveries) stories.set(id, await ledger.history(id));
  return { mailbox: await readMailbox(mailbox), deliveries, notifications, stories, endedAt };
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | null;
}

async function all<Item>(page: (cursor: string | null) => Promise<Page<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const next: Page<Item> = await page(cursor);
    items.push(...next.items);
    cursor = next.cursor;
  } while (cursor !== null);
  return items;
}
