import type { LawSubject } from '@sendonce/core/conformance';
import type { Inbox, InboxItem, InboxOwner, InboxQuery } from '../inbox.ts';

export interface InboxSubject extends LawSubject {
  readonly inbox: Inbox;
  /** Another process on the same store; the same inbox where there can be none. */
  readonly other: Inbox;
}

export const ANN: InboxOwner = { tenant: 'shop', recipientId: 'ann' };
export const BOB: InboxOwner = { tenant: 'shop', recipientId: 'bob' };

export function itemsFor(owner: InboxOwner, count: number): readonly InboxItem[] {
  return Array.from({ length: count }, (_, i) => ({
    ...owner,
    id: `d_${i + 1}`,
    content: { title: `Message ${i + 1}` },
  }));
}

export async function put(inbox: Inbox, owner: InboxOwner, count: number): Promise<void> {
  await inbox.put(itemsFor(owner, count));
}

export async function idsOf(inbox: Inbox, query: InboxQuery): Promise<readonly string[]> {
  return (await inbox.list({ limit: 100, ...query })).messages.map(({ id }) => id);
}

export async function unreadOf(inbox: Inbox, owner: InboxOwner): Promise<number> {
  return (await inbox.unread(owner)).unread;
}

/** As a scan counts them. */
export async function countedIn(inbox: Inbox, owner: InboxOwner): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  for (;;) {
    const page = await inbox.list({ ...owner, state: 'all', limit: 100, ...(cursor !== undefined && { cursor }) });
    count += page.messages.filter(({ readAt, archivedAt }) => readAt === null && archivedAt === null).length;
    if (page.next === null) return count;
    cursor = page.next;
  }
}
