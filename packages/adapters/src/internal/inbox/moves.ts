import type { Move, StoredMessage } from './store.ts';

type Times = Pick<StoredMessage, 'readAt' | 'archivedAt'>;

/** A message's times after a move; null: it is so already. */
export function moved({ readAt, archivedAt }: Times, move: Move, now: number): Times | null {
  switch (move) {
    case 'read':
      return readAt === null ? { readAt: now, archivedAt } : null;
    case 'unread':
      return readAt === null ? null : { readAt: null, archivedAt };
    case 'archive':
      return archivedAt === null ? { readAt, archivedAt: now } : null;
    case 'unarchive':
      return archivedAt === null ? null : { readAt, archivedAt: null };
  }
}

/** Whether it counts. */
export function isUnread({ readAt, archivedAt }: Times): boolean {
  return readAt === null && archivedAt === null;
}

export interface Moved {
  readonly rows: readonly StoredMessage[];
  readonly seq: number;
  readonly unread: number;
}

/** The rows of one inbox that a move changes, each with the next number, and what that makes of the inbox. */
export function moveAll(
  rows: readonly StoredMessage[],
  box: { readonly seq: number; readonly unread: number },
  { move, now }: { readonly move: Move; readonly now: number },
): Moved {
  let { seq, unread } = box;
  const changed: StoredMessage[] = [];
  for (const row of rows) {
    const times = moved(row, move, now);
    if (times === null) continue;
    seq += 1;
    unread += Number(isUnread(times)) - Number(isUnread(row));
    changed.push({ ...row, ...times, change: seq });
  }
  return { rows: changed, seq, unread };
}
