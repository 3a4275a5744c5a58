import type { InboxState } from './inbox.ts';
import type { Box, StoredMessage } from './store.ts';

/** What of an inbox is in each list, as the indexes say it too: the same in every dialect. */
export const IS_IN: Readonly<Record<InboxState, string>> = {
  inbox: 'archived_at IS NULL',
  unread: 'read_at IS NULL AND archived_at IS NULL',
  archived: 'archived_at IS NOT NULL',
  all: '1 = 1',
};

/** Names begin with the table's. */
export function boxesOf(table: string): string {
  return `${table}_boxes`;
}

/** By position for each list, by the last change, and by age. */
export function indexesOn(table: string): string {
  const name = table.slice(table.indexOf('.') + 1);
  return `CREATE UNIQUE INDEX IF NOT EXISTS ${name}_ids ON ${table} (box, id);
CREATE INDEX IF NOT EXISTS ${name}_inbox ON ${table} (box, position) WHERE ${IS_IN.inbox};
CREATE INDEX IF NOT EXISTS ${name}_unread ON ${table} (box, position) WHERE ${IS_IN.unread};
CREATE INDEX IF NOT EXISTS ${name}_away ON ${table} (box, position) WHERE ${IS_IN.archived};
CREATE INDEX IF NOT EXISTS ${name}_changes ON ${table} (box, change);
CREATE INDEX IF NOT EXISTS ${name}_age ON ${table} (added_at);
`;
}

type Fields = Readonly<Record<string, unknown>>;

/** A row of either dialect; null where an outer join found none. */
export function messageIn(row: Fields): StoredMessage | null {
  const { id, body } = row;
  if (id === null || id === undefined) return null;
  const time = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));
  return {
    id: id as string,
    position: Number(row['position']),
    change: Number(row['change']),
    addedAt: Number(row['added_at']),
    readAt: time(row['read_at']),
    archivedAt: time(row['archived_at']),
    body: body as string,
  };
}

export function boxIn(row: Fields | undefined): Box | null {
  if (row === undefined || row['box'] === null) return null;
  const [key, seq, unread, removed] = ['box', 'seq', 'unread', 'removed'].map((name) => Number(row[name]));
  return { key: String(key), seq: seq ?? 0, unread: unread ?? 0, removed: removed ?? 0 };
}
